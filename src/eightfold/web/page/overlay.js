// The analysis of an engine, drawn on the points: a disc for the share of a move, and two short lines of text. The
// nodes of a point are made when it is first needed and kept; an update writes only what is different.

import { makeSvg } from "./dom.js";

const LEAST = 0.004; // shares below this are not drawn

export class Overlay {
  constructor(board) {
    this.board = board;
    this.points = new Array(board.size * board.size).fill(null);
    this.times = []; // milliseconds of the last updates
  }

  pointAt(action) {
    let point = this.points[action];
    if (!point) {
      const { board } = this;
      const disc = board.place(makeSvg("circle", { r: 17.4 }), action);
      const upper = makeSvg("text", { x: board.x(action), y: board.y(action) - 0.5, class: "upper" });
      const lower = makeSvg("text", { x: board.x(action), y: board.y(action) + 10.5, class: "lower" });
      const group = makeSvg("g", { class: "assessment", visibility: "hidden" }, disc, upper, lower);
      upper.textContent = "\u200b"; // a text node to write into
      lower.textContent = "\u200b";
      board.layers.overlay.append(group);
      point = this.points[action] = {
        action, group, disc, upper: upper.firstChild, lower: lower.firstChild,
        visible: false, strength: -1, best: false, upperText: "", lowerText: "",
      };
    }
    return point;
  }

  // shares: the share of each point (any scale); best: the move that would be played; texts(action): two lines.
  show(shares, best, texts = null, least = LEAST) {
    const begin = performance.now();
    let most = 0;
    for (const share of shares) if (share > most) most = share;
    let total = 0;
    for (const share of shares) total += share;
    for (let action = 0; action < shares.length; action++) {
      const wanted = total > 0 && (shares[action] / total >= least || action === best)
        && this.board.shown[action] === "0";
      if (!wanted && !this.points[action]) continue;
      this.update(this.pointAt(action), wanted, Math.round((100 * shares[action]) / most), action === best,
        wanted && texts ? texts(action) : ["", ""]);
    }
    this.times.push(performance.now() - begin);
    if (this.times.length > 200) this.times.shift();
  }

  update(point, visible, strength, best, [upper, lower]) {
    if (visible !== point.visible) this.setVisible(point, visible);
    if (!visible) return;
    if (strength !== point.strength) {
      // From faint to full; a weak move keeps enough colour to be read on.
      point.disc.setAttribute("fill-opacity", (0.16 + 0.0076 * strength).toFixed(3));
      point.strength = strength;
    }
    if (best !== point.best) {
      point.group.setAttribute("class", best ? "assessment best" : "assessment");
      point.best = best;
    }
    if (upper !== point.upperText) point.upper.data = point.upperText = upper;
    if (lower !== point.lowerText) point.lower.data = point.lowerText = lower;
  }

  setVisible(point, visible) {
    point.group.setAttribute("visibility", visible ? "visible" : "hidden");
    point.visible = visible;
    // A square of ownership would shine through the disc and its numbers.
    this.board.maps.points[point.action]?.group.classList.toggle("under", visible);
  }

  clear() {
    for (const point of this.points) if (point?.visible) this.setVisible(point, false);
  }

  median() {
    const sorted = [...this.times].sort((a, b) => a - b);
    return sorted.length ? sorted[Math.floor(sorted.length / 2)] : null;
  }
}
