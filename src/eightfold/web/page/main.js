// Where the page begins: it asks what the server offers, opens the game, and shows the view that the address names.

import { AnalyseView } from "./analyse.js";
import { Board } from "./board.js";
import { make, show, toast } from "./dom.js";
import { EightfoldView } from "./eightfold.js";
import { Game } from "./game.js";
import { BLACK, COLOURS, actionOf, capital } from "./names.js";
import { readGame } from "./forms.js";
import { PointsBar } from "./points.js";
import { PlayView, usualGame, usualSeats } from "./play.js";
import { RunsView } from "./runs.js";

const VIEWS = ["play", "analyse", "eightfold", "runs"];
const THEMES = { auto: "◐", light: "☀", dark: "☾" };
const HUMAN = { player: "human", level: 0 };

const $ = (id) => document.getElementById(id);

function setUpTheme() {
  const names = Object.keys(THEMES);
  const now = () => document.documentElement.dataset.theme ?? "auto";
  const label = () => {
    $("theme").textContent = THEMES[now()];
    $("theme").setAttribute("aria-label", `Colours: ${now()}`);
    $("theme").title = `Colours: ${now()}`;
  };
  $("theme").addEventListener("click", () => {
    const next = names[(names.indexOf(now()) + 1) % names.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    localStorage.setItem("theme", next);
    label();
  });
  label();
}

async function loadOffers() {
  for (let wait = 300; ; wait = Math.min(2 * wait, 5000)) {
    try {
      const response = await fetch("/api/offers");
      if (response.ok) return await response.json();
    } catch {
      // The server may still be starting.
    }
    show($("connection"), true);
    await new Promise((done) => setTimeout(done, wait));
  }
}

// A position that somebody shared: #position=GAME&moves=h8-g7
function sharedPosition(offers) {
  const found = /^#position=([^&]+)&moves=([a-z0-9-]*)$/.exec(decoded(location.hash));
  if (!found) return null;
  const { name, values } = readGame(found[1]);
  const family = offers.games.find((known) => known.name === name);
  const usual = family?.options.find((option) => option.name === "size")?.default;
  const board = { ...family, size: Number(values.size ?? usual ?? 15) };
  const moves = found[2].split("-").filter(Boolean).map((move) => actionOf(move, board));
  return { game: found[1], moves };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function startUsualGame(game) {
  const text = usualGame(game.offers);
  game.send("new", { game: text, ...usualSeats(game.offers, text) });
}

function takeSharedPosition(game) {
  const shared = sharedPosition(game.offers);
  if (!shared) return false;
  if (shared.moves.includes(-1)) {
    toast("This link names a point that is not on its board");
    location.hash = "#play";
    return false;
  }
  game.send("new", { ...shared, black: HUMAN, white: HUMAN, playing: false });
  history.replaceState(null, "", "#analyse");
  return true;
}

async function begin() {
  setUpTheme();
  const game = new Game();
  game.offers = await loadOffers();
  show($("connection"), false);

  let analyse = null;
  const board = new Board($("board"), {
    label: "Board",
    onPlay: (action) => game.send("play", { action }),
    onMark: (action) => game.send("mark", { action }),
    onHover: (action) => analyse?.hover(action),
  });
  game.on("state", showBoard); // before all others: what they draw lies on its stones
  new PointsBar($("points"), game);
  new PlayView($("play-panel"), game, board);
  analyse = new AnalyseView($("analyse-panel"), game, board);
  const eightfold = new EightfoldView($("eightfold-panel"), game);
  const runs = new RunsView($("runs-panel"), game);

  function showBoard(state) {
    const busy = state.playing && state.seats[COLOURS[state.to_move]].player !== "human";
    board.show({
      size: state.game.size, letters: state.game.letters, stones: state.stones, last: state.last, line: state.line,
      forbidden: state.forbidden, ko: state.ko, count: state.count, toMove: state.to_move ?? BLACK,
      canPlay: !state.over && !busy, canMark: state.count !== null,
    });
    const { rule, rules, handicap } = state.game;
    const kind = (rules ? `, ${capital(rules)} rules` : rule ? `, ${rule}` : "") + (handicap > 0 ? `, handicap ${handicap}` : "");
    $("caption").textContent = `${capital(readGame(state.game.text).name)} ${state.game.size}×${state.game.size}${kind}`
      + `, move ${game.nodes.get(state.node)?.depth ?? 0}` + (state.viewers > 1 ? `, ${state.viewers} looking on` : "");
  }

  let view = null;
  function route() {
    if (takeSharedPosition(game)) {
      route();
      return;
    }
    const wanted = location.hash.slice(1);
    if (wanted === "main") return; // the link that skips to the board
    view = VIEWS.includes(wanted) ? wanted : "play";
    for (const link of document.querySelectorAll("nav a")) {
      if (link.dataset.view === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    show($("stage"), view === "play" || view === "analyse");
    show($("play-panel"), view === "play");
    show($("analyse-panel"), view === "analyse");
    show($("eightfold-panel"), view === "eightfold");
    show($("runs-panel"), view === "runs");
    document.title = `Eightfold: ${view}`;
    analyse.setVisible(view === "analyse");
    eightfold.setVisible(view === "eightfold");
    runs.setVisible(view === "runs");
  }

  // The first game on a machine waits for a compiler. Who connects meanwhile is told by the server, else there is none.
  const showCompiling = (text) => {
    $("compiling").textContent = text && `${capital(text)} …`;
    show($("compiling"), text !== "");
  };
  game.on("compiling", ({ text }) => showCompiling(text));
  game.on("connection", (up) => {
    show($("connection"), !up);
    showCompiling("");
  });
  game.on("gone", () => startUsualGame(game));
  // A link may name a game that there is not; then the page begins as usual, but only once.
  let rescued = false;
  game.on("error", ({ about }) => {
    if (about === "new" && !game.state && !rescued) {
      rescued = true;
      startUsualGame(game);
    }
  });
  window.addEventListener("hashchange", route);

  // Networks of runs come while the page is open.
  setInterval(async () => {
    try {
      const response = await fetch("/api/offers");
      if (response.ok) Object.assign(game.offers, await response.json());
    } catch {
      // The banner says so already.
    }
  }, 15000);

  route();
  if (!game.socket.id && !game.socket.waiting.length) startUsualGame(game);
  game.socket.open();

  // For tests and for the curious: how long an overlay takes, and what the page knows.
  window.eightfold = { game, board, measureOverlay: (count) => measureOverlay(board, count) };
}

// Median milliseconds of full overlay updates, every point different each time, with the layout they cause.
function measureOverlay(board, count = 50) {
  const points = board.size * board.size;
  const times = [];
  for (let k = 0; k < count; k++) {
    const shares = Array.from({ length: points }, () => 0.5 + Math.random());
    const begin = performance.now();
    board.overlay.show(shares, Math.floor(Math.random() * points),
      (action) => [`${Math.round(100 * shares[action])}%`, `${Math.round(1000 * shares[action])}`], 0);
    board.svg.getBoundingClientRect();
    times.push(performance.now() - begin);
  }
  board.overlay.clear();
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)];
}

begin().catch((error) => {
  console.error(error);
  $("toasts").append(make("div", { class: "toast error" }, `The page failed to start: ${error.message}`));
});
