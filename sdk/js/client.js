import { Outbox } from "./outbox.js";
import { Wire } from "./wire.js";

/**
 * A session of Loopwire: what is sent is stored exactly once, what is told arrives once and in order.
 *
 * Events: `state` (detail: connecting | open | waiting | offline | closed, with `code`, `in` and, when it will not come
 * back by itself, `next`), `frame` (a durable frame to apply; `replayed` when it was missed), `snapshot` (replace
 * everything), `control` (any other frame of the server).
 */
export class LoopwireClient extends Wire {
  /**
   * @param {object} options
   * @param {string} options.url       ws(s) address of the server's /ws
   * @param {(session: string|null) => Promise<{ticket: string, session_id: string}>} options.ticket
   * @param {string|null} [options.session]  the session to open; without one, the ticket begins one
   * @param {boolean} [options.html]   ask for fragments as well
   * @param {typeof WebSocket} [options.WebSocket]
   */
  constructor(options) {
    super(options);
    this.outbox = new Outbox();
  }

  /** Send a message; resolves with the ack, which means that it is stored. */
  message(content, id = crypto.randomUUID()) {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return this.command({ type: "message", id, content: parts });
  }

  /** Stop a run, or a message that still waits, by the id it was sent with. */
  cancel(target) {
    return this.command({ type: "cancel", id: crypto.randomUUID(), ...target });
  }

  /** Send any command that has an id; it survives reconnects. */
  command(frame) {
    const promise = this.outbox.keep(frame);
    if (this.state === "open") this.transmit(frame);
    return promise;
  }

  /** Settle what the server answers, and send again what it has not answered. */
  received(frame) {
    if (frame.type === "welcome") this.outbox.waiting().forEach((each) => this.transmit(each));
    if (frame.type !== "ack" && frame.type !== "error") return;
    this.outbox.settle(frame);
    const entry = this.outbox.waiting().find((each) => each.id === frame.id);
    if (entry) setTimeout(() => this.state === "open" && this.transmit(entry), 1_000 * frame.retry_after);
  }
}
