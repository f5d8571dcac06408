// A board in SVG: lines, stones, marks, a cursor for the keyboard. Nodes are made once and used again; an update
// only touches what changed, so that a position or an overlay costs well under a frame.

import { announce, makeSvg } from "./dom.js";
import { CELL, ground, roomFor } from "./ground.js";
import { Overlay } from "./overlay.js";
import { MapLayer, territory } from "./maps.js";
import { BLACK, COLOURS, letter, numberOf, pointName } from "./names.js";

const EDGE = 38; // from the outermost lines to the edge of the picture: room for coordinates
const EDGE_BARE = 26;
const STONE = 18.6;

let boards = 0;

export class Board {
  // onPlay(action), onMark(action) of a stone, onHover(action or -1); a board without onPlay only shows.
  constructor(holder, { onPlay = null, onMark = null, onHover = null, coordinates = true, label = "Board" } = {}) {
    this.holder = holder;
    this.onPlay = onPlay;
    this.onMark = onMark;
    this.onHover = onHover;
    this.coordinates = coordinates;
    this.label = label;
    this.name = `board-${++boards}`;
    this.size = 0;
    this.canPlay = false;
    this.canMark = false;
    this.hovered = -1;
    this.onPick = null; // while it is set, a click picks a point instead of playing
  }

  build(size, letters, kind, edges) {
    this.size = size;
    this.letters = letters;
    this.edge = (this.coordinates ? EDGE : EDGE_BARE) + roomFor(kind, edges);
    const width = (size - 1) * CELL + 2 * this.edge;
    const active = this.onPlay !== null;
    this.svg = makeSvg("svg", {
      class: "board",
      viewBox: `0 0 ${width} ${width}`,
      role: active ? "application" : "img",
      "aria-roledescription": active ? "board" : null,
      "aria-label": `${this.label}, ${size} by ${size}${active ? "; arrow keys move, enter plays" : ""}`,
      tabindex: active ? 0 : null,
    });
    this.svg.append(this.gradients(), makeSvg("rect", { width, height: width, fill: this.paint("wood") }));
    this.svg.append(ground({ size, first: this.edge, last: this.edge + (size - 1) * CELL, kind, edges }));
    if (this.coordinates) this.svg.append(this.labels(size, width));
    this.layers = {};
    for (const layer of ["forbidden", "legal", "shadows", "stones", "territory", "maps", "overlay", "ghosts", "marks"]) {
      this.layers[layer] = makeSvg("g", { class: layer });
      this.svg.append(this.layers[layer]);
    }
    this.stones = new Array(size * size).fill(null); // [shadow, stone] of a point, once it had one
    this.shown = "0".repeat(size * size);
    this.forbidden = [];
    this.ko = [];
    this.legal = null; // the points where one may play, in games that mark them
    this.scored = "";
    this.overlay = new Overlay(this);
    this.maps = new MapLayer(this);
    this.hoverStone = makeSvg("circle", { class: "hover", r: STONE, visibility: "hidden" });
    this.cursor = makeSvg("rect", { class: "cursor", width: CELL - 2, height: CELL - 2, rx: 6, visibility: "hidden" });
    this.lastMark = makeSvg("circle", { class: "last", r: 6.2, visibility: "hidden" });
    this.hintMark = makeSvg("circle", { class: "hint", r: STONE + 1, visibility: "hidden" });
    this.lineMark = makeSvg("g", { class: "line" });
    this.blockMark = makeSvg("rect", { class: "block", rx: 8, visibility: "hidden" });
    this.pickMark = makeSvg("circle", { class: "picked", r: STONE + 0.4, visibility: "hidden" });
    this.layers.marks.append(this.blockMark, this.pickMark, this.lineMark, this.lastMark, this.hintMark, this.hoverStone, this.cursor);
    this.at = Math.floor((size * size) / 2);
    if (active) this.listen();
    this.holder.replaceChildren(this.svg);
  }

  x(action) {
    return this.edge + (action % this.size) * CELL;
  }

  y(action) {
    return this.edge + Math.floor(action / this.size) * CELL;
  }

  place(node, action) {
    node.setAttribute("cx", this.x(action));
    node.setAttribute("cy", this.y(action));
    return node;
  }

  // Every board has gradients of its own: one that is hidden cannot lend them to another.
  gradients() {
    const stop = (offset, name) => makeSvg("stop", { offset, class: name });
    const round = (id, names) =>
      makeSvg("radialGradient", { id: `${this.name}-${id}`, cx: 0.36, cy: 0.3, r: 0.78 },
        stop(0, names[0]), stop(0.45, names[1]), stop(1, names[2]));
    const wood = makeSvg("linearGradient", { id: `${this.name}-wood`, x1: 0, y1: 0, x2: 1, y2: 1 },
      stop(0, "wood-light"), stop(0.5, "wood-middle"), stop(1, "wood-dark"));
    return makeSvg("defs", {},
      round("black", ["black-light", "black-middle", "black-dark"]),
      round("white", ["white-light", "white-middle", "white-dark"]), wood);
  }

  paint(name) {
    return `url(#${this.name}-${name})`;
  }

  labels(size, width) {
    const group = makeSvg("g", { class: "coordinates", "aria-hidden": "true" });
    for (let k = 0; k < size; k++) {
      const at = this.edge + k * CELL;
      group.append(
        makeSvg("text", { x: at, y: width - 8 }, letter(k, this)),
        makeSvg("text", { x: 11, y: at + 4 }, String(size - k)),
      );
    }
    return group;
  }

  // ---- what is on the board

  // stones: a text of 0, 1, 2 for every point; score: ownership and dead stones of a finished game.
  // board: what it looks like, see ground.js; edges: colours by side; legal: points to be marked.
  show({ size, letters, board = "lines", edges = {}, stones, last = null, line = [], forbidden = [], ko = [], legal = null,
    score = null, toMove = BLACK, canPlay = false, canMark = false }) {
    const looks = JSON.stringify([size, letters, board, edges]);
    if (looks !== this.looks) this.build(size, letters, board, edges);
    this.looks = looks;
    this.toMove = toMove;
    this.canPlay = canPlay;
    this.canMark = canMark && this.onMark !== null;
    this.svg.classList.toggle("playable", canPlay || this.canMark || this.onPick !== null);
    if (stones !== this.shown) {
      for (let action = 0; action < stones.length; action++) {
        if (stones[action] !== this.shown[action]) this.setStone(action, Number(stones[action]));
      }
      this.shown = stones;
      if (this.scored) this.setScore(null); // it was made for other stones
    }
    this.mark(this.lastMark, last, last !== null && `last on-${COLOURS[stones[last]] ?? "empty"}`);
    this.setForbidden(forbidden, ko);
    this.setLegal(legal, canPlay);
    this.setScore(score);
    this.setLine(line);
    this.mark(this.hintMark, null);
    this.hideVariation();
    this.hoverAt(this.hovered);
    this.updateLabel();
  }

  updateLabel() {
    if (!this.onPlay || !this.svg) return;
    const count = this.size * this.size - this.shown.split("0").length + 1;
    this.svg.setAttribute("aria-label",
      `${this.label}, ${this.size} by ${this.size}, ${numberOf(count, "stone")}; arrow keys move, enter ${this.onPick ? "picks a point" : "plays"}`);
  }

  // Let clicks and the enter key pick points, stones too: onPick(action). Null: they play again.
  setPicking(onPick) {
    this.onPick = onPick;
    this.svg?.classList.toggle("playable", this.canPlay || this.canMark || onPick !== null);
    this.updateLabel();
  }

  // A ring round the point that is picked and a frame round the block of its pattern; null: none.
  markBlock(picked, points = []) {
    if (!this.svg) return;
    this.mark(this.pickMark, picked);
    this.blockMark.setAttribute("visibility", points.length ? "visible" : "hidden");
    if (!points.length) return;
    const xs = points.map((action) => this.x(action));
    const ys = points.map((action) => this.y(action));
    const [left, top] = [Math.min(...xs) - CELL / 2, Math.min(...ys) - CELL / 2];
    this.blockMark.setAttribute("x", left);
    this.blockMark.setAttribute("y", top);
    this.blockMark.setAttribute("width", Math.max(...xs) - left + CELL / 2);
    this.blockMark.setAttribute("height", Math.max(...ys) - top + CELL / 2);
  }

  setStone(action, colour) {
    let pair = this.stones[action];
    if (!pair) {
      if (!colour) return;
      pair = [makeSvg("circle", { class: "shadow", r: STONE }), makeSvg("circle", { r: STONE })];
      pair[0].setAttribute("cx", this.x(action) + 1.4);
      pair[0].setAttribute("cy", this.y(action) + 2.4);
      this.place(pair[1], action);
      this.layers.shadows.append(pair[0]);
      this.layers.stones.append(pair[1]);
      this.stones[action] = pair;
    }
    const visibility = colour ? "visible" : "hidden";
    pair[0].setAttribute("visibility", visibility);
    pair[1].setAttribute("visibility", visibility);
    if (!colour) return;
    pair[1].setAttribute("class", `stone ${COLOURS[colour]}`);
    pair[1].setAttribute("fill", this.paint(COLOURS[colour]));
  }

  mark(node, action, className = null) {
    const visible = action !== null && action !== undefined && action >= 0 && action < this.size * this.size;
    node.setAttribute("visibility", visible ? "visible" : "hidden");
    if (!visible) return;
    this.place(node, action);
    if (className) node.setAttribute("class", className);
  }

  setForbidden(points, ko) {
    if (points.join() === this.forbidden.join() && ko.join() === this.ko.join()) return;
    this.forbidden = points;
    this.ko = ko;
    const crosses = points.map((action) => {
      const [x, y, r] = [this.x(action), this.y(action), 8];
      const d = `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`;
      return makeSvg("path", { d }, makeSvg("title", {}, `${pointName(action, this)} is forbidden`));
    });
    const squares = ko.map((action) => makeSvg("rect", {
      class: "ko", x: this.x(action) - 9, y: this.y(action) - 9, width: 18, height: 18,
    }, makeSvg("title", {}, `${pointName(action, this)} is a ko`)));
    this.layers.forbidden.replaceChildren(...crosses, ...squares);
  }

  setLegal(points, visible) {
    this.legal = points;
    this.layers.legal.replaceChildren(...(visible ? points ?? [] : []).map((action) =>
      this.place(makeSvg("circle", { r: 5 }), action)));
  }

  // Show who owns the points at the end, and which stones are dead.
  setScore(score) {
    const key = score ? `${score.ownership} ${score.dead.join()}` : "";
    if (key === this.scored) return;
    this.scored = key;
    const dead = new Set(score?.dead ?? []);
    this.stones.forEach((pair, action) => {
      for (const node of pair ?? []) node.classList.toggle("dead", dead.has(action));
    });
    this.layers.territory.replaceChildren(...(score ? territory(this, score.ownership, score.dead) : []));
  }

  setLine(points) {
    this.lineMark.replaceChildren(...points.map((action) =>
      this.place(makeSvg("circle", { r: STONE - 3 }), action)));
  }

  showHint(action) {
    this.mark(this.hintMark, action);
  }

  // Numbered ghost stones: the line that the engine expects.
  showVariation(moves, colour) {
    const ghosts = moves.map((action, number) => {
      if (action >= this.size * this.size) return ""; // a pass
      const owner = COLOURS[number % 2 ? 3 - colour : colour];
      return makeSvg("g", { class: `ghost ${owner}` },
        this.place(makeSvg("circle", { r: STONE - 1 }), action),
        makeSvg("text", { x: this.x(action), y: this.y(action) + 5.5 }, String(number + 1)));
    });
    this.layers.ghosts.replaceChildren(...ghosts);
    this.mark(this.hoverStone, null); // it would hide the first of them
  }

  hideVariation() {
    if (this.layers?.ghosts.firstChild) this.layers.ghosts.replaceChildren();
  }

  // ---- pointer and keyboard

  listen() {
    this.svg.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") this.hoverAt(this.actionAt(event));
    });
    this.svg.addEventListener("pointerleave", () => this.hoverAt(-1));
    this.svg.addEventListener("click", (event) => this.tryPlay(this.actionAt(event)));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("focus", () => this.showCursor(this.svg.matches(":focus-visible")));
    this.svg.addEventListener("blur", () => {
      this.showCursor(false);
      this.onHover?.(-1);
    });
  }

  // The point under the pointer, or -1.
  actionAt(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.svg.viewBox.baseVal.width / box.width;
    const column = Math.round(((event.clientX - box.left) * scale - this.edge) / CELL);
    const row = Math.round(((event.clientY - box.top) * scale - this.edge) / CELL);
    const inside = column >= 0 && row >= 0 && column < this.size && row < this.size;
    return inside ? row * this.size + column : -1;
  }

  isFree(action) {
    return action >= 0 && this.shown[action] === "0" && !this.forbidden.includes(action) && !this.ko.includes(action)
      && (this.legal === null || this.legal.includes(action));
  }

  hoverAt(action) {
    if (this.onHover && action !== this.hovered) this.onHover(action);
    this.hovered = action;
    const visible = this.canPlay && !this.onPick && this.isFree(action) && !this.layers.ghosts.firstChild;
    this.mark(this.hoverStone, visible ? action : null, `hover ${COLOURS[this.toMove]}`);
  }

  tryPlay(action) {
    if (action < 0 || !this.onPlay) return;
    if (this.onPick) this.onPick(action);
    else if (this.canMark && this.shown[action] !== "0") this.onMark(action);
    else if (this.canPlay && this.isFree(action)) this.onPlay(action);
    else if (this.canPlay) announce(`${this.describe(action)}: not possible`);
  }

  key(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (event.key === "Enter" || event.key === " ") this.tryPlay(this.at);
    else if (step) {
      const row = Math.floor(this.at / this.size) + step[0];
      const column = (this.at % this.size) + step[1];
      if (row < 0 || column < 0 || row >= this.size || column >= this.size) return;
      this.at = row * this.size + column;
      this.showCursor(true);
      announce(this.describe(this.at));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  describe(action) {
    const stone = { 0: "empty", 1: "black stone", 2: "white stone" }[this.shown[action]];
    const forbidden = this.forbidden.includes(action) ? ", forbidden" : this.ko.includes(action) ? ", ko" : "";
    const dead = this.stones[action]?.[1].classList.contains("dead") ? ", dead" : "";
    return `${pointName(action, this)}, ${stone}${dead}${forbidden}`;
  }

  showCursor(visible) {
    this.cursor.setAttribute("visibility", visible ? "visible" : "hidden");
    this.cursor.setAttribute("x", this.x(this.at) - CELL / 2 + 1);
    this.cursor.setAttribute("y", this.y(this.at) - CELL / 2 + 1);
    if (visible && this.onHover) this.onHover(this.at);
  }
}
