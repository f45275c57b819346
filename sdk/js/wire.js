import { afterClose, delay } from "./backoff.js";
import { Position } from "./position.js";

const SILENCE_MS = 8_000;
const LATER_MS = 1_000;
const FINAL = new Set(["stop", "session", "reload"]);
const isOffline = () => globalThis.navigator?.onLine === false;

/** One session over one WebSocket: it says hello, comes back by itself and resumes. No secret is in an address or storage. */
export class Wire extends EventTarget {
  #attempt = 0;
  #pause = 0;
  #refused = false;
  #socket = null;
  #timer = 0;
  #token = null;
  #weather = [["online", () => this.hurry()], ["offline", () => this.#tell("offline")]];

  constructor(options) {
    super();
    this.options = options;
    this.session = options.session ?? null;
    this.position = new Position();
    this.state = "closed";
    this.wanted = false;
  }

  /** Connect and stay connected until `close`. */
  connect() {
    for (const [name, heard] of this.#weather) globalThis.addEventListener?.(name, heard);
    this.wanted = true;
    return this.#open();
  }

  /** Leave. */
  close() {
    this.#leave();
    this.#socket?.close(1000);
    this.#tell("closed");
  }

  /** Try again now instead of after the pause. */
  hurry() {
    if (!this.wanted || this.state === "open" || this.state === "connecting") return;
    this.#open();
  }

  /** Write a frame, when there is a socket to write to. */
  transmit(frame) {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  /** What the client does with a control frame before it is told to listeners. */
  received() {}

  async #open() {
    clearTimeout(this.#timer);
    this.#tell(isOffline() ? "offline" : "connecting");
    const hello = { type: "hello", v: 1 };
    try {
      Object.assign(hello, await this.#credentials());
    } catch (error) {
      return this.#again(error.retry === false ? "stop" : "resume", error.code);
    }
    if (!this.wanted) return;
    if (this.position.seq !== null) Object.assign(hello, { last_seq: this.position.seq, epoch: this.position.epoch });
    this.#socket?.close(1000);
    const Socket = this.options.WebSocket ?? globalThis.WebSocket;
    const socket = new Socket(this.options.url, [this.options.html ? "loopwire.v1.html" : "loopwire.v1"]);
    this.#socket = socket;
    this.#timer = setTimeout(() => socket.close(), SILENCE_MS);
    socket.onopen = () => socket.send(JSON.stringify(hello));
    socket.onmessage = (message) => this.#socket === socket && this.#receive(JSON.parse(message.data));
    socket.onclose = (event) => this.#socket === socket && this.#closed(event.code);
  }

  async #credentials() {
    if (this.#token) return { resume_token: this.#token };
    const given = await this.options.ticket(this.session);
    this.session = given.session_id;
    return { ticket: given.ticket };
  }

  #closed(code) {
    const next = afterClose(code);
    if (next !== "ticket") return this.#again(next, code);
    // A refused resume token asks for a ticket; a ticket refused twice in a row is nobody's to repeat.
    const hopeless = this.#refused && !this.#token;
    [this.#token, this.#refused] = [null, true];
    return this.#again(hopeless ? "stop" : "resume", code);
  }

  #again(next, code) {
    clearTimeout(this.#timer);
    if (!this.wanted) return;
    if (FINAL.has(next)) {
      this.#leave();
      return this.#tell("closed", { code, next });
    }
    const wait = Math.max(delay(this.#attempt++), next === "later" ? LATER_MS : 0, this.#pause);
    this.#pause = 0;
    this.#timer = setTimeout(() => this.#open(), wait);
    this.#tell(isOffline() ? "offline" : "waiting", { code, in: wait });
  }

  #leave() {
    this.wanted = false;
    clearTimeout(this.#timer);
    for (const [name, heard] of this.#weather) globalThis.removeEventListener?.(name, heard);
  }

  #receive(frame) {
    if (frame.batch) frame.batch.forEach((each) => this.#durable({ ...each, replayed: true }));
    else if (frame.seq !== undefined && frame.event) this.#durable(frame);
    else this.#control(frame);
  }

  #durable(frame) {
    const verdict = this.position.judge(frame);
    if (verdict === "hole") this.#socket.close(4000, "hole");
    if (verdict !== "apply") return;
    this.position.pass(frame);
    this.#emit("frame", frame);
  }

  #control(frame) {
    if (frame.type === "snapshot") this.position.set(frame.seq, frame.epoch);
    if (frame.type === "reconnect") this.#pause = frame.after_ms;
    if (frame.type === "welcome") this.#welcomed(frame);
    this.received(frame);
    this.#emit(frame.type === "snapshot" ? "snapshot" : "control", frame);
    if (frame.type === "welcome") this.#tell("open");
  }

  #welcomed(frame) {
    clearTimeout(this.#timer);
    [this.#attempt, this.#refused, this.#token] = [0, false, frame.resume_token];
    this.session = frame.session_id;
    if (frame.resumed && this.position.seq === null) this.position.set(frame.seq, frame.epoch);
  }

  #tell(state, detail = {}) {
    this.state = state;
    this.#emit("state", { state, ...detail });
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
