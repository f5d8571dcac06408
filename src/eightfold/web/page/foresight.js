// What is foreseen for every point, laid over the board: owners by random games, and what an Internal Symmetry Network
// says of eyes and captures. One source at a time, and one of its maps.

import { field, make, select, setOptions, show } from "./dom.js";
import { readGame } from "./forms.js";

export class Foresight {
  constructor(game, board, onChange) {
    this.game = game;
    this.onChange = onChange; // when numbers come to lie on the points, or go
    this.board = board;
    this.visible = false;
    this.answer = null;
    this.asked = null; // the state that was asked about and not answered yet
    this.source = select([["", "Nothing"]], "", () => this.sourceChanged());
    this.source.id = "map-source";
    this.choice = select([], null, () => this.draw());
    this.legend = document.getElementById("legend"); // below the board: on a phone the choice is far from it
    this.choice.id = "map";
    this.mapField = field("Map", this.choice);
    this.note = make("p", { class: "note", id: "map-note" });
    this.node = make("div", { class: "card" }, make("h2", {}, "Foresight"),
      field("By", this.source), this.mapField, this.note);
    game.on("state", (state) => this.show(state));
    game.on("maps", (answer) => this.hear(answer));
    game.on("error", () => this.forget());
    game.on("connection", () => this.forget()); // what was asked over the old one is not answered any more
  }

  setVisible(visible) {
    this.visible = visible;
    if (visible && this.game.state) this.show(this.game.state);
    else this.erase();
  }

  forget() {
    this.asked = null;
    if (!this.answer) this.note.textContent = "";
  }

  erase() {
    this.board.maps?.clear();
    this.legend.textContent = "";
  }

  // The map that is shown, or null.
  get map() {
    return this.visible && this.source.value ? this.answer?.maps[Number(this.choice.value || 0)] ?? null : null;
  }

  get hasNumbers() {
    return this.map !== null && !this.map.owners;
  }

  get sources() {
    const { name } = readGame(this.game.state?.game.text ?? "");
    return (this.game.offers.maps ?? []).filter((source) => source.game === name);
  }

  show(state) {
    const { sources } = this;
    show(this.node, sources.length > 0);
    const chosen = sources.some((source) => source.key === this.source.value) ? this.source.value : "";
    setOptions(this.source, [["", "Nothing"], ...sources.map((source) => [source.key, source.key, source.summary])], chosen);
    if (this.answer?.node !== state.node || this.answer?.id !== state.id) this.answer = null;
    this.ask();
    this.draw();
  }

  sourceChanged() {
    this.answer = null;
    this.asked = null;
    this.ask();
    this.draw();
  }

  ask() {
    const { state } = this.game;
    if (!this.visible || !this.source.value || !state || this.answer) return;
    if (this.asked?.id === state.id) return; // its answer comes, and another question may follow it
    this.asked = state;
    this.game.send("maps", { source: this.source.value });
  }

  hear(answer) {
    const { state } = this.game;
    if (answer.source !== this.source.value || answer.id !== state?.id) return;
    this.asked = null;
    if (answer.node !== state.node) {
      this.ask(); // the game went on meanwhile
      return;
    }
    this.answer = answer;
    const names = answer.maps.map((map, number) => [number, map.name, map.help]);
    setOptions(this.choice, names, Math.min(Number(this.choice.value || 0), names.length - 1));
    this.draw();
  }

  draw() {
    const { map } = this;
    show(this.mapField, (this.answer?.maps.length ?? 0) > 1);
    if (this.hasNumbers !== this.covering) {
      this.covering = this.hasNumbers;
      this.onChange();
    }
    if (!map) {
      this.erase();
      this.note.textContent = this.asked ? "Looking …" : "";
      return;
    }
    const counted = map.owners && this.game.state.count; // its squares are there already
    const meaning = counted ? "The squares show the count" : map.owners ? "The larger a square, the surer its owner"
      : `How likely, in per cent: ${map.help}`;
    this.note.textContent = `${meaning}; ${this.answer.note}.`;
    if (counted) {
      this.erase();
      return;
    }
    this.board.maps.show(map);
    this.legend.textContent = meaning;
  }
}
