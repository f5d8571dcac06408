// The connection to the server: one WebSocket for the game of this page. When it is lost it is opened again and
// the game is resumed by its id, so that nobody loses a move to a train tunnel.

const FIRST_WAIT = 300; // milliseconds
const LONGEST_WAIT = 5000;
const KEY = "eightfold-game";

export class GameSocket extends EventTarget {
  constructor() {
    super();
    this.id = sessionStorage.getItem(KEY);
    this.waiting = []; // what was said while there was no connection
    this.wait = FIRST_WAIT;
    this.socket = null;
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/game`);
    this.socket.addEventListener("open", () => this.opened());
    this.socket.addEventListener("message", (event) => this.received(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => this.closed());
  }

  opened() {
    this.wait = FIRST_WAIT;
    this.tell("connection", true);
    const begins = this.waiting.some((message) => ["new", "resume", "load"].includes(message.type));
    if (this.id && !begins) this.socket.send(JSON.stringify({ type: "resume", id: this.id }));
    for (const message of this.waiting.splice(0)) this.socket.send(JSON.stringify(message));
  }

  closed() {
    this.tell("connection", false);
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  received(message) {
    if (message.type === "state" && message.id !== this.id) {
      this.id = message.id;
      sessionStorage.setItem(KEY, message.id); // a reload of this tab goes on with this game
    }
    if (message.type === "error" && message.about === "resume") this.forget();
    this.tell(message.type, message);
  }

  forget() {
    this.id = null;
    sessionStorage.removeItem(KEY);
  }

  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else if (["new", "resume", "load"].includes(message.type)) this.waiting = [message];
    else this.waiting.push(message);
  }

  tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
