// Small helpers that make and fill elements; text is always inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function makeSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, text);
}

let fields = 0;

// A labelled control: the label belongs to it by its id.
export function field(label, control, note) {
  control.id ||= `field-${++fields}`;
  return make("div", { class: "field" }, make("label", { for: control.id }, label), control, note);
}

export function select(options, chosen, onchange) {
  const node = make("select", { onchange: (event) => onchange?.(event.target.value) });
  setOptions(node, options, chosen);
  return node;
}

// [value, text] pairs.
export function setOptions(node, options, chosen) {
  node.replaceChildren(
    ...options.map(([value, text, title]) =>
      make("option", { value, title, selected: String(value) === String(chosen) }, text),
    ),
  );
}

export function show(node, visible) {
  node.hidden = !visible;
}

const live = document.getElementById("live");

// Tell screen readers something, once; nothing is shown.
export function announce(text) {
  live.textContent = text;
}

const toasts = document.getElementById("toasts");

// Show a message for a few seconds: what went wrong, or what was done.
export function toast(text, kind = "error") {
  const node = make("div", { class: `toast ${kind}` }, text);
  toasts.append(node);
  setTimeout(() => node.remove(), kind === "error" ? 7000 : 3000);
}

export async function copyText(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    toast(done, "good");
  } catch {
    // Without permission, or over plain http from another machine: let the user copy it.
    window.prompt("Copy this", text);
  }
}
