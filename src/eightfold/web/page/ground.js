// What lies under the stones: lines with stars, cells, or lines with rising diagonals, as the game says; and the sides
// of the board that belong to a colour.

import { makeSvg } from "./dom.js";
import { COLOURS } from "./names.js";

export const CELL = 40;
const BAR = 6; // how thick a coloured side is
const GAP = 21; // from the outermost points to it: stones end before

// What a board needs to know of a game to look like it. A game's options may have any names, so nothing else is taken.
export function looksOf({ size, letters, board, edges }) {
  return { size, letters, board, edges };
}

// first, last: where the outermost points are, along either side.
export function ground({ size, first, last, kind, edges }) {
  const group = makeSvg("g", { class: "grid" });
  const half = kind === "cells" ? CELL / 2 : 0;
  const [begin, end] = [first - half, last + half];
  const lines = [];
  for (let at = begin; at <= end; at += CELL) lines.push(`M${begin} ${at}H${end}M${at} ${begin}V${end}`);
  if (kind === "diagonals") lines.push(...rising(size, first));
  group.append(makeSvg("path", { d: lines.join("") }),
    makeSvg("rect", { class: "rim", x: begin, y: begin, width: end - begin, height: end - begin }));
  if (kind === "lines") group.append(...stars(size, first));
  group.append(...Object.entries(edges).map(([edge, colour]) => side(edge, colour, first, last)));
  return group;
}

// How much farther from the edge of the picture the points are, to make room for coloured sides or for cells.
export function roomFor(kind, edges) {
  return (Object.keys(edges).length ? BAR + 2 : 0) + (kind === "cells" ? 6 : 0);
}

// The diagonals from the lower left to the upper right.
function rising(size, first) {
  const at = (k) => first + k * CELL;
  return Array.from({ length: 2 * size - 3 }, (_, k) => {
    const [low, high] = [Math.max(0, k + 2 - size), Math.min(size - 1, k + 1)];
    return `M${at(low)} ${at(high)}L${at(high)} ${at(low)}`;
  });
}

function side(edge, colour, first, last) {
  const across = edge === "top" || edge === "left" ? first - GAP - BAR : last + GAP;
  const along = [first - CELL / 2, last - first + CELL];
  const upright = edge === "left" || edge === "right";
  return makeSvg("rect", {
    class: `owned ${COLOURS[colour]}`, rx: BAR / 2,
    x: upright ? across : along[0], y: upright ? along[0] : across,
    width: upright ? BAR : along[1], height: upright ? along[1] : BAR,
  });
}

function stars(size, first) {
  if (size < 7) return [];
  const near = size >= 13 ? 3 : 2;
  const rows = size % 2 ? [near, (size - 1) / 2, size - 1 - near] : [near, size - 1 - near];
  const middle = size < 15 ? (size - 1) / 2 : -1; // small boards have four corners and a centre
  return rows.flatMap((row) => rows.filter((column) => (row === middle) === (column === middle)).map((column) =>
    makeSvg("circle", { class: "star", r: 3.4, cx: first + column * CELL, cy: first + row * CELL })));
}
