// The pattern explorer: how likely every point is by a library of patterns, and for the point that is picked its
// shapes, all shapes that are the same up to a symmetry, and what the library knows of them.

import { announce, field, make, select, setOptions, show } from "./dom.js";
import { readGame } from "./forms.js";
import { COLOURS, capital, percent, pointName } from "./names.js";
import { shapePicture } from "./shape.js";
import { Stepper } from "./stepper.js";

export class PatternsView {
  constructor(panel, game, board) {
    this.game = game;
    this.board = board;
    this.visible = false;
    this.answer = null;
    this.asked = null; // the request that is not answered yet
    this.point = null; // the point that is picked
    this.library = select([], null, () => this.ask());
    this.library.id = "pattern-library";
    this.measure = select([], null, () => this.ask());
    this.measure.id = "pattern-measure";
    this.drawn = select([["probabilities", "Probabilities"], ["nothing", "Nothing"]], "probabilities", () => this.draw());
    this.drawn.id = "pattern-overlay";
    this.summary = make("p", { class: "note", id: "pattern-summary" });
    this.legend = document.getElementById("legend"); // below the board: on a phone the panel is far from it
    this.missing = make("p", { class: "card note", id: "no-patterns" });
    this.controls = make("div", { class: "card" },
      make("div", { class: "fields" }, field("Library", this.library), field("Points by", this.measure), field("On the board", this.drawn)),
      this.summary, make("div", { class: "buttons" }, ...new Stepper(game, () => this.visible).buttons()));
    this.shapes = make("div", { class: "card shapes", id: "shapes" });
    panel.append(this.missing, this.controls, this.shapes);
    game.on("state", (state) => this.visible && this.show(state));
    game.on("patterns", (answer) => this.receive(answer));
    game.on("error", () => { this.asked = null; });
    game.on("connection", () => { this.asked = null; }); // requests over the old one get no answer
  }

  setVisible(visible) {
    this.visible = visible;
    this.board.setPicking(visible ? (action) => this.pick(action) : null);
    if (visible && this.game.state) this.show(this.game.state);
    if (!visible) {
      this.board.overlay?.clear();
      this.board.svg?.classList.remove("single");
      this.board.markBlock(null);
      this.legend.textContent = "";
    }
  }

  get libraries() {
    const { name } = readGame(this.game.state?.game.text ?? "");
    return (this.game.menu.patterns ?? []).filter((library) => library.game === name);
  }

  get chosen() {
    return this.libraries.find((library) => library.key === this.library.value);
  }

  show(state) {
    const { libraries } = this;
    const { name } = readGame(state.game.text);
    show(this.missing, !libraries.length);
    show(this.controls, libraries.length > 0);
    show(this.shapes, libraries.length > 0);
    const others = [...new Set((this.game.menu.patterns ?? []).map((library) => capital(library.game)))];
    const only = others.length ? `, only for ${others.join(", ")}: start such a game under Play` : "";
    this.missing.textContent = `This server has no pattern library for ${capital(name)}${only}. eightfold serve --patterns FILE gives it one.`;
    const key = (this.chosen ?? libraries[0])?.key;
    setOptions(this.library, libraries.map((library) => [library.key, library.key, library.summary]), key);
    const { measures = [] } = this.chosen ?? {};
    const measure = measures.includes(this.measure.value) ? this.measure.value : measures[0];
    setOptions(this.measure, measures.map((each) => [each, each]), measure);
    if (this.answer?.node !== state.node || this.answer?.id !== state.id) {
      if (this.answer?.id !== state.id) this.point = null;
      this.answer = null;
    }
    this.ask();
  }

  // ---- asking

  pick(action) {
    this.point = action;
    this.ask();
  }

  // What an answer must be about to be of use now.
  get wanted() {
    const { state } = this.game;
    return [state?.id, state?.node, this.library.value, this.measure.value, this.point].join(" ");
  }

  ask() {
    if (!this.visible || !this.game.state || !this.chosen) {
      this.answer = null;
      this.draw();
      return;
    }
    const { measures } = this.chosen;
    if (!measures.includes(this.measure.value)) setOptions(this.measure, measures.map((each) => [each, each]), measures[0]);
    if (this.answer?.about === this.wanted || this.asked === this.wanted) {
      this.draw();
      return;
    }
    this.asked = this.wanted;
    this.game.send("patterns", { library: this.library.value, measure: this.measure.value, point: this.point });
  }

  receive(answer) {
    const about = [answer.id, answer.node, answer.library, answer.measure, answer.point].join(" ");
    if (about === this.asked) this.asked = null;
    if (!this.visible || about !== this.wanted) return;
    this.answer = { ...answer, about };
    this.draw();
    if (answer.point !== null) announce(this.pointText(answer).join(" "));
  }

  // ---- showing

  draw() {
    const { answer } = this;
    const { state } = this.game;
    if (!answer || !state) {
      this.board.overlay?.clear();
      this.board.markBlock(null);
      this.summary.textContent = "";
      this.legend.textContent = "";
      this.shapes.replaceChildren(make("p", { class: "note" }, "…"));
      return;
    }
    const { probabilities } = answer;
    const best = probabilities.indexOf(Math.max(...probabilities));
    this.board.svg.classList.add("single"); // one number on a point, in its middle
    if (answer.legal && this.drawn.value === "probabilities") {
      this.board.overlay.show(probabilities, best, (action) => [percentShort(probabilities[action]), ""], 0.0005);
    } else {
      this.board.overlay.clear();
    }
    const first = answer.legal ? `The likeliest of ${answer.legal} legal points is ${pointName(best, state.game)}, ${percent(probabilities[best])}.`
      : "No point is to be played here.";
    this.summary.textContent = `${this.chosen.summary}. ${first}`;
    this.legend.textContent = answer.point === null ? `Probabilities in per cent by ${answer.measure}` : this.pointText(answer).join(" ");
    this.showShapes(answer, state);
  }

  showShapes(answer, state) {
    if (answer.point === null) {
      this.board.markBlock(null);
      this.shapes.replaceChildren(make("h2", {}, "Shapes"),
        make("p", { class: "note" }, "Click a point to see its shapes, or move with the arrow keys and press enter."));
      return;
    }
    const name = pointName(answer.point, state.game);
    const [, ...words] = this.pointText(answer);
    const shown = answer.shapes.map((shape, number) => this.shapeNode(shape, number === 0));
    this.markBlock(answer.shapes[0]);
    const colours = `Black is the side to move${state.to_move === 2 ? `, here ${COLOURS[2]}` : ""}; the diamond is the point to be played. Intervals are of 95 %.`;
    this.shapes.replaceChildren(make("h2", {}, `Shapes at ${name}`), make("p", { class: "rank", id: "pattern-rank" }, words.join(" ")), ...shown,
      ...(shown.length ? [make("p", { class: "note" }, colours)] : []));
  }

  // Frame a shape on the board.
  markBlock(shape) {
    this.board.markBlock(this.point, shape?.block);
  }

  // The name of the point, its rank, and what there is to be said.
  pointText(answer) {
    const name = pointName(answer.point, this.game.state.game);
    const place = answer.rank === null ? [] : [`Rank ${answer.rank} of ${answer.legal} legal points,`,
      `${percent(answer.probabilities[answer.point])} by ${answer.measure}.`];
    return [`${name}:`, ...place, ...(answer.note ? [answer.note] : [])];
  }

  shapeNode(shape, isFirst) {
    const label = `${shape.template}: ${shape.picture.rows.join(" ")}`;
    const fact = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, value));
    const facts = shape.matches === 0 ? [fact("Matches", "never seen")] : [
      fact("Posterior", percent(shape.posterior)),
      fact("Interval", shape.interval.map((end) => (100 * end).toFixed(1)).join(" to ") + "%"),
      ...(shape.elo === null ? [] : [fact("Elo", `${shape.elo > 0 ? "+" : ""}${Math.round(shape.elo)}`)]),
      fact("Plays", shape.plays.toLocaleString("en")),
      fact("Matches", shape.matches.toLocaleString("en")),
    ];
    const { length } = shape.orbit;
    const words = length === 1 ? "Looks the same from all sides" : `${length} ways to lie on a board`;
    const node = make("section", { class: "shape-card", "data-template": shape.template },
      make("h3", {}, shape.template, make("span", { class: "code" }, `code ${shape.code}`)),
      make("div", { class: "shape-facts" }, shapePicture(shape.picture, label), make("dl", {}, ...facts)),
      make("details", { open: isFirst },
        make("summary", {}, words),
        make("div", { class: "orbit" }, ...shape.orbit.map((picture) => shapePicture(picture, picture.rows.join(" "))))));
    node.addEventListener("pointerenter", () => this.markBlock(shape));
    node.addEventListener("focusin", () => this.markBlock(shape));
    node.addEventListener("pointerleave", () => this.markBlock(this.answer?.shapes?.[0]));
    return node;
  }
}

// Short enough for a point of the board.
function percentShort(share) {
  const value = 100 * share;
  return value < 0.05 ? "0" : value < 9.95 ? value.toFixed(1) : String(Math.round(value));
}
