// The start of the page: it loads the menu of the server, opens the game, and shows the view that the address names.

import { AnalyseView } from "./analyse.js";
import { Board } from "./board.js";
import { CompilingBanner } from "./compiling.js";
import { make, show, toast } from "./dom.js";
import { EightfoldView } from "./eightfold.js";
import { Game } from "./game.js";
import { looksOf } from "./ground.js";
import { BLACK, COLOURS, actionOf, capital } from "./names.js";
import { boardSize, readGame } from "./forms.js";
import { PatternsView } from "./patterns.js";
import { PointsBar } from "./points.js";
import { PlayView, defaultGame, defaultSeats } from "./play.js";
import { RunsView } from "./runs.js";

const VIEWS = ["play", "analyse", "patterns", "eightfold", "runs"];
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

async function loadMenu() {
  for (let wait = 300; ; wait = Math.min(2 * wait, 5000)) {
    try {
      const response = await fetch("/api/menu");
      if (response.ok) return await response.json();
    } catch {
      // The server may still be starting.
    }
    show($("connection"), true);
    await new Promise((done) => setTimeout(done, wait));
  }
}

// A shared position: #position=GAME&moves=h8-g7
const SHARED = "#position=";

function sharedPosition(menu) {
  const found = /^#position=([^&]+)(?:&moves=([a-z0-9-]*))?$/.exec(decoded(location.hash));
  if (!found) return null;
  const { name, values } = readGame(found[1]);
  const family = menu.games.find((known) => known.name === name);
  const board = { ...family, size: boardSize(family, values) };
  const sizes = family?.options.find((option) => option.name === "size");
  const fits = !sizes || (sizes.least <= board.size && board.size <= sizes.most); // else the server says what is wrong
  const moves = fits ? (found[2] ?? "").split("-").filter(Boolean).map((move) => actionOf(move, board)) : [];
  return { game: found[1], moves };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function startDefaultGame(game) {
  const text = defaultGame(game.menu);
  game.send("new", { game: text, ...defaultSeats(game.menu, text) });
}

// The server has lost the game, because it was started again, say. A new one takes over what a message can tell: neither
// stones that were set up nor the stage of an opening. Returns whether it was asked for with the players of before.
function replaceLostGame(game, text) {
  const { state } = game;
  if (!state) {
    startDefaultGame(game);
  } else if (state.game.set_up || state.swap2) {
    toast(text);
  } else {
    toast("The server does not have this game any more. It goes on as a new one with the same moves.");
    startAgain(game, state.seats, state.playing && !state.over); // who resigned is not asked to move
    return true;
  }
  return false;
}

function startAgain(game, seats, playing) {
  const { state } = game;
  game.send("new", { game: state.game.text, moves: game.moves(state.node), ...seats, playing });
}

function openSharedPosition(game) {
  const shared = sharedPosition(game.menu);
  if (!shared && location.hash.startsWith(SHARED)) {
    toast("This link names no position.");
    location.hash = "#play";
  }
  if (!shared) return false;
  if (shared.moves.includes(-1)) {
    toast("This link names a point that is not on its board.");
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
  game.menu = await loadMenu();
  show($("connection"), false);
  show($("loading"), false);

  let analyse = null;
  const board = new Board($("board"), {
    label: "Board",
    onPlay: (action) => game.send("play", { action }),
    onMark: (action) => game.send("mark_dead", { action }),
    onHover: (action) => analyse?.hover(action),
  });
  showEmptyBoard(); // the first state may wait for a compiler
  $("stage").inert = true; // until there is a game
  game.on("state", showBoard); // before all others: they draw on its stones
  new PointsBar($("points"), game);
  new PlayView($("play-panel"), game, board);
  analyse = new AnalyseView($("analyse-panel"), game, board);
  const patterns = new PatternsView($("patterns-panel"), game, board);
  const eightfold = new EightfoldView($("eightfold-panel"), game);
  const runs = new RunsView($("runs-panel"), game);

  function showEmptyBoard() {
    const { name, values } = readGame(defaultGame(game.menu));
    const family = game.menu.games.find((known) => known.name === name);
    const size = boardSize(family, values);
    board.show({ ...looksOf({ ...family, size }), stones: "0".repeat(size * size) });
  }

  function showBoard(state) {
    $("stage").inert = false;
    const busy = state.playing && state.seats[COLOURS[state.turn]].player !== "human";
    const choosing = state.swap2 && state.swap2.choices.length > 0;
    board.show({
      ...looksOf(state.game), stones: state.stones, last: state.last, line: state.line,
      forbidden: state.forbidden, ko: state.ko, legal: state.legal, score: state.score, toMove: state.to_move ?? BLACK,
      canPlay: !state.over && !busy && !choosing, canMark: state.score !== null && state.game.dead_stones,
    });
    const { rule, rules, handicap } = state.game;
    const kind = (rules ? `, ${capital(rules)} rules` : rule ? `, ${rule}` : "") + (handicap > 0 ? `, handicap ${handicap}` : "");
    $("caption").textContent = `${capital(state.game.name)} ${state.game.size}×${state.game.size}${kind}`
      + `, move ${game.nodes.get(state.node)?.depth ?? 0}` + (state.viewers > 1 ? `, ${state.viewers} viewers` : "")
      + (Object.keys(state.game.edges).length ? `. ${capital(state.game.summary)}.` : ""); // what the coloured sides mean
  }

  let view = null;
  function route() {
    if (openSharedPosition(game)) {
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
    show($("stage"), ["play", "analyse", "patterns"].includes(view));
    show($("play-panel"), view === "play");
    show($("analyse-panel"), view === "analyse");
    show($("patterns-panel"), view === "patterns");
    show($("eightfold-panel"), view === "eightfold");
    show($("runs-panel"), view === "runs");
    document.title = `Eightfold: ${view}`;
    if (view !== "patterns") patterns.setVisible(false); // before others draw on the board
    analyse.setVisible(view === "analyse");
    if (view === "patterns") patterns.setVisible(true);
    eightfold.setVisible(view === "eightfold");
    runs.setVisible(view === "runs");
  }

  // The first game on a machine waits for a compiler. The server says so to every new connection.
  const compiling = new CompilingBanner($("compiling"));
  game.on("compiling", ({ tasks }) => compiling.show(tasks));
  game.on("connection", (up) => {
    show($("connection"), !up);
    compiling.show([]);
  });
  // A new game in the place of a lost one may be refused, since a player is gone too: then the moves at least are kept.
  let replacing = false;
  game.on("gone", ({ text }) => { replacing = replaceLostGame(game, text); });
  game.on("state", () => { replacing = false; });
  // A link may name an unknown game; then the page starts the default game, but only once.
  let rescued = false;
  game.on("error", ({ about }) => {
    if (about !== "new" && about !== null) return; // null: it could not even be read
    if (replacing) {
      replacing = false;
      startAgain(game, { black: HUMAN, white: HUMAN }, false);
    } else if (!game.state && !rescued) {
      rescued = true;
      startDefaultGame(game);
    }
  });
  window.addEventListener("hashchange", route);

  // The network of a run joins the menu while the page is open.
  setInterval(async () => {
    try {
      const response = await fetch("/api/menu");
      if (response.ok) Object.assign(game.menu, await response.json());
    } catch {
      // The banner says so already.
    }
  }, 15000);

  route();
  if (!game.socket.id && !game.socket.waiting.length) startDefaultGame(game);
  game.socket.open();

  // For tests and for the curious: the state of the page, and how long an overlay takes.
  window.eightfold = { game, board, measureOverlay: (count) => measureOverlay(board, count) };
}

// Median milliseconds of full overlay updates with their layout; every point is different each time.
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
