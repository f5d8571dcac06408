// A pattern as a small picture of a piece of board: black is the side to move, a diamond the point to be played.

import { makeSvg } from "./dom.js";

const CELL = 20;
const STUB = 11; // how far lines run beyond the outermost points
const STONE = 8.8;
const DIAMOND = 5;

// rows: a sign for every point, "." empty, "x" own, "o" opponent, "?" the point to be played; edges: the sides on
// which the board ends.
export function shapePicture({ rows, edges }, label) {
  const last = STUB + (rows.length - 1) * CELL;
  const whole = last + STUB;
  const ends = (edge) => edges.includes(edge);
  const [left, right] = [ends("left") ? STUB : 0, ends("right") ? last : whole];
  const [top, bottom] = [ends("top") ? STUB : 0, ends("bottom") ? last : whole];
  const at = (number) => STUB + number * CELL;
  const lines = rows.map((_, k) => `M${left} ${at(k)}H${right}M${at(k)} ${top}V${bottom}`).join("");
  const rims = { top: `M${left} ${STUB}H${right}`, bottom: `M${left} ${last}H${right}`,
    left: `M${STUB} ${top}V${bottom}`, right: `M${last} ${top}V${bottom}` };
  const svg = makeSvg("svg", { class: "shape", viewBox: `0 0 ${whole} ${whole}`, role: "img", "aria-label": label },
    makeSvg("rect", { class: "wood", width: whole, height: whole }), makeSvg("path", { class: "lines", d: lines }),
    makeSvg("path", { class: "rim", d: edges.map((edge) => rims[edge]).join("") }));
  rows.forEach((row, k) => [...row].forEach((sign, column) => {
    const [x, y] = [at(column), at(k)];
    if (sign === "?") {
      svg.append(makeSvg("path", { class: "anchor", d: `M${x} ${y - DIAMOND}L${x + DIAMOND} ${y}L${x} ${y + DIAMOND}L${x - DIAMOND} ${y}Z` }));
    } else if (sign !== ".") {
      svg.append(makeSvg("circle", { class: sign === "x" ? "own" : "opponent", cx: x, cy: y, r: STONE }));
    }
  }));
  return svg;
}
