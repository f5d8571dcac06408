// Steps through the moves of a game: four buttons, and the arrow keys while the board does not have the focus.

import { button } from "./dom.js";

export class Stepper {
  // isVisible(): whether the view of the buttons is shown; else the keys are not for it.
  constructor(game, isVisible) {
    this.game = game;
    this.isVisible = isVisible;
    this.target = null; // the node that was selected last, until the server shows it: keys come faster than answers
    game.on("state", ({ node }) => { if (node === this.target) this.target = null; });
    game.on("error", () => { this.target = null; });
    document.addEventListener("keydown", (event) => this.key(event));
  }

  buttons() {
    const step = (text, label, to) => button(text, () => this.step(to), { "aria-label": label, class: "step" });
    return [step("|◀", "First position", "first"), step("◀", "Back", "back"), step("▶", "Forward", "forward"),
      step("▶|", "Last position", "last")];
  }

  choose(node) {
    this.target = node;
    this.game.send("select", { node });
  }

  step(to) {
    const from = this.game.nodes.has(this.target) ? this.target : this.game.state.node;
    const line = this.game.line(from);
    const at = line.indexOf(from);
    const target = { first: 0, back: Math.max(0, at - 1), forward: Math.min(line.length - 1, at + 1), last: line.length - 1 }[to];
    if (line[target] !== from) this.choose(line[target]);
  }

  key(event) {
    const busy = event.target.closest?.("input, textarea, select, dialog, svg.board");
    const to = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" }[event.key];
    if (!this.isVisible() || busy || !to || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.step(to);
  }
}
