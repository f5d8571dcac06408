// The runs view: the curves of a training run as they grow, and its self-play games.

import { Board } from "./board.js";
import { Chart } from "./charts.js";
import { ClusterPanel } from "./cluster.js";
import { button, field, make, select, setOptions } from "./dom.js";
import { HealthPanel } from "./health.js";
import { COLOURS, capital, numberOf, pointName } from "./names.js";
import { boardSize, readGame } from "./forms.js";
import { looksOf } from "./ground.js";

const REFRESH = 2000; // milliseconds between two refreshes of the run
const PACE = 350; // milliseconds per move of a replay
const OPPONENTS = { mcts: "against mcts", earlier: "against its earlier self", shipped: "against the shipped network" };

export class RunsView {
  constructor(panel, game) {
    this.game = game;
    this.visible = false;
    this.run = null;
    this.chosen = select([], null, () => this.choose(Number(this.chosen.value)));
    this.facts = make("p", { class: "note", id: "run-facts" });
    this.scores = make("p", { class: "number", id: "run-score" });
    this.charts = [
      new Chart("Loss", [
        { name: "policy", key: (entry) => entry.policy_loss },
        { name: "value", key: (entry) => entry.value_loss },
        { name: "validation", key: (entry) => entry.validation_loss },
        { name: "ownership", key: (entry) => entry.ownership_loss ?? entry.owners_loss }, // as earlier runs name it
      ]),
      new Chart("Score", [
        { name: OPPONENTS.mcts, whiskers: true,
          key: ({ evaluation }) => evaluation?.mcts?.ci95 && [evaluation.mcts.score, ...evaluation.mcts.ci95] },
        { name: OPPONENTS.earlier, key: (entry) => entry.evaluation?.earlier?.score },
        { name: OPPONENTS.shipped, key: (entry) => entry.evaluation?.shipped?.score },
      ], { top: 1 }),
      new Chart("Learning rate", [{ name: "rate", key: (entry) => entry.learning_rate }]),
      new Chart("Games a second", [{ name: "games/s", key: (entry) => entry.games_per_s }]),
      new Chart("Game length", [{ name: "moves", key: (entry) => entry.game_length }]),
      new Chart("Results", [
        { name: "black wins", key: (entry) => entry.black_wins },
        { name: "white wins", key: (entry) => entry.white_wins },
        { name: "draws", key: (entry) => entry.draws },
      ], { top: 1 }),
    ];
    this.none = make("p", { class: "empty" }, "This server watches no run. Start it with ",
      make("code", {}, "eightfold serve --run runs/quick"), " to see a run here while it trains.");
    this.health = new HealthPanel((game) => this.replay(game));
    this.cluster = new ClusterPanel();
    this.body = make("div", { class: "wide" }, make("div", { class: "charts" }, ...this.charts.map((chart) => chart.node)),
      this.cluster.node, this.health.node, this.replayer());
    panel.append(make("div", { class: "intro" }, make("div", { class: "words" }, make("h1", {}, "Training runs"), this.facts,
      this.scores), make("div", { class: "card" }, field("Run", this.chosen))), this.none, this.body);
  }

  replayer() {
    this.holder = make("div", { class: "replay-board" });
    this.slider = make("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Move",
      oninput: () => { this.pause(); this.showPly(Number(this.slider.value)); } });
    this.player = button("Play", () => (this.timer ? this.pause() : this.playGame()), { class: "step" });
    this.caption = make("p", { class: "note" });
    this.list = make("ol", { class: "games", id: "selfplay-games", "aria-label": "Latest self-play games" });
    return make("div", { class: "card replay" },
      make("div", {}, make("h2", {}, "Latest self-play games"), this.list),
      make("div", {}, this.holder, make("div", { class: "buttons" }, this.player, this.slider), this.caption,
        button("Analyse this game", () => this.analyse(), { id: "analyse-game" })));
  }

  async setVisible(visible) {
    this.visible = visible;
    clearTimeout(this.poll);
    if (!visible) {
      this.pause();
      return;
    }
    await this.refreshRuns();
    this.refresh();
  }

  // anew: what is known of the chosen run is out of date, whatever its game is.
  async refreshRuns({ anew = false } = {}) {
    const runs = await fetchJson("/api/runs");
    if (!runs) return;
    this.runs = runs;
    this.none.hidden = runs.length > 0;
    this.body.hidden = runs.length === 0;
    this.chosen.closest(".card").hidden = runs.length === 0;
    const number = this.run?.number ?? 0;
    const names = runs.map((run) => [run.number, run.name]);
    if (String(names) !== this.named) setOptions(this.chosen, names, number); // a list that is open stays open
    this.named = String(names);
    if (runs.length && (anew || !this.run || runs[number].game !== this.run.game)) this.choose(number);
  }

  choose(number) {
    this.run = this.runs[number];
    this.entries = [];
    this.next = 0;
    this.forgetGames();
    this.health.choose(this.run);
    this.cluster.show(null);
    const { game, network, symmetry, seed, minutes } = this.run;
    this.facts.textContent = [game, network, symmetry && `symmetry ${symmetry}`, seed !== undefined && `seed ${seed}`,
      minutes && numberOf(minutes, "minute")].filter(Boolean).join(" · ");
    clearTimeout(this.poll);
    if (this.visible) this.refresh();
  }

  // Read the run once, and again a little later.
  async refresh() {
    clearTimeout(this.poll);
    const number = (this.refreshes = (this.refreshes ?? 0) + 1); // only the latest one counts: two would add everything twice
    if (this.run && !this.run.game) await this.refreshRuns(); // a run that has not begun does not say yet what it plays
    const { run } = this;
    if (run && number === this.refreshes) {
      const curves = await fetchJson(`/api/runs/${run.number}/curves?after=${this.next}`);
      const games = await fetchJson(`/api/runs/${run.number}/games`);
      if (run !== this.run || number !== this.refreshes) return;
      if (curves?.restarted) {
        await this.refreshRuns({ anew: true }); // another run took its place
      } else {
        if (curves) this.take(curves);
        if (games && games.size !== this.gamesSize) this.takeGames(games);
      }
    }
    if (this.visible && number === this.refreshes) this.poll = setTimeout(() => this.refresh(), REFRESH);
  }

  take({ entries, next }) {
    this.next = next;
    if (!entries.length && this.entries.length) return;
    this.entries.push(...entries);
    for (const chart of this.charts) chart.show(this.entries);
    this.cluster.show(this.entries.findLast((entry) => entry.nodes));
    const last = this.entries.findLast((entry) => entry.policy_loss !== undefined) ?? this.entries.at(-1);
    const measured = this.entries.findLast((entry) => entry.evaluation?.mcts?.ci95)?.evaluation;
    const words = [last && `${last.minutes.toFixed(1)} minutes, ${numberOf(last.games, "game")}`,
      ...Object.keys(OPPONENTS).map((name) => measured?.[name] && `${OPPONENTS[name]}: ${scoreWords(measured[name])}`)];
    this.scores.textContent = words.filter(Boolean).join(" · ") || "The run has written nothing yet.";
  }

  // ---- games

  // Another run: nothing of the games of the one before is left.
  forgetGames() {
    this.pause();
    this.gamesSize = -1;
    this.replayed = null;
    this.slider.max = 0;
    this.caption.textContent = "";
    this.list.replaceChildren();
    this.holder.replaceChildren();
    this.board = new Board(this.holder, { label: "Self-play game" });
  }

  takeGames({ games, size }) {
    this.gamesSize = size;
    this.health.grown(size);
    this.list.replaceChildren(...games.map((game) => {
      const result = game.result in COLOURS ? `${capital(COLOURS[game.result])} wins` : "Draw";
      return make("li", {}, button(`${result} in ${game.moves.length}`, () => this.replay(game), { class: "link" }));
    }));
    if (!this.replayed && games.length) this.replay(games[0], false);
  }

  replay(game, moving = true) {
    this.pause();
    if (moving) this.holder.scrollIntoView({ block: "nearest" });
    this.replayed = game;
    const { name, values } = readGame(this.replayedText);
    const family = this.game.menu.games.find((known) => known.name === name);
    this.kind = { ...family, size: boardSize(family, values) };
    this.slider.max = game.moves.length;
    this.showPly(moving ? 0 : game.moves.length);
    if (moving) this.playGame();
  }

  // The text of the game that is replayed: its own where it was played by other rules than the run's.
  get replayedText() {
    return this.replayed.game ?? this.run.game ?? "";
  }

  showPly(ply) {
    if (!this.replayed) return;
    const { moves, opening, start, changes, error } = this.replayed;
    this.slider.value = ply;
    if (error) {
      this.caption.textContent = error;
      return;
    }
    const stones = [...start];
    for (const [point, stone] of changes.slice(0, ply).flat()) stones[point] = String(stone);
    const last = ply ? moves[ply - 1] : null;
    this.board.show({ ...looksOf(this.kind), stones: stones.join(""), last });
    const random = opening ? `, the first ${opening} random` : "";
    this.caption.textContent = `Move ${ply} of ${moves.length}${last === null ? "" : `: ${pointName(last, this.kind)}`}${random}`;
  }

  playGame() {
    if (!this.replayed) return;
    if (Number(this.slider.value) >= this.replayed.moves.length) this.showPly(0);
    this.player.textContent = "Pause";
    this.timer = setInterval(() => {
      const ply = Number(this.slider.value) + 1;
      if (ply > this.replayed.moves.length) this.pause();
      else this.showPly(ply);
    }, PACE);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.player.textContent = "Play";
  }

  analyse() {
    if (!this.replayed || !this.replayedText) return;
    const human = { player: "human", level: 0 };
    this.game.send("new", { game: this.replayedText, moves: this.replayed.moves, black: human, white: human, playing: false });
    location.hash = "#analyse";
  }
}

// The score of an evaluation with its interval, and the results where they are told apart.
function scoreWords({ score, ci95, wins, draws, losses }) {
  const results = wins === undefined ? "" : `, ${wins} won, ${draws} drawn, ${losses} lost`;
  return `score ${score.toFixed(3)} (${ci95.map((bound) => bound.toFixed(2)).join(" to ")})${results}`;
}

async function fetchJson(path) {
  try {
    const response = await fetch(path);
    return response.ok ? await response.json() : null;
  } catch {
    return null; // the server is away for a moment; the next refresh shows it
  }
}
