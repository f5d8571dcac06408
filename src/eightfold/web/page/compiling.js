// The banner that says which part is compiled, by whom and for how long.

import { make, show } from "./dom.js";
import { capital } from "./names.js";

export class CompilingBanner {
  constructor(node) {
    this.node = node;
    this.tasks = [];
    setInterval(() => this.tick(), 1000);
  }

  // tasks: [{who, part, seconds}], as the server sends them.
  show(tasks) {
    const now = performance.now();
    // Screen readers hear of every part once, and not of every second.
    this.tasks = tasks.map(({ who, part, seconds }) =>
      ({ who, part, since: now - 1000 * seconds, clock: make("span", { "aria-hidden": "true" }) }));
    this.node.replaceChildren(...this.tasks.flatMap(({ who, part, clock }) => [`${capital(who)} compiles ${part}`, clock, ". "]),
      "This happens once on this machine and can take a minute.");
    show(this.node, tasks.length > 0);
    this.tick();
  }

  tick() {
    for (const { since, clock } of this.tasks) {
      clock.textContent = `, ${Math.round((performance.now() - since) / 1000)} s so far`;
    }
  }
}
