// Point maps on a board: who will own the points, or how likely something is there. Nodes are made once and reused.

import { makeSvg } from "./dom.js";

const CELL = 40;
const LEAST = 0.02; // below this a point has no owner

export class MapLayer {
  constructor(board) {
    this.board = board;
    this.points = new Array(board.size * board.size).fill(null);
  }

  pointAt(action) {
    let point = this.points[action];
    if (!point) {
      const square = makeSvg("rect", {});
      const text = makeSvg("text", { x: this.board.x(action), y: this.board.y(action) + 4 });
      const group = makeSvg("g", { class: "map-point", visibility: "hidden" }, square, text);
      this.board.layers.maps.append(group);
      point = this.points[action] = { group, square, text };
    }
    return point;
  }

  // A map as the server sends it: a value for every point; `on`: the kind of points that it is for (null: all).
  show({ values, ownership, on }) {
    const { shown } = this.board;
    this.board.svg.classList.toggle("numbered", !ownership);
    for (let action = 0; action < values.length; action++) {
      const value = values[action];
      const wanted = ownership ? Math.abs(value) >= LEAST : on === null || Number(shown[action]) === on;
      if (!wanted) {
        this.points[action]?.group.setAttribute("visibility", "hidden");
        continue;
      }
      if (ownership) this.drawOwner(action, value);
      else this.drawLikelihood(action, value);
    }
  }

  // The larger the square, the surer.
  drawOwner(action, value) {
    const side = 5 + 13 * Math.min(1, Math.abs(value));
    this.draw(action, value > 0 ? "owner black" : "owner white", side, "", 0.35 + 0.6 * Math.abs(value));
  }

  drawLikelihood(action, value) {
    this.draw(action, "likelihood", CELL - 4, String(Math.round(100 * value)), 0.12 + 0.7 * value);
  }

  draw(action, className, side, words, opacity) {
    const { group, square, text } = this.pointAt(action);
    group.setAttribute("class", `map-point ${className}`);
    group.classList.toggle("under", Boolean(this.board.overlay.points[action]?.visible));
    group.setAttribute("visibility", "visible");
    square.setAttribute("x", this.board.x(action) - side / 2);
    square.setAttribute("y", this.board.y(action) - side / 2);
    square.setAttribute("width", side);
    square.setAttribute("height", side);
    square.setAttribute("fill-opacity", opacity.toFixed(2));
    text.textContent = words;
  }

  clear() {
    this.board.svg.classList.remove("numbered");
    for (const point of this.points) point?.group.setAttribute("visibility", "hidden");
  }
}

// Squares for territory at the end of a game: on empty points and dead stones.
export function territory(board, ownership, dead) {
  const captured = new Set(dead);
  const squares = [];
  for (let action = 0; action < ownership.length; action++) {
    const open = board.shown[action] === "0" || captured.has(action);
    if (!open || ownership[action] === "0") continue;
    squares.push(makeSvg("rect", {
      class: ownership[action] === "1" ? "black" : "white",
      x: board.x(action) - 6, y: board.y(action) - 6, width: 12, height: 12,
    }));
  }
  return squares;
}
