// What a game that is decided by points needs below the board: prisoners, a pass, and the count at the end, with dead
// stones marked by clicking on them.

import { announce, button, make, show, toast } from "./dom.js";
import { COLOURS, WHITE } from "./names.js";

const WAYS = { area: "Living stones and territory count.", territory: "Territory and prisoners count, dead stones among them." };

export class PointsBar {
  constructor(holder, game) {
    this.game = game;
    this.prisoners = make("p", { class: "prisoners", id: "prisoners" });
    this.pass = button("Pass", () => this.playPass(), { id: "pass", title: "Pass (key p)" });
    this.score = make("p", { class: "score", id: "score" });
    this.note = make("p", { class: "note" });
    this.agree = button("Agree", () => game.send("agree"), { class: "strong", id: "agree" });
    this.suggest = button("Suggest dead stones", () => game.send("suggest"), { id: "suggest" });
    this.resume = button("Play on", () => game.send("undo"), { id: "resume-play", title: "Take back the last pass" });
    this.counting = make("div", { class: "counting", id: "counting" }, this.score, this.note,
      make("div", { class: "buttons" }, this.agree, this.suggest, this.resume));
    this.node = make("div", { class: "card points", hidden: true },
      make("div", { class: "buttons" }, this.prisoners, this.pass), this.counting);
    holder.append(this.node);
    game.on("state", (state) => this.show(state));
    game.on("suggested", ({ dead }) => dead || toast("Random games find no dead stones", "good"));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  show(state) {
    show(this.node, state.prisoners !== null);
    if (!state.prisoners) return;
    const [black, white] = state.prisoners;
    this.prisoners.textContent = `Prisoners taken: black ${black}, white ${white}`;
    this.pass.disabled = !this.canPass(state);
    show(this.counting, state.count !== null);
    if (state.count) this.showCount(state);
  }

  showCount({ count, game, outcome }) {
    const komi = game.komi ? ` (komi ${game.komi})` : "";
    this.score.textContent = `Black ${count.black}, white ${count.white}${komi}: ${count.text}`;
    const { length } = count.dead;
    const dead = WAYS[count.scoring] + (length ? ` ${length === 1 ? "1 stone is" : `${length} stones are`} marked as dead.` : "");
    this.note.textContent = count.agreed ? `${dead} Counted, and agreed: ${outcome}.`
      : `${dead} Click a stone to mark its group as dead, or alive again; then agree.`;
    this.agree.disabled = count.agreed;
    if (count.text !== this.said) announce(`Counted: ${outcome}.`);
    this.said = count.text;
  }

  canPass(state) {
    const busy = state.playing && state.seats[COLOURS[state.to_move ?? WHITE]].player !== "human";
    return state.game.has_pass && !state.over && !busy;
  }

  playPass() {
    const { state } = this.game;
    if (state && this.canPass(state)) this.game.send("play", { action: state.game.size ** 2 });
  }

  key(event) {
    const busy = event.target.closest?.("input, textarea, select, dialog");
    if (event.key !== "p" || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.node.hidden || this.node.closest("[hidden]")) return;
    event.preventDefault();
    this.playPass();
  }
}
