// Black's win rate over a game, move by move, with the mistakes marked; a click selects a move.

import { make, makeSvg } from "./dom.js";
import { percent, pointName } from "./names.js";

const WIDTH = 600;
const HEIGHT = 150;
const MARGIN = 10; // around the curve, so that marks at its ends are seen whole
const MISTAKE = 0.12; // win rate lost by one move
const BLUNDER = 0.25;
const JOINED = 2; // moves between two values that a line may join: an engine values every other position

export class WinRateGraph {
  constructor(game, onChoose) {
    this.game = game;
    this.onChoose = onChoose;
    this.area = makeSvg("path", { class: "area" });
    this.curve = makeSvg("path", { class: "curve" });
    this.here = makeSvg("line", { class: "here", y1: -MARGIN, y2: HEIGHT + MARGIN });
    this.mistakes = makeSvg("g", { class: "mistake-marks" });
    this.svg = makeSvg("svg", {
      class: "graph", viewBox: `${-MARGIN} ${-MARGIN} ${WIDTH + 2 * MARGIN} ${HEIGHT + 2 * MARGIN}`,
      preserveAspectRatio: "none", role: "img", "aria-label": "Black's win rate over the game",
    }, makeSvg("line", { class: "middle", x1: -MARGIN, x2: WIDTH + MARGIN, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
    this.area, this.curve, this.here, this.mistakes);
    this.svg.addEventListener("click", (event) => this.click(event));
    this.list = make("ul", { class: "mistakes" });
    this.node = make("div", {}, this.svg, this.list);
  }

  show(state) {
    this.line = this.game.line(state.node);
    const last = Math.max(1, this.line.length - 1);
    const x = (k) => (k / last) * WIDTH;
    const runs = []; // of points that belong together; nothing is drawn where nobody knows the value
    let before = -Infinity;
    this.line.forEach((node, k) => {
      const value = this.game.value(node);
      if (value === undefined) return;
      if (k - before > JOINED) runs.push([]);
      runs.at(-1).push([x(k).toFixed(1), ((1 - value) * HEIGHT).toFixed(1)]);
      before = k;
    });
    const bottom = HEIGHT + MARGIN;
    const paths = runs.map((run) => run.map(([px, py], k) => `${k ? "L" : "M"}${px} ${py}`).join(""));
    this.curve.setAttribute("d", runs.map((run, n) => paths[n] + (run.length > 1 ? "" : "h0")).join(""));
    this.area.setAttribute("d", runs.map((run, n) =>
      run.length > 1 ? `${paths[n]}L${run.at(-1)[0]} ${bottom}L${run[0][0]} ${bottom}Z` : "").join(""));
    const at = x(this.line.indexOf(state.node));
    this.here.setAttribute("x1", at);
    this.here.setAttribute("x2", at);
    this.showMistakes(state, x);
  }

  showMistakes(state, x) {
    const mistakes = this.line
      .map((node, k) => ({ node, k, loss: this.game.loss(node) }))
      .filter(({ node }) => !this.game.wasBest(node)) // what was lost then was lost before, and seen only now
      .filter(({ loss }) => loss !== undefined && loss >= MISTAKE);
    this.mistakes.replaceChildren(...mistakes.map(({ node, k, loss }) =>
      // A line without a length and with round ends: a dot that stays round however wide the graph is drawn.
      makeSvg("path", {
        class: loss >= BLUNDER ? "blunder" : "mistake",
        d: `M${x(k)} ${(1 - this.game.value(node)) * HEIGHT}h0`,
      })));
    const worst = [...mistakes].sort((a, b) => b.loss - a.loss).slice(0, 8).sort((a, b) => a.k - b.k);
    this.list.replaceChildren(...worst.map(({ node, k, loss }) => {
      const { parent, move } = this.game.nodes.get(node);
      const best = state.evaluations[parent]?.[1];
      const better = best === undefined || best === null ? "" : `, better ${pointName(best, state.game)}`;
      const text = `Move ${k}, ${pointName(move, state.game)}: −${percent(loss)}${better}`; // the list of moves counts by two
      return make("li", {}, make("button", {
        type: "button", class: `link ${loss >= BLUNDER ? "blunder" : "mistake"}`,
        onclick: () => this.onChoose(parent),
      }, text));
    }));
  }

  click(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * (WIDTH + 2 * MARGIN) - MARGIN) / WIDTH;
    const k = Math.round(share * (this.line.length - 1));
    const node = this.line[Math.min(this.line.length - 1, Math.max(0, k))];
    if (node !== undefined) this.onChoose(node);
  }
}
