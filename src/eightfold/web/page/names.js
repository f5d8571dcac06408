// Names of points and colours, the same as everywhere in Eightfold: a letter for the column, a number for the row
// from below.

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
export const BLACK = 1;
export const WHITE = 2;
export const COLOURS = { 1: "black", 2: "white" };

export function letter(column) {
  return LETTERS[column];
}

export function pointName(action, size) {
  if (action === size * size) return "pass";
  return `${LETTERS[action % size]}${size - Math.floor(action / size)}`;
}

// The action of a name, or -1.
export function actionOf(name, size) {
  const found = /^([a-z])(\d{1,2})$/.exec(name.trim().toLowerCase());
  if (!found) return -1;
  const column = LETTERS.indexOf(found[1]);
  const row = size - Number(found[2]);
  return column < size && row >= 0 && row < size ? row * size + column : -1;
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
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
