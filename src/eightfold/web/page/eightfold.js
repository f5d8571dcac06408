// The eightfold view: the position of the game in its eight turns, which of them is the canonical one, and what a
// network says to each. A network that has learned the symmetry of the board gives eight times the same answer.

import { Board } from "./board.js";
import { field, make, select, setOptions } from "./dom.js";
import { fitsGame } from "./forms.js";
import { capital, percent, pointName } from "./names.js";

const SHORT = ["As it is", "Turned right", "Half turn", "Turned left", "Left and right", "Top and bottom",
  "Main diagonal", "Anti-diagonal"];

export class EightfoldView {
  constructor(panel, game) {
    this.game = game;
    this.visible = false;
    this.network = select([], null, () => this.ask());
    this.mode = select([["played", "As it plays, with its symmetry mode"], ["bare", "The bare network"]], "played",
      () => this.ask());
    this.facts = make("div", { class: "facts" });
    this.verdict = make("div", { class: "verdict", id: "verdict" });
    this.cells = SHORT.map((name, number) => this.cell(name, number));
    panel.append(
      make("div", { class: "intro" },
        make("div", { class: "words" },
          make("h1", {}, "One position, eight sides"),
          make("p", {}, "A square board looks the same from eight sides. These are the eight faces of the position in your game; "
            + "the framed one is its canonical form, the one that SLAP always chooses."),
          this.facts),
        make("div", { class: "card" },
          field("Network", this.network), field("Asked", this.mode), this.verdict)),
      make("div", { class: "eight", id: "eight" }, ...this.cells.map((cell) => cell.node)),
    );
    game.on("state", () => this.visible && this.ask());
    game.on("eightfold", (answer) => this.show(answer));
  }

  cell(name, number) {
    const holder = make("div", { class: "mini" });
    const badge = make("span", { class: "badge", hidden: true }, "canonical");
    const value = make("span", { class: "value" });
    const best = make("span", { class: "best" });
    const node = make("figure", { class: "turn", "data-turn": number }, holder,
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

  fillNetworks() {
    const { offers, state } = this.game;
    const networks = offers.players.filter((offer) => offer.is_network);
    const fitting = networks.filter((offer) => state && fitsGame(offer, state.game.text));
    const known = fitting.some((offer) => offer.key === this.network.value);
    const best = fitting.find((offer) => offer.game === state.game.text) ?? fitting[0]; // one of its own size first
    const before = known ? this.network.value : best?.key ?? "";
    setOptions(this.network, [["", "None"], ...networks.map((offer) => [offer.key, offer.key, offer.summary])], before);
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
    answer.turns.forEach((turn, k) => {
      const number = answer.symmetries[k]; // a game may have only some of the eight symmetries
      const cell = this.cells[number];
      cell.board.show({ size: answer.size, letters: state.game.letters, stones: turn.stones });
      cell.node.classList.toggle("canonical", canonical.has(number));
      cell.badge.hidden = !canonical.has(number);
      cell.node.title = capital(answer.names[number]);
      if (turn.policy) {
        cell.board.overlay.show(turn.policy, turn.best);
        cell.value.textContent = percent((1 + turn.value) / 2);
        cell.best.textContent = `${pointName(turn.best, state.game)} → ${turn.best_at_home}`;
        cell.best.title = "Its best move on this face, and where that is on your board";
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
    const own = answer.stabiliser === "none" ? "none: all eight faces differ" : answer.stabiliser;
    this.facts.replaceChildren(make("dl", {},
      fact("Symmetry of the position", own),
      fact("Different faces", String(answer.different)),
      fact("To its canonical form", capital(answer.names[answer.slap]))));
  }

  showVerdict(answer) {
    if (answer.disagreement === undefined) {
      this.verdict.replaceChildren(make("p", { class: "note" }, answer.trouble ? answer.trouble : this.network.value
        ? "The game is over here: there is no move to disagree about."
        : "Choose a network to see its policy on every face."));
      return;
    }
    const share = answer.disagreement;
    const words = share < 0.0005 ? "The same answer from all eight sides."
      : share < 0.1 ? "Nearly the same answer from all sides."
        : share < 0.3 ? "It knows the board is square, but not by heart."
          : "It sees eight different positions.";
    const meter = make("div", { class: "meter", "aria-hidden": "true" }, make("span", {}));
    meter.firstChild.style.width = `${Math.min(100, 100 * share)}%`;
    this.verdict.replaceChildren(
      make("p", { class: "number" }, make("strong", { id: "disagreement" }, share.toFixed(3)), " disagreement"), meter,
      make("p", {}, words),
      make("p", { class: "note" }, "Mean total variation distance between the eight policies, turned back: 0 is one voice, "
        + `1 is eight. Values differ by up to ${percent(answer.value_spread / 2)}. Symmetry mode: ${answer.symmetry}.`));
  }
}
