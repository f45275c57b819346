import { inOrder, ours } from "./messages.js";
import { Position } from "./position.js";
import { Transcript } from "./transcript.js";

/**
 * A conversation as messages, folded from the frames of a client, or from frames that the caller passes to `take`.
 *
 * Event: `change` (detail: `ids` of the messages that were added, changed or removed; `snapshot` when everything was replaced).
 * `messages`, `state` and `run` are never changed in place, so a page finds by identity what is new.
 */
export class Conversation extends EventTarget {
  #position = new Position();
  #transcript = new Transcript();
  /** The cursor of the messages before these; null when there are none. */
  before = null;

  /** @param {EventTarget} [client] a LoopwireClient that has received nothing yet */
  constructor(client) {
    super();
    if (!client) return;
    if (client.position.seq !== null) throw new Error("The conversation has to be made before its client connects.");
    for (const name of ["snapshot", "frame"]) client.addEventListener(name, ({ detail }) => this.take(detail));
  }

  /** All messages in order, as `GET /v1/sessions/{id}/messages` gives them; one with `metadata.loopwire.open` grows. */
  get messages() {
    return this.#transcript.messages;
  }

  /** The session's state, an item's draft for example. */
  get state() {
    return this.#transcript.state;
  }

  /** The latest run: `status` is running, finished (with its `outcome`) or error; null when none is known. */
  get run() {
    return this.#transcript.run;
  }

  /** The names of the agents at work, the newest last. */
  get steps() {
    return this.#transcript.steps;
  }

  /** Take a frame of the server. A frame that was applied before, or that has no event, changes nothing. */
  take(frame) {
    if (frame.type === "snapshot") this.#replace(frame);
    else for (const each of frame.batch ?? [frame]) if (each.event) this.#follow(each);
  }

  /** Put a page of earlier messages before these, as `GET /v1/sessions/{id}/messages?before=…` returns it. */
  earlier({ messages, before }) {
    const known = new Set(this.messages.map(({ id }) => id));
    const added = messages.filter(({ id }) => !known.has(id));
    this.#transcript.messages = inOrder([...added, ...this.messages]);
    this.before = before ?? null;
    this.#tell({ ids: added.map(({ id }) => id) });
  }

  #replace({ events, seq, epoch, before }) {
    const gone = this.messages;
    this.#transcript = new Transcript();
    for (const event of events) this.#transcript.apply(event);
    this.#position.set(seq, epoch);
    this.before = before ?? null;
    this.#tell({ ids: [...new Set([...gone, ...this.messages].map(({ id }) => id))], snapshot: true });
  }

  #follow(frame) {
    const verdict = this.#position.judge(frame);
    if (verdict === "hole") throw new Error(`Events are missing before ${frame.seq}: it begins with a snapshot, and has no holes.`);
    if (verdict === "drop") return;
    this.#position.pass(frame);
    const { scope, before } = ours(frame.event);
    if (scope === "path") this.before = before ?? null;
    this.#tell({ ids: this.#transcript.apply(frame.event) });
  }

  #tell(detail) {
    this.dispatchEvent(new CustomEvent("change", { detail }));
  }
}
