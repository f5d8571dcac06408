// Swap2 on the page: the choice of an opening in the form, what is to be done now, and the buttons to choose with.

import { announce, button, field, make, select, show, toast } from "./dom.js";
import { COLOURS } from "./names.js";

const HELP = "The player named under Black places three stones: black, white, black. The other takes a colour, "
  + "or places two more stones and leaves the choice to the first.";

// The part of the form; `fit` hides it for games that do not begin so.
export function openingField() {
  const note = make("p", { class: "note" }, HELP);
  const control = select([["free", "Free"], ["swap2", "Swap2"]], "free", (value) => show(note, value === "swap2"));
  control.setAttribute("data-option", "opening");
  show(note, false);
  const node = make("div", { class: "seat" }, field("Opening", control), note);
  return {
    node,
    get value() {
      return node.hidden ? "free" : control.value;
    },
    fit(family) {
      show(node, Boolean(family?.swap2));
    },
  };
}

// What is to be done now, in words.
export function openingText(state) {
  const { stage, stones_left: left } = state.swap2;
  const who = state.seats[COLOURS[state.turn]].player;
  if (!state.playing) return "Swap2: the players pause.";
  if (who !== "human") {
    return stage.startsWith("place") ? `Swap2: ${who} places stones …` : `Swap2: ${who} chooses a colour …`;
  }
  const next = COLOURS[state.to_move];
  const rest = left > 1 ? `, then ${left - 1} more` : "";
  switch (stage) {
    case "place": return `Swap2: place three stones for both sides. Now a ${next} stone${rest}; your opponent then chooses.`;
    case "place-more": return `Swap2: place two more stones. Now a ${next} stone${rest}; your opponent then takes a colour.`;
    case "choose": return "Swap2: take a colour, or place two more stones and let your opponent choose. White moves next.";
    default: return "Swap2: your opponent placed two more stones. Take a colour. White moves next.";
  }
}

const CHOICES = { black: "Take black", white: "Take white", more: "Place two more stones" };

// The buttons; they are there while a person is to choose.
export class Swap2Bar {
  constructor(game) {
    this.game = game;
    this.node = make("div", { class: "buttons", id: "swap2", hidden: true });
    game.on("state", (state) => this.show(state));
    game.on("chosen", ({ player, choice }) => this.tell(player, choice));
  }

  show(state) {
    const choices = state.swap2 && this.game.humanToMove() ? state.swap2.choices : [];
    show(this.node, choices.length > 0);
    const key = choices.join();
    if (this.key === key) return; // the focus stays on a button
    this.key = key;
    this.node.replaceChildren(...choices.map((choice) =>
      button(CHOICES[choice], () => this.game.send("choose", { choice }), { class: "strong", "data-choice": choice })));
    if (choices.length) announce(openingText(state));
  }

  tell(player, choice) {
    toast(`${player} takes ${choice}.`, "good");
    announce(`${player} takes ${choice}.`);
  }
}
