// Is the self-play of a run healthy? A panel of the runs view: figures over the games of a run with sick slices shaded,
// and typical boards of a slice beside healthy ones. The server judges only when somebody asks.

import { Chart } from "./charts.js";
import { button, make, show } from "./dom.js";
import { numberOf, percent } from "./names.js";

const GAMES = { key: (entry) => entry.at, unit: "games", place: (game) => `game ${Math.round(game)}` };

export class HealthPanel {
  constructor(onReplay) {
    this.onReplay = onReplay;
    this.ask = button("Look at the games", () => this.load(), { id: "judge-games" });
    this.verdict = make("p", { class: "note", id: "health-verdict", role: "status" });
    this.charts = [
      new Chart("Length", [{ name: "moves", key: (entry) => entry.game_length }], { across: GAMES }),
      new Chart("Shares", [
        { name: "different", key: (entry) => entry.distinct_games },
        { name: "one side wins", key: (entry) => entry.one_sided },
        { name: "same game", key: (entry) => entry.repeated_games },
      ], { top: 1, across: GAMES, words: percent }),
    ];
    this.strip = make("div", { class: "slices", role: "group", "aria-label": "Slices of the run" });
    this.boards = make("div", { class: "diagrams", id: "typical-games" });
    this.found = make("div", { class: "health-found", hidden: true },
      make("div", { class: "charts" }, ...this.charts.map((chart) => chart.node)), this.strip, this.boards);
    this.node = make("div", { class: "card health" },
      make("div", { class: "health-head" }, make("h2", {}, "Is self-play healthy?"), this.ask), this.verdict, this.found);
  }

  // Another run: nothing is known of it yet.
  choose(run) {
    this.run = run;
    this.judged = null;
    this.ask.textContent = "Look at the games";
    this.ask.disabled = false;
    this.verdict.textContent = "Collapsed games are short and one-sided; redundant ones come again and again.";
    show(this.found, false);
  }

  // The run has so many bytes of games by now.
  grown(size) {
    if (this.judged && this.judged.size !== size) this.ask.textContent = "Look again: there are more games";
  }

  async load() {
    const { run } = this;
    this.ask.disabled = true;
    this.verdict.textContent = "Looking at the games ...";
    let answer;
    try {
      const response = await fetch(`/api/runs/${run.number}/health`);
      answer = await response.json();
    } catch {
      answer = { error: "The server does not answer." };
    }
    if (run !== this.run) return;
    this.ask.disabled = false;
    if (answer.error) this.verdict.textContent = answer.error;
    else this.show(answer);
  }

  show(judged) {
    this.judged = judged;
    this.ask.textContent = "Look again";
    const { slices } = judged;
    const healthy = slices.filter((slice) => slice.state === "healthy").length;
    const unreadable = judged.unreadable ? ` ${numberOf(judged.unreadable, "game")} cannot be read.` : "";
    this.verdict.textContent = `${numberOf(judged.games, "game")}; healthy slices: ${healthy} of ${slices.length}.${unreadable}`;
    const steps = slices.flatMap((slice) => [{ ...slice, at: slice.first - 1 }, { ...slice, at: slice.last }]);
    const bands = slices.filter((slice) => slice.warnings.length)
      .map((slice) => ({ from: slice.first - 1, to: slice.last, kind: "sick" }));
    for (const chart of this.charts) chart.show(steps, bands);
    this.chips = slices.map((slice, number) => button("", () => this.pick(number), {
      class: `slice ${slice.warnings.length ? "sick" : slice.state === "healthy" ? "well" : ""}`, title: slice.warnings.join("\n") }));
    this.chips.forEach((chip, number) => chip.append(make("span", {}, `${slices[number].first}–${slices[number].last}`),
      make("strong", {}, slices[number].state)));
    this.strip.replaceChildren(...this.chips);
    show(this.found, true);
    const sick = slices.findLastIndex((slice) => slice.warnings.length);
    this.pick(sick >= 0 ? sick : slices.length - 1);
  }

  pick(number) {
    const slice = this.judged.slices[number];
    const { healthy } = this.judged;
    this.chips.forEach((chip, k) => chip.setAttribute("aria-pressed", k === number));
    const figures = [];
    if (slice.typical) figures.push(this.figure(slice.typical, "Typical", slice));
    if (slice.repeated && slice.repeated.words !== slice.typical?.words) {
      figures.push(this.figure(slice.repeated, "Most frequent", slice));
    }
    if (slice.warnings.length && healthy) {
      figures.push(this.figure(healthy, `Healthy: ${healthy.run}, games ${healthy.first}–${healthy.last}`, null));
    }
    const warnings = slice.warnings.map((warning) => make("p", { class: "alarm" }, warning));
    this.boards.replaceChildren(...warnings, make("div", { class: "diagram-row" }, ...figures));
  }

  // slice: where the game is from; null for a healthy one to compare with.
  figure(game, title, slice) {
    const words = [game.words, game.times].filter(Boolean).join("; ");
    const replay = slice ? button("Replay", () => this.onReplay(game), { class: "link" }) : null;
    return make("figure", { class: `diagram ${slice?.warnings.length ? "sick" : "well"}` },
      make("figcaption", {}, make("strong", {}, title), make("span", {}, words), replay),
      make("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(game.picture)}`, alt: `${title}: ${words}` }));
  }
}
