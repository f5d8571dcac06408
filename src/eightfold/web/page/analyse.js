// The analyse view: what an engine thinks of every point, the win rate over the game, the tree of variations, and
// records in and out.

import { button, copyText, field, make, select, toast } from "./dom.js";
import { SeatForm, fitsGame, networkFor } from "./forms.js";
import { WinRateGraph } from "./graph.js";
import { capital, numberOf, percent, pointName, shortNumber } from "./names.js";
import { PointMaps } from "./point_maps.js";
import { Stepper } from "./stepper.js";
import { VariationTree } from "./tree.js";

export class AnalyseView {
  constructor(panel, game, board) {
    this.game = game;
    this.board = board;
    this.visible = false;
    this.stepper = new Stepper(game, () => this.visible);
    this.choose = (node) => this.stepper.choose(node);
    this.by = new SeatForm("Engine", game.menu, { human: false, onChange: () => this.engineChanged() });
    this.toggle = button("Think", () => this.setThinking(!this.thinking), { class: "strong", id: "think" });
    this.review = button("Review the whole game", () => game.send("review", { by: this.by.seat }), { id: "review" });
    this.shown = select([["visits", "Visits and values"], ["policy", "Policy"], ["nothing", "Nothing"]], "visits",
      () => this.drawOverlay());
    this.summary = make("p", { class: "summary", id: "summary" });
    this.variation = make("p", { class: "variation" });
    this.pointed = -1; // the move whose variation is shown
    this.variation.addEventListener("pointerenter", () => this.hover(this.assessment?.action ?? -1));
    this.variation.addEventListener("pointerleave", () => this.hover(-1));
    this.pointMaps = new PointMaps(game, board, () => this.drawOverlay());
    this.graph = new WinRateGraph(game, this.choose);
    this.tree = new VariationTree(game, this.choose);
    panel.append(
      make("div", { class: "card" }, this.by.node,
        make("div", { class: "buttons" }, this.toggle, this.review), field("On the board", this.shown),
        this.summary, this.variation),
      this.pointMaps.node,
      make("div", { class: "card" }, make("h2", {}, "Black's win rate"), this.graph.node),
      make("div", { class: "card" }, make("h2", {}, "Moves"), this.steps(),
        make("div", { class: "tree-holder", tabindex: 0, "aria-label": "Variations; the left and right keys step through the moves" },
          this.tree.svg)),
      this.records(),
    );
    game.on("state", (state) => this.show(state));
    game.on("analysis", (assessment) => this.update(assessment));
    game.on("evaluation", () => game.state && this.show(game.state));
    game.on("sgf", ({ sgf }) => this.download(sgf));
  }

  steps() {
    this.drop = button("Remove variation", () => this.remove(), { class: "step" });
    return make("div", { class: "buttons" }, ...this.stepper.buttons(), this.drop);
  }

  records() {
    this.text = make("textarea", { rows: 4, id: "sgf", spellcheck: "false", placeholder: "(;GM[4]SZ[15];B[hh] …) or (;GM[1]SZ[9];B[ee] …)" });
    const load = () => {
      if (!this.text.value.trim()) toast("Paste a game in SGF first.");
      else this.game.send("load", { sgf: this.text.value });
    };
    return make("div", { class: "card" }, make("h2", {}, "Records"), field("Paste SGF", this.text),
      make("div", { class: "buttons" }, button("Open", load, { id: "load" }),
        button("Save SGF", () => this.game.send("save"), { id: "save" }),
        button("Copy link to position", () => this.share(), { id: "share" })));
  }

  // ---- showing

  setVisible(visible) {
    this.visible = visible;
    this.pointMaps.setVisible(visible);
    if (visible && this.game.state) {
      this.by.fill();
      this.fitEngine(this.game.state);
      this.show(this.game.state);
    } else {
      this.board.overlay?.clear();
      this.board.hideVariation?.();
      if (this.thinking) this.setThinking(false); // nobody sees it: free the workers
    }
  }

  // The analysis of the position that is shown.
  get assessment() {
    return this.game.assessments.get(this.game.state?.node);
  }

  // The line that the engine expects, beginning with a move; [] where it did not search.
  lineAfter(action) {
    return this.assessment?.lines.find(([first]) => first === action) ?? [];
  }

  get thinking() {
    return Boolean(this.game.state?.analysing);
  }

  // Choose an engine that can play this game: a network if there is one, else one that counts visits.
  fitEngine(state) {
    if (this.fitted === state.game.text && fitsGame(this.by.entry, state.game.text)) return;
    this.fitted = state.game.text;
    const { players } = this.game.menu;
    const entry = networkFor(this.game.menu, state.game.text)
      ?? players.find((known) => known.key === "mcts") ?? players[0];
    this.by.seat = { player: entry.key, level: entry.default_level };
  }

  show(state) {
    this.toggle.textContent = state.analysing ? "Stop" : "Think";
    this.toggle.setAttribute("aria-pressed", String(Boolean(state.analysing)));
    this.review.disabled = state.reviewing > 0;
    this.review.textContent = state.reviewing ? `Reviewing, ${numberOf(state.reviewing, "position")} left` : "Review the whole game";
    this.drop.disabled = state.node === 0;
    if (!this.visible) return;
    this.fitEngine(state);
    this.graph.show(state);
    this.tree.show(state);
    this.drawOverlay();
  }

  update(assessment) {
    if (!this.visible) return;
    if (assessment.node === this.game.state?.node) this.drawOverlay();
    this.graph.show(this.game.state);
  }

  drawOverlay() {
    const { state } = this.game;
    const { assessment } = this;
    const covered = this.pointMaps.hasNumbers; // two numbers on a point would be unreadable
    if (!this.visible || !assessment || covered || this.shown.value === "nothing" || state.over) {
      this.board.overlay?.clear();
      this.board.hideVariation();
      this.summary.textContent = state?.over ? `${capital(state.outcome)}.` : this.thinking ? "Thinking …" : "";
      this.variation.textContent = "";
      return;
    }
    this.describe(state, assessment);
    const line = this.lineAfter(this.pointed);
    if (line.length) {
      this.board.overlay.clear();
      this.board.showVariation(line, state.to_move);
      return;
    }
    this.board.hideVariation();
    this.board.overlay.show(this.shares(assessment), assessment.action, (action) => this.pointTexts(assessment, action));
  }

  // The share of each point: of visits, of exact values where there are no visits, else of the policy.
  shares(assessment) {
    if (this.shown.value !== "visits") return assessment.policy;
    if (assessment.visits) return assessment.visits;
    return assessment.values?.map((value) => (value === null ? 0 : 1.1 + value)) ?? assessment.policy;
  }

  // The two lines on a point: its win rate, and its visits or its exact score.
  pointTexts(assessment, action) {
    const share = `${Math.round(100 * assessment.policy[action])}%`;
    if (this.shown.value === "policy" || !(assessment.visits || assessment.values)) return [share, ""];
    const value = assessment.values?.[action];
    const upper = value === undefined || value === null ? share : `${Math.round(50 * (1 + value))}%`;
    if (!assessment.visits) return [upper, String(assessment.scores?.[action] ?? "")];
    return [upper, assessment.visits[action] ? shortNumber(assessment.visits[action]) : ""];
  }

  describe(state, assessment) {
    const { game } = state;
    const depth = assessment.depth ? `, depth ${assessment.depth}` : "";
    this.summary.textContent = `Best ${pointName(assessment.action, game)}; black wins ${percent(assessment.value)}; `
      + `${numberOf(shortNumber(assessment.effort), "position")}${depth}, ${assessment.seconds.toFixed(1)} s`
      + (assessment.pass === null ? "" : `; pass ${percent(assessment.pass)}`);
    const line = this.lineAfter(this.pointed);
    const [first, ...rest] = (line.length ? line : this.lineAfter(assessment.action)).map((move) => pointName(move, game));
    this.variation.textContent = !first ? "" : line.length ? `After ${first}: ${rest.join(" ") || "no line yet"}`
      : `Expects ${[first, ...rest].join(" ")}`;
  }

  // Called for every point that the pointer or the cursor enters, with -1 when it leaves.
  hover(action) {
    if (action === this.pointed) return;
    const before = this.lineAfter(this.pointed).length;
    this.pointed = action;
    if (this.visible && (before || this.lineAfter(action).length)) this.drawOverlay();
  }

  // ---- doing

  setThinking(on) {
    this.game.send("analyse", on ? { on, by: this.by.seat } : { on });
  }

  engineChanged() {
    this.game.assessments.clear();
    if (this.thinking) this.setThinking(true);
  }

  remove() {
    const { state } = this.game;
    if (state.node !== 0 && window.confirm("Remove this move and all that follow?")) {
      this.game.send("remove", { node: state.node });
    }
  }

  share() {
    const { state } = this.game;
    if (state.game.set_up) {
      toast("This game starts with stones on the board. A link cannot hold them; save the game as SGF.");
      return;
    }
    const names = this.game.moves(state.node).map((move) => pointName(move, state.game)).join("-");
    copyText(`${location.origin}/#position=${state.game.text}&moves=${names}`, "Link copied.");
  }

  download(sgf) {
    const link = make("a", { href: URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" })), download: "game.sgf" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    toast("Saved the game as game.sgf.", "good");
  }
}
