// The connection to the server: one WebSocket for the game of this page. When it is lost it is opened again and
// the game is resumed by its id, so that nobody loses a move to a train tunnel.

const FIRST_WAIT = 300; // milliseconds
const LONGEST_WAIT = 5000;
const BEAT = 10000; // between two questions whether the server is still there
const MOST_SILENT = 2; // of them without an answer, and the connection is lost whatever the browser thinks
const KEY = "eightfold-game";

export class GameSocket extends EventTarget {
  constructor() {
    super();
    this.id = sessionStorage.getItem(KEY);
    this.waiting = []; // what was said while there was no connection
    this.wait = FIRST_WAIT;
    this.socket = null;
    this.silent = 0; // questions since the server was last heard
    setInterval(() => this.beat(), BEAT);
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/game`);
    this.socket = socket;
    this.silent = 0;
    // One that was given up may still speak, or close at last: nobody listens to it any more.
    const listen = (type, listener) => socket.addEventListener(type, (event) => {
      if (socket === this.socket) listener(event);
    });
    listen("open", () => this.opened());
    listen("message", (event) => this.received(JSON.parse(event.data)));
    listen("close", () => this.closed());
  }

  // A tunnel or a sleeping server says no goodbye: only silence tells of it.
  beat() {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    if (this.silent >= MOST_SILENT) {
      this.socket.close();
      this.socket = null;
      this.closed();
      return;
    }
    this.silent += 1;
    this.socket.send(JSON.stringify({ type: "ping" }));
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
    this.silent = 0;
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
