// Names of points and colours, the same as everywhere in Eightfold: a letter for the column, a number for the row
// from below. Which letters, the game says (Go leaves out the i): `game` is {size, letters, has_pass}.

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
export const BLACK = 1;
export const WHITE = 2;
export const COLOURS = { 1: "black", 2: "white" };

export function letter(column, { letters = LETTERS } = {}) {
  return letters[column];
}

export function pointName(action, game) {
  const { size } = game;
  if (action === size * size) return "pass";
  return `${letter(action % size, game)}${size - Math.floor(action / size)}`;
}

// The action of a name, or -1.
export function actionOf(name, { size, letters = LETTERS, has_pass: hasPass = false }) {
  const text = name.trim().toLowerCase();
  if (text === "pass" && hasPass) return size * size;
  const found = /^([a-z])(\d{1,2})$/.exec(text);
  if (!found) return -1;
  const column = letters.indexOf(found[1]);
  const row = size - Number(found[2]);
  return column >= 0 && column < size && row >= 0 && row < size ? row * size + column : -1;
}

// Whose move number `depth` is, from 1: colours alternate, and with a handicap white begins.
export function moverAt(depth, { first = BLACK } = {}) {
  return depth % 2 === 1 ? first : 3 - first;
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// 1 game, 2 games; the number may be a text, such as that of shortNumber.
export function numberOf(number, thing) {
  return `${number} ${thing}${String(number) === "1" ? "" : "s"}`;
}

export function percent(value) {
  return `${(100 * value).toFixed(value > 0.995 || value < 0.005 ? 0 : 1)}%`;
}

// 1234 -> 1.2k: short enough for a point of the board.
export function shortNumber(number) {
  if (number < 1000) return String(number);
  if (number < 9950) return `${(number / 1000).toFixed(1)}k`;
  if (number < 999500) return `${Math.round(number / 1000)}k`;
  return `${(number / 1e6).toFixed(1)}M`;
}

export function clockText(seconds) {
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  return `${minutes}:${String(whole % 60).padStart(2, "0")}`;
}
