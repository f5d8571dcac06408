// The play view: the players, their clocks, and the buttons of a game.

import { announce, button, field, make, toast } from "./dom.js";
import { GameForm, SeatForm, networkFor, readGame } from "./forms.js";
import { Swap2Bar, openingField, openingText } from "./swap2.js";
import { BLACK, COLOURS, WHITE, actionOf, capital, clockText, percent, pointName } from "./names.js";

export class PlayView {
  constructor(panel, game, board) {
    this.game = game;
    this.board = board;
    this.rows = { [BLACK]: this.playerRow(BLACK), [WHITE]: this.playerRow(WHITE) };
    this.status = make("p", { class: "status", id: "status" });
    this.undo = button("Undo", () => game.send("undo"), { id: "undo" });
    this.hint = button("Hint", () => this.askForHint(), { id: "hint" });
    this.resign = button("Resign", () => this.resignGame(), { id: "resign" });
    this.go = button("Continue from here", () => this.playOn(), { id: "play-on", class: "strong" });
    this.moveInput = make("input", {
      type: "text", size: 5, maxlength: 4, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    });
    this.typed = make("form", { class: "typed", onsubmit: (event) => this.playTyped(event) },
      field("Type a move", this.moveInput), make("button", { type: "submit" }, "Play"));
    this.moves = make("ol", { class: "moves", "aria-label": "Moves" });
    this.swap2 = new Swap2Bar(game);
    panel.append(
      make("div", { class: "card players" }, this.rows[BLACK].node, this.rows[WHITE].node, this.status, this.swap2.node),
      make("div", { class: "buttons" }, this.undo, this.hint, this.resign, this.go,
        button("New game", () => this.openDialog(), { class: "strong", id: "new-game" })),
      make("div", { class: "card" }, make("h2", {}, "Moves"), this.moves, this.typed),
    );
    game.on("state", (state) => this.show(state));
    game.on("hint", (hint) => this.showHint(hint));
    setInterval(() => this.tick(), 250);
  }

  playerRow(colour) {
    const name = make("span", { class: "name" });
    const level = make("span", { class: "level" });
    const clock = make("span", { class: "clock", "aria-label": `${COLOURS[colour]}'s clock` }, "0:00");
    const node = make("div", { class: `player ${COLOURS[colour]}` },
      make("span", { class: "disc", "aria-hidden": "true" }), make("span", { class: "who" }, name, level), clock);
    return { node, name, level, clock };
  }

  show(state) {
    for (const colour of [BLACK, WHITE]) {
      const seat = state.seats[COLOURS[colour]];
      const entry = this.game.menu?.players.find((known) => known.key === seat.player);
      const row = this.rows[colour];
      row.name.textContent = seat.player === "human" ? capital(state.names[COLOURS[colour]]) : seat.player;
      row.level.textContent = entry ? entry.levels[seat.level] ?? "" : capital(COLOURS[colour]);
      if (state.swap2) row.level.textContent = colour === BLACK ? "Opens the game" : "Answers the opening";
      row.node.classList.toggle("active", !state.over && state.turn === colour);
      row.node.classList.toggle("undecided", state.swap2 !== null); // nobody has a colour yet
    }
    this.status.textContent = this.statusText(state);
    this.status.classList.toggle("over", state.over);
    const humans = Object.values(state.seats).filter((seat) => seat.player === "human").length;
    const opening = state.swap2 !== null;
    const played = this.game.nodes.get(state.node).depth - state.opening_plies; // an opening is not taken back
    this.undo.disabled = opening || (played <= 0 && !state.over);
    this.hint.disabled = opening || state.over;
    this.resign.disabled = opening || state.over || !state.playing || humans === 0;
    this.go.hidden = state.playing || state.over;
    const { size } = state.game;
    this.moveInput.placeholder = pointName(size * Math.floor(size / 2) + Math.floor(size / 2), state.game);
    for (const control of this.typed.elements) control.disabled = state.over;
    this.showMoves(state);
    this.tick();
  }

  statusText(state) {
    const passed = state.last === state.game.size ** 2; // nothing on the board shows a pass
    if (state.over && state.score && !state.score.agreed) return `${passed ? "Both sides passed. " : ""}By this score ${state.outcome}.`;
    if (state.over) return `${capital(state.outcome)}.`;
    if (state.swap2) return openingText(state);
    const colour = COLOURS[state.to_move];
    const before = passed ? `${capital(COLOURS[3 - state.to_move])} passed. ` : "";
    if (!state.playing) return `${before}${capital(colour)} to move; the players pause.`;
    const seat = state.seats[colour];
    if (state.thinking) return `${before}${seat.player} is thinking …`;
    return `${before}${capital(colour)} to move${seat.player === "human" ? ": your turn" : ""}.`;
  }

  showMoves(state) {
    const names = this.game.moves(state.node).map((move) => pointName(move, state.game));
    if (state.game.first !== BLACK) names.unshift("…"); // white began
    const rows = [];
    for (let k = 0; k < names.length; k += 2) rows.push(make("li", {}, names[k], " ", names[k + 1] ?? ""));
    this.moves.replaceChildren(...rows);
    this.moves.scrollTop = this.moves.scrollHeight;
  }

  tick() {
    const { state } = this.game;
    if (!state) return;
    for (const colour of [BLACK, WHITE]) {
      const running = state.clock_runs && state.turn === colour;
      const seconds = state.clocks[colour - 1] + (running ? (performance.now() - this.game.told) / 1000 : 0);
      const text = clockText(seconds);
      if (this.rows[colour].clock.textContent !== text) this.rows[colour].clock.textContent = text;
    }
  }

  askForHint() {
    this.game.send("hint");
    announce("A player thinks about a hint.");
  }

  showHint(hint) {
    const { state } = this.game;
    if (hint.node !== state.node) return;
    this.board.showHint(hint.action);
    const name = pointName(hint.action, state.game);
    const line = hint.line.map((action) => pointName(action, state.game)).join(" ");
    const why = line ? `wins by force: ${line}` : `black wins with ${percent(hint.value)}`;
    toast(`Hint: ${name} (${why})`, "good");
    announce(`Hint: ${name}${line ? ", it wins by force" : ""}`);
  }

  resignGame() {
    if (window.confirm("Resign this game?")) this.game.send("resign");
  }

  playOn() {
    const { seats } = this.game.state;
    this.game.send("seats", { ...seats, playing: true });
  }

  playTyped(event) {
    event.preventDefault();
    const { state } = this.game;
    const action = actionOf(this.moveInput.value, state.game);
    if (action < 0) toast(`${this.moveInput.value || "An empty text"} is not a point of this board. Type a point such as ${pointName(0, state.game)}.`);
    else this.game.send("play", { action });
    this.moveInput.value = "";
  }

  // ---- a new game

  openDialog() {
    const { menu, state } = this.game;
    // Who was chosen for a seat stays there. Who sat there by default, or cannot play the new game, makes room for the
    // default of that game; a network for another network of the same strength.
    const gameChanged = () => {
      const { white: opponent } = defaultSeats(menu, gameForm.text);
      for (const form of [black, white]) {
        if (gameForm.fits(form.entry) && form.seat.player !== usual) continue;
        const { is_network: isNetwork } = menu.players.find((entry) => entry.key === opponent.player);
        form.seat = isNetwork && form.entry?.is_network ? { ...opponent, level: form.seat.level } : opponent;
      }
      usual = opponent.player;
      opening.fit(gameForm.family);
    };
    const gameForm = new GameForm(menu, state?.game.text ?? menu.default_game, gameChanged);
    let usual = defaultSeats(menu, gameForm.text).white.player;
    const changed = (seat) => (fully) => fully === true && this.fit(gameForm, seat());
    const opening = openingField();
    opening.fit(gameForm.family);
    const black = new SeatForm("Black", menu, { onChange: changed(() => black) });
    const white = new SeatForm("White", menu, { onChange: changed(() => white) });
    const seats = state?.seats ?? defaultSeats(menu, gameForm.text);
    black.seat = seats.black;
    white.seat = seats.white;
    const swap = button("Swap colours", () => {
      [black.seat, white.seat] = [white.seat, black.seat];
    });
    const start = () => {
      const bad = [black, white].find((form) => !gameForm.fits(form.entry));
      if (bad) {
        toast(`${bad.entry.key} was trained for ${bad.entry.game}.`);
        return;
      }
      fault.textContent = "";
      go.disabled = true; // until the server has answered
      this.game.send("new", { game: gameForm.text, black: black.seat, white: white.seat, opening: opening.value });
    };
    const closed = new AbortController();
    const listen = (type, listener) =>
      this.game.addEventListener(type, ({ detail }) => go.disabled && listener(detail), { signal: closed.signal });
    listen("state", ({ id }) => {
      if (id === state?.id) return; // the game of before goes on meanwhile
      dialog.close();
      location.hash = "#play";
    });
    listen("error", ({ about, text }) => {
      if (about !== "new" && about !== null) return;
      fault.textContent = text;
      go.disabled = false;
    });
    const fault = make("p", { class: "fault", role: "alert" });
    const go = make("button", { type: "submit", class: "strong", id: "start" }, "Start");
    const dialog = make("dialog", { class: "card", "aria-label": "New game" },
      make("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); start(); } },
        make("h2", {}, "New game"), gameForm.node, opening.node, black.node, white.node, fault,
        make("div", { class: "buttons" }, swap, button("Cancel", () => dialog.close()), go)));
    dialog.addEventListener("close", () => {
      closed.abort();
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  // Choosing a network chooses its game too.
  fit(gameForm, seat) {
    if (gameForm.fits(seat.entry)) return;
    gameForm.propose(seat.entry.game);
    toast(`${seat.entry.key} plays ${seat.entry.game}. The form now shows that game.`, "good");
  }
}

// The human has black; white is a network for this game if there is one, else a search that suits the game.
export function defaultSeats(menu, text) {
  const family = menu.games.find((known) => known.name === readGame(text).name);
  const opponent = networkFor(menu, text)
    ?? menu.players.find((entry) => entry.key === family?.default_player)
    ?? menu.players[0];
  return { black: { player: "human", level: 0 }, white: { player: opponent.key, level: opponent.default_level } };
}

// The game of a first visit: what the user asked for, or the usual one if there is a network for it, else a network's.
export function defaultGame(menu) {
  if (menu.asked_for || networkFor(menu, menu.default_game)) return menu.default_game;
  return menu.players.find((entry) => entry.is_network)?.game || menu.default_game;
}
