// The view in which one studies a game: what an engine thinks of every point, black's chances over the game, the
// tree of variations, records in and out.

import { button, copyText, field, make, select, toast } from "./dom.js";
import { SeatForm, fitsGame } from "./forms.js";
import { Foresight } from "./foresight.js";
import { ChancesGraph } from "./graph.js";
import { capital, COLOURS, percent, pointName, shortNumber } from "./names.js";
import { VariationTree } from "./tree.js";

export class AnalyseView {
  constructor(panel, game, board) {
    this.game = game;
    this.board = board;
    this.visible = false;
    this.heading = null; // the node that was asked for last, until the server shows it: keys come faster than answers
    this.choose = (node) => {
      this.heading = node;
      game.send("go", { node });
    };
    game.on("state", ({ node }) => { if (node === this.heading) this.heading = null; });
    game.on("error", () => { this.heading = null; });
    this.by = new SeatForm("Engine", game.offers, { human: false, onChange: () => this.engineChanged() });
    this.toggle = button("Think", () => this.setThinking(!this.thinking), { class: "strong", id: "think" });
    this.review = button("Judge the whole game", () => game.send("review", { by: this.by.seat }), { id: "review" });
    this.shown = select([["visits", "Visits and values"], ["policy", "Policy"], ["nothing", "Nothing"]], "visits",
      () => this.drawOverlay());
    this.summary = make("p", { class: "summary", id: "summary" });
    this.variation = make("p", { class: "variation" });
    this.pointed = -1; // the move whose variation is looked at
    this.variation.addEventListener("pointerenter", () => this.hover(this.opinion?.action ?? -1));
    this.variation.addEventListener("pointerleave", () => this.hover(-1));
    this.foresight = new Foresight(game, board, () => this.drawOverlay());
    this.graph = new ChancesGraph(game, this.choose);
    this.tree = new VariationTree(game, this.choose);
    panel.append(
      make("div", { class: "card" }, this.by.node,
        make("div", { class: "buttons" }, this.toggle, this.review), field("On the board", this.shown),
        this.summary, this.variation),
      this.foresight.node,
      make("div", { class: "card" }, make("h2", {}, "Black's chances"), this.graph.node),
      make("div", { class: "card" }, make("h2", {}, "Moves"), this.steps(),
        make("div", { class: "tree-holder", tabindex: 0, "aria-label": "Variations; left and right go through the moves" },
          this.tree.svg)),
      this.records(),
    );
    game.on("state", (state) => this.show(state));
    game.on("analysis", (opinion) => this.hear(opinion));
    game.on("judged", () => game.state && this.show(game.state));
    game.on("sgf", ({ sgf }) => this.download(sgf));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  steps() {
    const step = (text, label, to) => button(text, () => this.step(to), { "aria-label": label, class: "step" });
    this.drop = button("Remove variation", () => this.remove(), { class: "step" });
    return make("div", { class: "buttons" }, step("|◀", "First position", "first"), step("◀", "Back", "back"),
      step("▶", "Forward", "forward"), step("▶|", "Last position", "last"), this.drop);
  }

  records() {
    this.text = make("textarea", { rows: 4, id: "sgf", spellcheck: "false", placeholder: "(;GM[4]SZ[15];B[hh] …) or (;GM[1]SZ[9];B[ee] …)" });
    const load = () => {
      if (!this.text.value.trim()) toast("Paste a game in SGF first");
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
    this.foresight.setVisible(visible);
    if (visible && this.game.state) {
      this.by.fill();
      this.fitEngine(this.game.state);
      this.show(this.game.state);
    } else {
      this.board.overlay?.clear();
      this.board.hideVariation?.();
      if (this.thinking) this.setThinking(false); // nobody looks: let others think
    }
  }

  // What is thought of the position that is looked at.
  get opinion() {
    return this.game.opinions.get(this.game.state?.node);
  }

  // How the engine thinks the game goes on after a move, beginning with it; [] where it did not look.
  lineAfter(action) {
    return this.opinion?.lines.find(([first]) => first === action) ?? [];
  }

  get thinking() {
    return Boolean(this.game.state?.analysing);
  }

  // An engine that can think about this game: a network if there is one, else one that counts visits.
  fitEngine(state) {
    if (this.fitted === state.game.text && fitsGame(this.by.offer, state.game.text)) return;
    this.fitted = state.game.text;
    const { players } = this.game.offers;
    const offer = players.find((known) => known.is_network && fitsGame(known, state.game.text))
      ?? players.find((known) => known.key === "mcts") ?? players[0];
    this.by.seat = { player: offer.key, level: offer.usual };
  }

  show(state) {
    this.toggle.textContent = state.analysing ? "Stop" : "Think";
    this.toggle.setAttribute("aria-pressed", String(Boolean(state.analysing)));
    this.review.disabled = state.reviewing > 0;
    this.review.textContent = state.reviewing ? `Judging, ${state.reviewing} to go` : "Judge the whole game";
    this.drop.disabled = state.node === 0;
    if (!this.visible) return;
    this.fitEngine(state);
    this.graph.show(state);
    this.tree.show(state);
    this.drawOverlay();
  }

  hear(opinion) {
    if (!this.visible) return;
    if (opinion.node === this.game.state?.node) this.drawOverlay();
    this.graph.show(this.game.state);
  }

  drawOverlay() {
    const { state } = this.game;
    const { opinion } = this;
    const covered = this.foresight.hasNumbers; // two numbers on a point could not be read
    if (!this.visible || !opinion || covered || this.shown.value === "nothing" || state.over) {
      this.board.overlay?.clear();
      this.board.hideVariation();
      this.summary.textContent = state?.over ? `${capital(state.outcome)}.` : this.thinking ? "Thinking …" : "";
      this.variation.textContent = "";
      return;
    }
    this.describe(state, opinion);
    const line = this.lineAfter(this.pointed);
    if (line.length) {
      this.board.overlay.clear();
      this.board.showVariation(line, state.to_move);
      return;
    }
    this.board.hideVariation();
    this.board.overlay.show(this.shares(opinion), opinion.action, (action) => this.words(opinion, action));
  }

  // How much each point is liked: by visits, by exact values where nobody counts visits, else by the policy.
  shares(opinion) {
    if (this.shown.value !== "visits") return opinion.policy;
    if (opinion.visits) return opinion.visits;
    return opinion.values?.map((value) => (value === null ? 0 : 1.1 + value)) ?? opinion.policy;
  }

  // The two lines on a point: how good it is, and how much that was looked at, or its exact score.
  words(opinion, action) {
    const share = `${Math.round(100 * opinion.policy[action])}%`;
    if (this.shown.value === "policy" || !(opinion.visits || opinion.values)) return [share, ""];
    const value = opinion.values?.[action];
    const upper = value === undefined || value === null ? share : `${Math.round(50 * (1 + value))}%`;
    if (!opinion.visits) return [upper, String(opinion.scores?.[action] ?? "")];
    return [upper, opinion.visits[action] ? shortNumber(opinion.visits[action]) : ""];
  }

  describe(state, opinion) {
    const { game } = state;
    const depth = opinion.depth ? `, depth ${opinion.depth}` : "";
    this.summary.textContent = `Best ${pointName(opinion.action, game)}; black's chances ${percent(opinion.value)}; `
      + `${shortNumber(opinion.effort)} looked at${depth}, ${opinion.seconds.toFixed(1)} s`
      + (opinion.pass === null ? "" : `; pass ${percent(opinion.pass)}`);
    const line = this.lineAfter(this.pointed);
    const [first, ...rest] = (line.length ? line : this.lineAfter(opinion.action)).map((move) => pointName(move, game));
    this.variation.textContent = !first ? "" : line.length ? `After ${first}: ${rest.join(" ") || "nothing yet"}`
      : `Expects ${[first, ...rest].join(" ")}`;
  }

  // Called for every point the pointer or the cursor comes to, with -1 when it leaves.
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
    this.game.opinions.clear();
    if (this.thinking) this.setThinking(true);
  }

  step(to) {
    const from = this.game.nodes.has(this.heading) ? this.heading : this.game.state.node;
    const line = this.game.line(from);
    const at = line.indexOf(from);
    const target = { first: 0, back: Math.max(0, at - 1), forward: Math.min(line.length - 1, at + 1), last: line.length - 1 }[to];
    if (line[target] !== from) this.choose(line[target]);
  }

  remove() {
    const { state } = this.game;
    if (state.node !== 0 && window.confirm("Remove this move and all that follow?")) {
      this.game.send("remove", { node: state.node });
    }
  }

  key(event) {
    const busy = event.target.closest?.("input, textarea, select, dialog, svg.board");
    const to = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" }[event.key];
    if (!this.visible || busy || !to || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.step(to);
  }

  share() {
    const { state } = this.game;
    if (state.game.set_up) {
      toast("This game began with stones on the board, which a link cannot say; save it as SGF");
      return;
    }
    const names = this.game.moves(state.node).map((move) => pointName(move, state.game)).join("-");
    copyText(`${location.origin}/#position=${state.game.text}&moves=${names}`, "The link is copied");
  }

  download(sgf) {
    const link = make("a", { href: URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" })), download: "game.sgf" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    toast(`Saved: a game of ${COLOURS[1]} and ${COLOURS[2]} in game.sgf`, "good");
  }
}
