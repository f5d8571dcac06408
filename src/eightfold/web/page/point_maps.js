// The panel of point maps: predictions for every point, drawn over the board. Random games and networks predict
// ownership; an Internal Symmetry Network predicts eyes and captures. It shows one map of one source at a time.

import { field, make, select, setOptions, show } from "./dom.js";
import { readGame } from "./forms.js";

export class PointMaps {
  constructor(game, board, onChange) {
    this.game = game;
    this.onChange = onChange; // called when numbers appear on the points, or go
    this.board = board;
    this.visible = false;
    this.answer = null;
    this.asked = null; // the state of the request that is not answered yet
    this.source = select([["", "Nothing"]], "", () => this.sourceChanged());
    this.source.id = "map-source";
    this.choice = select([], null, () => this.draw());
    this.legend = document.getElementById("legend"); // below the board: on a phone the panel is far from it
    this.choice.id = "map";
    this.mapField = field("Map", this.choice);
    this.note = make("p", { class: "note", id: "map-note" });
    this.node = make("div", { class: "card" }, make("h2", {}, "Predictions"),
      field("By", this.source), this.mapField, this.note);
    game.on("state", (state) => this.show(state));
    game.on("maps", (answer) => this.receive(answer));
    game.on("error", () => this.forget());
    game.on("connection", () => this.forget()); // requests over the old one get no answer
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
    return this.map !== null && !this.map.ownership;
  }

  get sources() {
    const { name } = readGame(this.game.state?.game.text ?? "");
    return (this.game.menu.maps ?? []).filter((source) => source.game === name);
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
    if (this.asked?.id === state.id) return; // another request may follow its answer
    this.asked = state;
    this.game.send("maps", { source: this.source.value });
  }

  receive(answer) {
    const { state } = this.game;
    if (answer.source !== this.source.value || answer.id !== state?.id) return;
    this.asked = null;
    if (answer.node !== state.node) {
      this.ask(); // the game continued meanwhile
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
      this.note.textContent = this.asked ? "Computing …" : "";
      return;
    }
    const scored = map.ownership && this.game.state.score; // its squares are on the board already
    const meaning = scored ? "The squares show the score" : map.ownership ? "A larger square means a surer owner"
      : `Likelihood in per cent: ${map.help}`;
    this.note.textContent = `${meaning}; ${this.answer.note}.`;
    if (scored) {
      this.erase();
      return;
    }
    this.board.maps.show(map);
    this.legend.textContent = meaning;
  }
}
