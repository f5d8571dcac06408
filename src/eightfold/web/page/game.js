// The game that this page shows: the last state that the server sent, and what players think of its nodes.

import { announce, toast } from "./dom.js";
import { BLACK, COLOURS, capital, moverAt, pointName } from "./names.js";
import { GameSocket } from "./socket.js";

export class Game extends EventTarget {
  constructor() {
    super();
    this.state = null;
    this.nodes = new Map(); // number -> {number, parent, move, children, depth}
    this.assessments = new Map(); // node -> the last analysis of it
    this.menu = null;
    this.socket = new GameSocket();
    this.socket.addEventListener("state", (event) => this.setState(event.detail));
    this.socket.addEventListener("analysis", (event) => this.addAssessment(event.detail));
    this.socket.addEventListener("evaluation", (event) => this.addEvaluation(event.detail));
    this.socket.addEventListener("error", (event) => this.refused(event.detail));
    for (const type of ["hint", "eightfold", "maps", "patterns", "sgf", "suggested_dead", "chosen", "compiling", "connection"]) {
      this.socket.addEventListener(type, (event) => this.tell(type, event.detail));
    }
  }

  send(type, more = {}) {
    this.socket.send({ type, ...more });
  }

  setState(state) {
    const before = this.state;
    this.state = state;
    this.told = performance.now(); // the clocks run from here on
    this.nodes = new Map();
    for (const [number, parent, move] of state.tree) {
      const above = this.nodes.get(parent);
      this.nodes.set(number, { number, parent, move, children: [], depth: above ? above.depth + 1 : 0 });
      above?.children.push(number);
    }
    if (!before || before.id !== state.id) this.assessments.clear();
    for (const node of this.assessments.keys()) if (!this.nodes.has(node)) this.assessments.delete(node);
    this.announceState(before, state);
    this.tell("state", state);
  }

  // Tell screen readers about a new state.
  announceState(before, state) {
    const same = before && before.id === state.id;
    if (same && before.node === state.node && before.over === state.over) return;
    const parts = [];
    if (same && state.node !== before.node && this.nodes.get(state.node)?.parent === before.node) {
      const mover = COLOURS[3 - state.to_move];
      const name = pointName(state.last, state.game);
      parts.push(name === "pass" ? `${capital(mover)} passes.` : `${capital(mover)} plays ${name}.`);
    }
    parts.push(`${capital(state.outcome)}.`);
    announce(parts.join(" "));
  }

  addAssessment(assessment) {
    this.assessments.set(assessment.node, assessment);
    if (this.state) this.state.evaluations[assessment.node] = [assessment.value, assessment.action];
    this.tell("analysis", assessment);
  }

  addEvaluation({ node, value, best, left }) {
    if (this.state) {
      this.state.evaluations[node] = [value, best];
      this.state.reviewing = left;
    }
    this.tell("evaluation", { node, value, best });
  }

  refused(error) {
    if (error.about === "resume") this.tell("gone", error);
    else toast(error.text);
    this.tell("error", error);
  }

  tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  on(type, listener) {
    this.addEventListener(type, (event) => listener(event.detail));
  }

  // ---- the tree of moves

  // The nodes from the root to `node`.
  path(node) {
    const path = [];
    for (let at = this.nodes.get(node); at; at = this.nodes.get(at.parent)) path.push(at.number);
    return path.reverse();
  }

  // The same, and on to the end of the first variation.
  line(node) {
    const line = this.path(node);
    for (let at = this.nodes.get(node); at?.children.length; ) {
      at = this.nodes.get(at.children[0]);
      line.push(at.number);
    }
    return line;
  }

  moves(node) {
    return this.path(node).slice(1).map((number) => this.nodes.get(number).move);
  }

  value(node) {
    return this.state?.evaluations[node]?.[0];
  }

  // How much the move to `node` cost the side that played it, 0 to 1; undefined where it is not known.
  loss(node) {
    const { parent, depth } = this.nodes.get(node) ?? {};
    const before = this.value(parent);
    const after = this.value(node);
    if (before === undefined || after === undefined) return undefined;
    const mover = moverAt(depth, this.state.game);
    return mover === BLACK ? before - after : after - before;
  }

  // Whether the move to a node is the one that the engine prefers where it was played.
  wasBest(node) {
    const { parent, move } = this.nodes.get(node) ?? {};
    return move !== undefined && this.state?.evaluations[parent]?.[1] === move;
  }

  humanToMove() {
    const { state } = this;
    if (!state || state.over) return false;
    return !state.playing || state.seats[COLOURS[state.turn]].player === "human";
  }
}
