// The connection to the server: one WebSocket for the game of this page. When it is lost, the page opens it again and
// resumes the game by its id, so that nobody loses a move.

const FIRST_WAIT = 300; // milliseconds
const LONGEST_WAIT = 5000;
const PING_INTERVAL = 10000;
const MOST_UNANSWERED = 2; // pings; then the connection is lost, whatever the browser says
const KEY = "eightfold-game";

export class GameSocket extends EventTarget {
  constructor() {
    super();
    this.id = sessionStorage.getItem(KEY);
    this.waiting = []; // messages that were sent while there was no connection
    this.wait = FIRST_WAIT;
    this.socket = null;
    this.unanswered = 0; // pings since the last message of the server
    setInterval(() => this.ping(), PING_INTERVAL);
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/game`);
    this.socket = socket;
    this.unanswered = 0;
    // An abandoned socket may still send something, or close at last: it is ignored.
    const listen = (type, listener) => socket.addEventListener(type, (event) => {
      if (socket === this.socket) listener(event);
    });
    listen("open", () => this.opened());
    listen("message", (event) => this.received(JSON.parse(event.data)));
    listen("close", () => this.closed());
  }

  // A broken network or a sleeping server closes nothing: only unanswered pings show it.
  ping() {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    if (this.unanswered >= MOST_UNANSWERED) {
      this.socket.close();
      this.socket = null;
      this.closed();
      return;
    }
    this.unanswered += 1;
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
    this.unanswered = 0;
    if (message.type === "state" && message.id !== this.id) {
      this.id = message.id;
      sessionStorage.setItem(KEY, message.id); // a reload of this tab resumes this game
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
