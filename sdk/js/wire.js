import { FINAL, LATER_MS, afterClose, delay, isOffline } from "./backoff.js";
import { Transports } from "./transports.js";
import { Position } from "./position.js";

/** One session over one connection: it sends the hello, reconnects by itself and resumes. It puts no secret into an address. */
export class Wire extends EventTarget {
  #attempt = 0;
  #transports;
  #pause = 0;
  #timer;
  #token;
  #networkListeners = [["online", () => this.hurry()], ["offline", () => this.#tell("offline")]];

  constructor(options) {
    super();
    Object.assign(this, { options, session: options.session ?? null, state: "closed", wanted: false });
    this.position = new Position();
    this.#transports = new Transports(options, () => this.#hello(), {
      receive: (frame) => this.#receive(frame),
      end: (code, early) => this.#onClose(code, early),
      expire: () => (this.#token = null),
    });
  }

  /** The transport in use: "websocket", "sse", or null. */
  get transport() {
    return this.#transports.used?.name ?? null;
  }

  /** Connect and stay connected until `close`. */
  connect() {
    for (const [name, listener] of this.#networkListeners) globalThis.addEventListener?.(name, listener);
    this.wanted = true;
    return this.#open();
  }

  close() {
    this.#leave();
  }

  /** Try again now instead of after the pause. */
  hurry() {
    if (!this.wanted || this.state === "open" || this.state === "connecting") return;
    this.#open();
  }

  /** Connect anew as another user: with a new ticket, and from the current position of this session. */
  renew(session) {
    if (session !== this.session) Object.assign(this, { session, position: new Position() });
    this.#token = null;
    if (this.wanted) this.#open();
  }

  /** Send a frame, if a transport is in use. */
  transmit(frame) {
    this.#transports.used?.send(frame);
  }

  /** Handle a control frame before the listeners get it; the client overrides this. */
  receive() {}

  async #open() {
    clearTimeout(this.#timer);
    this.#tell(isOffline() ? "offline" : "connecting");
    try {
      await this.#transports.open();
    } catch (error) {
      this.#pause = 1_000 * (error.retry_after ?? 0);
      this.#retry(error.retry === false ? error.next ?? "stop" : "resume", error.code, error.message);
    }
  }

  /** The hello of a new transport; it requests a ticket when there is no token. */
  async #hello() {
    const hello = { type: "hello", v: 1 };
    if (this.#token) hello.resume_token = this.#token;
    else {
      const given = await this.options.ticket(this.session);
      this.session = given.session_id;
      hello.ticket = given.ticket;
    }
    if (this.position.seq !== null) Object.assign(hello, { last_seq: this.position.seq, epoch: this.position.epoch });
    return { session: this.session, hello };
  }

  #onClose(code, early) {
    // Before the welcome only the close codes of the server itself say what to do.
    const next = early && code < 1_011 ? "resume" : afterClose(code);
    if (next !== "ticket") return this.#retry(next, code);
    // Request a new ticket: while Redis is down, a process knows only its own tickets.
    this.#token = null;
    return this.#retry("resume", code);
  }

  #retry(next, code, message = this.#transports.refusal) {
    if (!this.wanted) return;
    if (FINAL.has(next)) return this.#leave({ code, next, message });
    const wait = Math.max(delay(this.#attempt++), next === "later" ? LATER_MS : 0, this.#pause);
    this.#pause = 0;
    this.#timer = setTimeout(() => this.#open(), wait);
    this.#tell(isOffline() ? "offline" : "waiting", { code, in: wait });
  }

  #leave(why) {
    this.wanted = false;
    clearTimeout(this.#timer);
    this.#transports.close();
    for (const [name, listener] of this.#networkListeners) globalThis.removeEventListener?.(name, listener);
    this.#tell("closed", why);
  }

  #receive(frame) {
    if (frame.batch) frame.batch.forEach((each) => this.#receiveDurable({ ...each, replayed: true }));
    else if (frame.seq !== undefined && frame.event) this.#receiveDurable(frame);
    else this.#control(frame);
  }

  #receiveDurable(frame) {
    const verdict = this.position.judge(frame);
    if (verdict === "hole") this.#transports.used?.end(4000);
    if (verdict !== "apply") return;
    this.position.pass(frame);
    this.#emit("frame", frame);
  }

  #control(frame) {
    if (frame.type === "snapshot") this.position.set(frame.seq, frame.epoch);
    if (frame.type === "reconnect") this.#pause = frame.after_ms;
    if (frame.type === "welcome") this.#takeWelcome(frame);
    this.receive(frame);
    this.#emit(frame.type === "snapshot" ? "snapshot" : "control", frame);
    if (frame.type === "welcome") this.#tell("open", { transport: this.transport });
  }

  #takeWelcome(frame) {
    [this.#attempt, this.#token] = [0, frame.resume_token];
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
