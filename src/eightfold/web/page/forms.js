// Forms for a game and for its players, made from the menu of the server.

import { field, make, select, setOptions } from "./dom.js";
import { capital } from "./names.js";

// {name, values} of a game's text; a user's own game has two words, python:MODULE,size=7.
export function readGame(text) {
  const [, name, rest = ""] = /^(python:[^,]*|[^:]*)(?:[:,](.*))?$/s.exec(text);
  const values = Object.fromEntries(rest.split(",").filter(Boolean).map((pair) => pair.split("=")));
  return { name, values };
}

// The board size of a game: from its text, else the default of its family.
export function boardSize(family, values) {
  return Number(values.size ?? family?.options.find((option) => option.name === "size")?.default ?? 15);
}

// Options that the page proposes instead of a game's own default.
const PROPOSED = { go: { size: 9 } };
const LABELS = { size: "Board size", win: "In a row to win" };

export function writeGame(name, values) {
  const pairs = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  return pairs.length ? `${name}${name.includes(":") ? "," : ":"}${pairs.join(",")}` : name;
}

// Who plays a colour, and how strong.
export class SeatForm {
  constructor(label, menu, { human = true, onChange = null } = {}) {
    this.menu = menu;
    this.human = human;
    this.onChange = onChange;
    this.player = select([], null, () => this.playerChanged());
    this.level = select([], null, () => this.onChange?.());
    this.note = make("p", { class: "note" });
    this.node = make("div", { class: "seat" }, field(label, this.player), field("Strength", this.level), this.note);
    this.player.setAttribute("data-seat", label.toLowerCase());
    this.fill();
  }

  fill() {
    const { player, level } = this.seat;
    const players = this.menu.players.map((entry) => [entry.key, entry.key, entry.summary]);
    setOptions(this.player, this.human ? [["human", "Human"], ...players] : players, player);
    this.levels(this.player.value === player ? level : undefined);
  }

  // The menu entry of the chosen player; null for a human.
  get entry() {
    return this.menu.players.find((entry) => entry.key === this.player.value) ?? null;
  }

  playerChanged() {
    this.levels();
    this.onChange?.(true);
  }

  levels(chosen = this.entry?.default_level ?? 0) {
    const { entry } = this;
    const names = entry ? entry.levels : ["–"];
    setOptions(this.level, names.map((name, number) => [number, name]), chosen);
    this.level.disabled = names.length < 2;
    this.note.textContent = entry?.summary ?? "";
  }

  get seat() {
    return { player: this.player.value, level: Number(this.level.value) };
  }

  set seat({ player, level }) {
    this.player.value = player;
    if (this.player.value !== player) this.player.selectedIndex = 0; // it is not on the menu any more
    this.levels(this.player.value === player ? level : undefined);
  }
}

// A choice as people write it: new-zealand as New Zealand, and aga, which is an abbreviation, as AGA.
function titled(choice) {
  return choice === "aga" ? "AGA" : choice.split("-").map(capital).join(" ");
}

// The game, its board and its rules.
export class GameForm {
  constructor(menu, text, onChange = null) {
    this.menu = menu;
    this.onChange = onChange;
    this.name = select(menu.games.map((game) => [game.name, capital(game.title)]), null, () => {
      this.propose(this.name.value);
      this.onChange?.();
    });
    this.name.setAttribute("data-option", "game");
    this.box = make("div", { class: "fields" });
    this.node = make("div", { class: "game-form" }, menu.games.length > 1 ? field("Game", this.name) : null, this.box);
    this.text = text;
  }

  get family() {
    return this.menu.games.find((game) => game.name === this.name.value);
  }

  rebuild(values = {}) {
    this.controls = {};
    const fields = this.family.options.map((option) => {
      const value = values[option.name] ?? option.default;
      const control = option.choices.length
        ? select(option.choices.map((choice) => [choice, titled(choice)]), value)
        : make("input", {
            type: typeof option.default === "string" ? "text" : "number",
            min: option.least, max: option.most, value,
            step: Number.isInteger(option.default) ? 1 : "any", required: option.default !== "",
            inputmode: typeof option.default === "string" ? "text" : Number.isInteger(option.default) ? "numeric" : "decimal",
          });
      control.title = option.help;
      control.addEventListener("change", () => this.onChange?.());
      control.setAttribute("data-option", option.name);
      this.controls[option.name] = control;
      return field(LABELS[option.name] ?? capital(option.name), control);
    });
    this.box.replaceChildren(...fields);
  }

  get text() {
    const values = Object.entries(this.controls).map(([name, control]) => [name, control.value]);
    return writeGame(this.name.value, Object.fromEntries(values.filter(([, value]) => value !== "")));
  }

  set text(text) {
    const { name, values } = readGame(text);
    if (this.menu.games.some((game) => game.name === name)) this.name.value = name;
    this.rebuild(values);
  }

  // Show a game; options that its text does not name are those that the page proposes.
  propose(text) {
    const { name, values } = readGame(text);
    this.text = writeGame(name, { ...PROPOSED[name], ...values });
  }

  fits(entry) {
    return fitsGame(entry, this.text);
  }
}

// The options in which a game differs from the one that a network was trained for; null: it is of another family.
function differing(entry, text) {
  const [trained, here] = [readGame(entry.game), readGame(text)];
  if (trained.name !== here.name) return null;
  const filledIn = (key) => (key === "win" && here.values[key] === "0") || here.values[key] === "auto"; // by the server
  return Object.keys(trained.values).filter((key) => here.values[key] !== trained.values[key] && !filledIn(key));
}

// Whether a player can play a game: a network plays the game that it was trained for, but for what it tolerates.
export function fitsGame(entry, text) {
  if (!entry?.game) return true;
  return differing(entry, text)?.every((key) => entry.tolerates.includes(key)) ?? false;
}

// The network for a game, or undefined: one for this very game, or of the shipped ones that can play it and are usual on
// such a board the one whose own is nearest in size, and of these the one whose rules differ least.
export function networkFor(menu, text) {
  const size = (game) => boardSize(null, readGame(game).values);
  const far = (entry) => 100 * Math.abs(size(entry.game) - size(text)) + differing(entry, text).length;
  const fitting = menu.players.filter((entry) => entry.is_network && fitsGame(entry, text));
  const usual = ({ usual_sizes: [least, most] }) => least <= size(text) && size(text) <= most;
  return fitting.filter((entry) => usual(entry) || far(entry) === 0).sort((a, b) => far(a) - far(b))[0];
}
