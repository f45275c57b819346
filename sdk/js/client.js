import { newId } from "./ids.js";
import { Outbox } from "./outbox.js";
import { Tools } from "./tools.js";
import { Wire } from "./wire.js";

/**
 * A session of Loopwire: each sent frame is stored exactly once, each event arrives once and in order.
 *
 * The client uses a WebSocket, or HTTP alone while none gets through; `transport` says which.
 *
 * Events: `state` (detail: connecting | open | waiting | offline | closed, with `transport`, `code`, `in` and, when the
 * client will not reconnect by itself, `next` and the server's `message`), `frame` (a durable frame to apply; `replayed` when it
 * was missed), `snapshot` (replace everything), `control` (any other frame of the server).
 */
export class LoopwireClient extends Wire {
  #later = new Set();

  /**
   * @param {object} options
   * @param {string} options.url       ws(s) address of the server's /ws
   * @param {(session: string|null) => Promise<{ticket: string, session_id: string}>} options.ticket
   * @param {string|null} [options.session]  the session to open; without one, the ticket begins one
   * @param {boolean} [options.html]   ask for fragments as well
   * @param {typeof WebSocket} [options.WebSocket]
   * @param {typeof fetch} [options.fetch]
   */
  constructor(options) {
    super(options);
    this.outbox = new Outbox();
    this.tools = new Tools((call, content) => this.toolResult(call, content));
    this.addEventListener("frame", ({ detail }) => this.tools.event(detail.event));
    this.addEventListener("snapshot", ({ detail }) => this.tools.snapshot(detail.events));
    this.addEventListener("state", ({ detail }) => detail.state === "closed" && this.#later.forEach(clearTimeout));
  }

  /** Send a message; resolves with the ack, which means that it is stored. */
  message(content, id = newId()) {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
    this.tools.claim(id);
    return this.command({ type: "message", id, content: parts, ...this.offer() });
  }

  /** Answer the interrupts of a run; resolves with the ack of the run that continues it. */
  resume(entries, id = newId()) {
    return this.command({ type: "resume", id, entries });
  }

  /** Give the result of a tool that this page was asked to run. */
  toolResult(tool_call_id, content, id = newId()) {
    return this.command({ type: "tool_result", id, tool_call_id, content });
  }

  /** Offer a tool of this page to the agents. The result is what `act` returns, or the error that it throws. */
  tool({ name, description, parameters, effect }, act) {
    this.tools.add({ name, description, parameters, ...(effect && { effect }) }, act);
  }

  /** Set what this page shows, as an object of at most 8 kB; null clears it. The agents read it as data of the page. */
  setContext(context) {
    const text = JSON.stringify(context ?? null);
    const fits = /^({|null$)/.test(text) && new TextEncoder().encode(text).length <= 8_192;
    if (!fits) throw new RangeError("A context is an object of at most 8192 bytes.");
    this.context = JSON.parse(text);
  }

  /** The fields of a message besides its content: the page's tools, and what the page shows. */
  offer() {
    const { list } = this.tools;
    return { ...(list.length && { tools: list }), ...(this.context && { context: this.context }) };
  }

  /** Stop a run by its id, or a queued message by the id with which it was sent. */
  cancel(target) {
    return this.command({ type: "cancel", id: newId(), ...target });
  }

  /** Send any command that has an id; it survives reconnects. */
  command(frame) {
    const promise = this.outbox.keep(frame);
    if (this.state === "open") this.transmit(frame);
    return promise;
  }

  /** Settle the command that the server answers; after a welcome, send the unanswered ones again. */
  receive(frame) {
    if (frame.type === "welcome") this.outbox.waiting().forEach((each) => this.transmit(each));
    if (frame.type !== "ack" && frame.type !== "error") return;
    // The user changed or was revoked: the command is sent again after the next welcome.
    if (frame.code === "unauthorized") return;
    this.tools.ignore(frame.ignored_tools);
    this.outbox.settle(frame);
    const entry = this.outbox.waiting().find((each) => each.id === frame.id);
    if (entry) this.#later.add(setTimeout(() => this.state === "open" && this.transmit(entry), 1_000 * frame.retry_after));
  }
}
