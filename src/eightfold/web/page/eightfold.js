// The eightfold view: the position of the game from its eight sides, which of them is canonical, and what a network
// answers to each. A network that has learned the symmetry of the board gives the same answer eight times.

import { Board } from "./board.js";
import { field, make, select, setOptions } from "./dom.js";
import { fitsGame, networkFor } from "./forms.js";
import { looksOf } from "./ground.js";
import { capital, percent, pointName } from "./names.js";

const SHORT = ["Original", "Rotated right", "Rotated by 180°", "Rotated left", "Mirrored left–right", "Mirrored top–bottom",
  "Main diagonal", "Anti-diagonal"];

export class EightfoldView {
  constructor(panel, game) {
    this.game = game;
    this.visible = false;
    this.network = select([], null, () => this.ask());
    this.mode = select([["played", "With its symmetry mode"], ["bare", "The network alone"]], "played",
      () => this.ask());
    this.words = make("p", {});
    this.facts = make("div", { class: "facts" });
    this.verdict = make("div", { class: "verdict", id: "verdict" });
    this.cells = SHORT.map((name, number) => this.cell(name, number));
    panel.append(
      make("div", { class: "intro" },
        make("div", { class: "words" },
          make("h1", {}, "One position, eight sides"),
          this.words,
          this.facts),
        make("div", { class: "card" },
          field("Network", this.network), field("Evaluated", this.mode), this.verdict)),
      make("div", { class: "eight", id: "eight" }, ...this.cells.map((cell) => cell.node)),
    );
    game.on("state", (state) => this.visible && this.follow(state));
    game.on("eightfold", (answer) => this.show(answer));
  }

  cell(name, number) {
    const holder = make("div", { class: "mini" });
    const badge = make("span", { class: "badge", hidden: true }, "canonical");
    const value = make("span", { class: "value" });
    const best = make("span", { class: "best" });
    const node = make("figure", { class: "board-side", "data-side": number }, holder,
      make("figcaption", {}, make("strong", {}, name), badge, make("span", { class: "numbers" }, best, value)));
    return { node, holder, badge, value, best, board: new Board(holder, { coordinates: false, label: name }) };
  }

  setVisible(visible) {
    this.visible = visible;
    if (visible) {
      this.fillNetworks();
      this.ask();
    }
  }

  // Only another game brings another network: who chose none keeps none.
  follow(state) {
    if (state.game.text !== this.filled) this.fillNetworks();
    this.ask();
  }

  fillNetworks() {
    const { menu, state } = this.game;
    this.filled = state?.game.text;
    const networks = menu.players.filter((entry) => entry.is_network);
    const fitting = networks.filter((entry) => state && fitsGame(entry, state.game.text));
    const known = fitting.some((entry) => entry.key === this.network.value);
    const best = state && networkFor(menu, state.game.text);
    const before = known ? this.network.value : best?.key ?? "";
    setOptions(this.network, [["", "None"], ...networks.map((entry) => [entry.key, entry.key, entry.summary])], before);
  }

  ask() {
    if (!this.game.state) return;
    const network = this.network.value || null;
    this.game.send("eightfold", { network, as_played: this.mode.value === "played" });
  }

  show(answer) {
    const { state } = this.game;
    if (!this.visible || answer.node !== state?.node) return;
    const canonical = new Set(answer.canonical);
    this.cells.forEach((cell, number) => { cell.node.hidden = !answer.symmetries.includes(number); });
    answer.sides.forEach((side, k) => {
      const number = answer.symmetries[k]; // a game may have only some of the eight symmetries
      const cell = this.cells[number];
      cell.board.show({ ...looksOf(state.game), stones: side.stones });
      cell.node.classList.toggle("canonical", canonical.has(number));
      cell.badge.hidden = !canonical.has(number);
      cell.node.title = capital(answer.names[number]);
      if (side.policy) {
        cell.board.overlay.show(side.policy, side.best);
        cell.value.textContent = percent((1 + side.value) / 2);
        cell.best.textContent = `${pointName(side.best, state.game)} → ${side.best_on_board}`;
        cell.best.title = "The best move on this side, and where it is on your board";
      } else {
        cell.board.overlay.clear();
        cell.value.textContent = "";
        cell.best.textContent = "";
      }
    });
    this.showFacts(answer);
    this.showVerdict(answer);
  }

  showFacts(answer) {
    const fact = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, value));
    const count = answer.symmetries.length; // of the game
    const all = count === 8 ? "all eight" : count === 2 ? "both" : `all ${count}`;
    const sides = count === 8 ? "These are the eight sides of the position in your game."
      : `The rules of your game have ${count} of the eight symmetries, and these are the sides of its position.`;
    this.words.textContent = `A square board looks the same from eight sides. ${sides} The framed one is the canonical form, which SLAP always chooses.`;
    const symmetry = answer.stabiliser !== "none" ? answer.stabiliser : count > 1 ? `none: ${all} sides differ` : "none";
    this.facts.replaceChildren(make("dl", {},
      fact("Symmetry of the position", symmetry),
      fact("Different sides", String(answer.different)),
      fact("To the canonical form", capital(answer.names[answer.slap]))));
  }

  showVerdict(answer) {
    if (answer.disagreement === undefined) {
      this.verdict.replaceChildren(make("p", { class: "note" }, answer.error ? answer.error : this.network.value
        ? "The game is over: there is no move to evaluate."
        : "Choose a network to see its policy on every side."));
      return;
    }
    const share = answer.disagreement;
    const words = share < 0.0005 ? "The network gives the same answer from all sides."
      : share < 0.1 ? "The network gives nearly the same answer from all sides."
        : share < 0.3 ? "The network's answers differ between the sides."
          : "The network treats the sides as different positions.";
    const meter = make("div", { class: "meter", "aria-hidden": "true" }, make("span", {}));
    meter.firstChild.style.width = `${Math.min(100, 100 * share)}%`;
    this.verdict.replaceChildren(
      make("p", { class: "number" }, make("strong", { id: "disagreement" }, share.toFixed(3)), " disagreement"), meter,
      make("p", {}, words),
      make("p", { class: "note" }, "Mean total variation distance between the eight policies on your board: 0 if all agree, "
        + `1 if no two share a move. Win rates differ by up to ${percent(answer.value_spread / 2)}. Symmetry mode: ${answer.symmetry}.`));
  }
}
