// Forms for a game and for those who play it, made from what the server offers.

import { field, make, select, setOptions } from "./dom.js";
import { capital } from "./names.js";

// {name, values} of a game's text.
export function readGame(text) {
  const [name, rest = ""] = text.split(/:(.*)/s);
  const values = Object.fromEntries(rest.split(",").filter(Boolean).map((pair) => pair.split("=")));
  return { name, values };
}

// What the page proposes first where a game's own default is for longer evenings.
const PROPOSED = { go: { size: 9 } };
const LABELS = { size: "Board size", win: "In a row to win" };

export function writeGame(name, values) {
  const pairs = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  return pairs.length ? `${name}:${pairs.join(",")}` : name;
}

// Who plays a colour, and how strong.
export class SeatForm {
  constructor(label, offers, { human = true, onChange = null } = {}) {
    this.offers = offers;
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
    const chosen = this.player.value;
    const players = this.offers.players.map((offer) => [offer.key, offer.key, offer.summary]);
    setOptions(this.player, this.human ? [["human", "Human"], ...players] : players, chosen);
    this.levels();
  }

  get offer() {
    return this.offers.players.find((offer) => offer.key === this.player.value) ?? null;
  }

  playerChanged() {
    this.levels();
    this.onChange?.(true);
  }

  levels() {
    const { offer } = this;
    const names = offer ? offer.levels : ["as you are"];
    setOptions(this.level, names.map((name, number) => [number, name]), offer?.usual ?? 0);
    this.level.disabled = names.length < 2;
    this.note.textContent = offer?.summary ?? "";
  }

  get seat() {
    return { player: this.player.value, level: Number(this.level.value) };
  }

  set seat({ player, level }) {
    this.player.value = player;
    if (this.player.value !== player) this.player.selectedIndex = 0; // it is not offered any more
    this.levels();
    if (this.player.value === player) this.level.value = String(level);
  }
}

// Which game, on which board, by which rule.
export class GameForm {
  constructor(offers, text, onChange = null) {
    this.offers = offers;
    this.name = select(offers.games.map((game) => [game.name, capital(game.name)]), null, () => {
      this.propose(this.name.value);
      onChange?.();
    });
    this.name.setAttribute("data-option", "game");
    this.box = make("div", { class: "fields" });
    this.node = make("div", { class: "game-form" }, offers.games.length > 1 ? field("Game", this.name) : null, this.box);
    this.text = text;
  }

  get family() {
    return this.offers.games.find((game) => game.name === this.name.value);
  }

  rebuild(values = {}) {
    this.controls = {};
    const fields = this.family.options.map((option) => {
      const value = values[option.name] ?? option.default;
      const control = option.choices.length
        ? select(option.choices.map((choice) => [choice, capital(choice)]), value)
        : make("input", {
            type: typeof option.default === "string" ? "text" : "number",
            min: option.least, max: option.most, value,
            step: Number.isInteger(option.default) ? 1 : "any", inputmode: "numeric",
          });
      control.title = option.help;
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
    if (this.offers.games.some((game) => game.name === name)) this.name.value = name;
    this.rebuild(values);
  }

  // A game with what is usual here where the text says nothing.
  propose(text) {
    const { name, values } = readGame(text);
    this.text = writeGame(name, { ...PROPOSED[name], ...values });
  }

  fits(offer) {
    return fitsGame(offer, this.text);
  }
}

// Whether a network can play a game: a network knows one game, and some of them any board size.
export function fitsGame(offer, text) {
  if (!offer?.game) return true;
  const [own, here] = [readGame(offer.game), readGame(text)];
  if (own.name !== here.name) return false;
  return Object.entries(own.values).every(
    ([key, value]) => (offer.any_size && key === "size") || here.values[key] === value
      || (key === "win" && here.values[key] === "0") || here.values[key] === "auto", // the server fills it in
  );
}
