// The bar of a game that has a pass or is decided by points: prisoners, a pass button, and the score. Where stones can
// be dead it comes at the end, and a click marks them; else it is that of the board as it stands.

import { announce, button, make, show, toast } from "./dom.js";
import { COLOURS, WHITE, capital } from "./names.js";

const WAYS = { stones: "Every stone counts.", area: "Living stones and territory count.", territory: "Territory and prisoners count, dead stones among them." };

export class PointsBar {
  constructor(holder, game) {
    this.game = game;
    this.prisoners = make("p", { class: "prisoners", id: "prisoners" });
    this.pass = button("Pass", () => this.playPass(), { id: "pass", title: "Pass (key p)" });
    this.total = make("p", { class: "score", id: "score" });
    this.note = make("p", { class: "note" });
    this.agree = button("Agree", () => game.send("agree"), { class: "strong", id: "agree" });
    this.suggest = button("Suggest dead stones", () => game.send("suggest_dead"), { id: "suggest" });
    this.resume = button("Continue playing", () => game.send("undo"), { id: "resume-play", title: "Take back the last pass" });
    this.scoring = make("div", { class: "scoring", id: "scoring" }, this.total, this.note,
      make("div", { class: "buttons" }, this.agree, this.suggest, this.resume));
    this.node = make("div", { class: "card points", hidden: true },
      make("div", { class: "buttons" }, this.prisoners, this.pass), this.scoring);
    holder.append(this.node);
    game.on("state", (state) => this.show(state));
    game.on("suggested_dead", ({ count }) => count || toast("Random games find no dead stones.", "good"));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  show(state) {
    const { prisoners, score, game } = state;
    show(this.node, prisoners !== null || score !== null || game.has_pass);
    show(this.prisoners, prisoners !== null);
    if (prisoners) this.prisoners.textContent = `Prisoners taken: black ${prisoners[0]}, white ${prisoners[1]}`;
    show(this.pass, game.has_pass);
    this.pass.disabled = !this.canPass(state);
    show(this.scoring, score !== null);
    if (state.score) this.showScore(state);
  }

  showScore({ score, game, outcome, over }) {
    for (const part of [this.agree, this.suggest, this.resume]) show(part, game.dead_stones);
    const komi = game.komi ? ` (komi ${game.komi})` : "";
    this.total.textContent = `Black ${score.black}, white ${score.white}${komi}${over ? `: ${score.text}` : ""}`;
    const { length } = score.dead;
    const dead = (WAYS[score.scoring] ?? "") + (length ? ` ${length === 1 ? "1 stone is" : `${length} stones are`} marked as dead.` : "");
    if (!game.dead_stones) this.note.textContent = over ? `${dead} ${capital(outcome)}.` : dead;
    else this.note.textContent = score.agreed ? `${dead} Agreed: ${outcome}.`
      : `${dead} Click a stone to mark its group as dead or alive, then agree.`;
    this.agree.disabled = score.agreed;
    if (over && score.text !== this.said) announce(`Score: ${outcome}.`);
    this.said = score.text;
  }

  canPass(state) {
    const busy = state.playing && state.seats[COLOURS[state.to_move ?? WHITE]].player !== "human";
    return state.can_pass && !busy;
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
