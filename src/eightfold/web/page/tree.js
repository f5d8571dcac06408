// The tree of variations: a row for the main line, and one below it for every other variation.

import { makeSvg } from "./dom.js";
import { COLOURS, moverAt, pointName } from "./names.js";

const STEP = 26;
const ROW = 26;
const RADIUS = 9;

export class VariationTree {
  constructor(game, onChoose) {
    this.game = game;
    this.onChoose = onChoose;
    this.svg = makeSvg("svg", { class: "tree", role: "group", "aria-label": "Tree of variations" });
    this.drawn = "";
    this.marks = new Map();
  }

  show(state) {
    const drawing = JSON.stringify(state.tree);
    if (drawing !== this.drawn || state.id !== this.id) this.draw(state);
    this.drawn = drawing;
    this.id = state.id;
    for (const [number, mark] of this.marks) mark.classList.toggle("here", number === state.node);
    this.scrollTo(state.node);
  }

  // The first child continues its parent's row; the others begin a new row below.
  rows() {
    const rows = new Map([[0, 0]]);
    let taken = 0;
    const open = [0];
    while (open.length) {
      const { number, children } = this.game.nodes.get(open.pop());
      children.forEach((child, k) => rows.set(child, k === 0 ? rows.get(number) : ++taken));
      open.push(...[...children].reverse());
    }
    return { rows, count: taken + 1 };
  }

  draw(state) {
    const { rows, count } = this.rows();
    let deepest = 0;
    const edges = [];
    const marks = [];
    this.marks = new Map();
    this.places = new Map();
    for (const { number, parent, move, depth } of this.game.nodes.values()) {
      deepest = Math.max(deepest, depth);
      const [x, y] = [(depth + 0.5) * STEP, (rows.get(number) + 0.5) * ROW];
      this.places.set(number, x);
      if (number !== 0) {
        const [px, py] = [(depth - 0.5) * STEP, (rows.get(parent) + 0.5) * ROW];
        edges.push(`M${px} ${py}V${y}H${x}`);
      }
      const name = number === 0 ? "start" : `move ${depth}, ${pointName(move, state.game)}`;
      const mark = makeSvg("g", {
        class: number === 0 ? "root" : COLOURS[moverAt(depth, state.game)], role: "button", "aria-label": name,
        "data-node": number, onclick: () => this.onChoose(number),
      }, makeSvg("circle", { cx: x, cy: y, r: number === 0 ? 5 : RADIUS }),
      number === 0 ? null : makeSvg("text", { x, y: y + 3.2 }, String(depth)), makeSvg("title", {}, name));
      this.marks.set(number, mark);
      marks.push(mark);
    }
    const [width, height] = [(deepest + 1) * STEP, count * ROW];
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", height);
    this.svg.replaceChildren(makeSvg("path", { class: "edges", d: edges.join("") }), ...marks);
  }

  scrollTo(node) {
    const holder = this.svg.parentElement;
    const x = this.places?.get(node);
    if (holder && x !== undefined) holder.scrollLeft = x - holder.clientWidth / 2;
  }
}
