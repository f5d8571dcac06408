// Line charts in SVG: a few curves, axes with round numbers, a readout under the pointer.

import { make, makeSvg } from "./dom.js";

const WIDTH = 480;
const HEIGHT = 210;
const LEFT = 46;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 26;
const MINUTES = { key: (entry) => entry.minutes, unit: "min", place: (minutes) => `${minutes.toFixed(1)} min` };

// Round steps between ticks: 1, 2 or 5 times a power of ten.
export function ticks(low, high, count) {
  const span = high - low || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const first = Math.ceil(low / step) * step;
  const result = [];
  for (let value = first; value <= high + step * 1e-6; value += step) result.push(Number(value.toPrecision(12)));
  return result;
}

export function short(value) {
  const size = Math.abs(value);
  if (size >= 10000) return `${Math.round(value / 1000)}k`;
  if (size >= 100 || value === 0) return String(Math.round(value));
  if (size >= 0.01) return String(Number(value.toPrecision(3)));
  return value.toExponential(1);
}

export class Chart {
  // curves: [{name, key, whiskers: bool}]; key(entry) gives a number, or [value, low, high] with whiskers. Curves go over
  // minutes unless `across` says what else: {key, unit, place}, where place(x) names the place of a readout.
  constructor(title, curves, { zero = true, top = null, across = MINUTES, words = short } = {}) {
    this.curves = curves;
    this.zero = zero;
    this.top = top;
    this.across = across;
    this.words = words; // of a value in the readout
    this.bands = makeSvg("g", { class: "bands" });
    this.axes = makeSvg("g", { class: "axes" });
    this.paths = curves.map((curve, number) => makeSvg("path", { class: `curve c${number}` }));
    this.dots = makeSvg("g", { class: "dots" });
    this.cross = makeSvg("line", { class: "cross", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
    this.svg = makeSvg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title },
      this.bands, this.axes, this.cross, ...this.paths, this.dots);
    this.readout = make("p", { class: "readout" });
    this.names = curves.map((curve, k) => make("span", { class: `c${k}` }, curve.name));
    const legend = curves.length > 1 ? make("p", { class: "legend" }, ...this.names) : null;
    this.node = make("figure", { class: "card chart-card" }, make("figcaption", {}, make("h2", {}, title), legend),
      this.svg, this.readout);
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.cross.setAttribute("visibility", "hidden"));
  }

  // bands: [{from, to, kind}], stretches that are shaded.
  show(entries, bands = []) {
    this.series = this.curves.map((curve) => entries
      .map((entry) => {
        const value = curve.key(entry);
        if (value === undefined || value === null) return null;
        const [middle, low, high] = Array.isArray(value) ? value : [value, value, value];
        return { x: this.across.key(entry), y: middle, low, high };
      })
      .filter((point) => point && Number.isFinite(point.y)));
    const all = this.series.flat();
    this.node.hidden = all.length === 0;
    this.names.forEach((name, number) => { name.hidden = this.series[number].length === 0; });
    if (!all.length) return;
    const least = Math.min(...all.map((point) => point.low));
    const most = this.top ?? Math.max(...all.map((point) => point.high));
    this.low = this.zero ? Math.min(0, least) : least;
    this.high = most > this.low ? most : this.low + 1;
    this.last = Math.max(...all.map((point) => point.x), 1e-9);
    this.draw();
    this.bands.replaceChildren(...bands.map(({ from, to, kind }) => makeSvg("rect", { class: kind, x: this.x(from), y: TOP,
      width: this.x(to) - this.x(from), height: HEIGHT - TOP - BOTTOM })));
  }

  x(minutes) {
    return LEFT + (minutes / this.last) * (WIDTH - LEFT - RIGHT);
  }

  y(value) {
    return TOP + (1 - (value - this.low) / (this.high - this.low)) * (HEIGHT - TOP - BOTTOM);
  }

  draw() {
    const across = ticks(0, this.last, 6).filter((minutes) => this.x(minutes) < WIDTH - RIGHT - 34).map((minutes) => makeSvg("text", {
      x: this.x(minutes), y: HEIGHT - 8, class: "below" }, short(minutes)));
    const lines = ticks(this.low, this.high, 4).flatMap((value) => [
      makeSvg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: this.y(value), y2: this.y(value) }),
      makeSvg("text", { x: LEFT - 6, y: this.y(value) + 4, class: "left" }, short(value)),
    ]);
    this.axes.replaceChildren(...lines, ...across, makeSvg("text", { x: WIDTH - RIGHT, y: HEIGHT - 8, class: "unit" }, this.across.unit));
    this.series.forEach((points, number) => {
      const path = points.map(({ x, y }, k) => `${k ? "L" : "M"}${this.x(x).toFixed(1)} ${this.y(y).toFixed(1)}`);
      this.paths[number].setAttribute("d", path.join(""));
    });
    // A single point is a dot too: a line needs two.
    this.dots.replaceChildren(...this.curves.flatMap(({ whiskers }, number) => this.series[number].flatMap((p, _, points) => [
      whiskers && makeSvg("line", { x1: this.x(p.x), x2: this.x(p.x), y1: this.y(p.low), y2: this.y(p.high) }),
      (whiskers || points.length === 1) && makeSvg("circle", { class: `c${number}`, cx: this.x(p.x), cy: this.y(p.y), r: 3.6 }),
    ])).filter(Boolean));
    this.read(this.last);
  }

  point(event) {
    if (!this.last) return;
    const box = this.svg.getBoundingClientRect();
    const at = (((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
    const minutes = Math.min(1, Math.max(0, at)) * this.last;
    this.cross.setAttribute("x1", this.x(minutes));
    this.cross.setAttribute("x2", this.x(minutes));
    this.cross.setAttribute("visibility", "visible");
    this.read(minutes);
  }

  // The values nearest to a time, in words.
  read(minutes) {
    const parts = this.series.map((points, number) => {
      if (!points.length) return null;
      const near = points.reduce((best, p) => (Math.abs(p.x - minutes) < Math.abs(best.x - minutes) ? p : best));
      const between = this.curves[number].whiskers ? ` (${this.words(near.low)} to ${this.words(near.high)})` : "";
      return `${this.curves[number].name} ${this.words(near.y)}${between}`;
    });
    this.readout.textContent = `${this.across.place(minutes)}: ${parts.filter(Boolean).join(", ")}`;
  }
}
