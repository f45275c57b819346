import { newId } from "./ids.js";
import { loadRequests } from "./requests.js";
import { Session } from "./session.js";

const partsOf = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content);

/** A conversation of one person with a service of Loopwire. */
export function loopwire(options = {}) {
  return new Chat(options);
}

/** The chat that `loopwire` returns. It changes none of the values that it shows in place. */
class Chat {
  #session;

  constructor(options) {
    this.#session = new Session(options);
    this.client = this.#session.client;
    this.conversation = this.#session.conversation;
  }

  /** All messages in order, then this person's messages that have no event so far (`metadata.loopwire.pending`). */
  get messages() {
    return this.#session.pending.after(this.conversation.messages);
  }

  /** The conversation's latest run; null before the first. */
  get run() {
    return this.conversation.run;
  }

  /** The agent at work; null when none is. */
  get agent() {
    return this.conversation.steps.at(-1) ?? null;
  }

  /** The session's state, an item's draft for example. */
  get state() {
    return this.conversation.state;
  }

  /** The state of the wire, from its last event `state`. */
  get connection() {
    return this.#session.connection;
  }

  /** Call a listener when any of these changed, at most once a turn. Returns the function that ends it. */
  subscribe = (listener) => this.#session.subscribers.add(listener);

  /** Connect now, where otherwise the first message would. */
  connect() {
    this.#session.connect();
  }

  /** Close the connection. Waiting commands are refused with the code `closed`; the next page sends stored messages. */
  close() {
    this.client.close();
  }

  /** Send a text, or parts; resolves with the run of its answer when the server has stored it. */
  async send(content, { id = newId(), signal } = {}) {
    signal?.throwIfAborted();
    const back = () => this.#session.queue.take(id, signal.reason);
    signal?.addEventListener("abort", back);
    try {
      const stored = this.#session.put({ type: "message", id, content: partsOf(content), ...this.client.offer() });
      this.connect();
      return this.#session.runs.add((await stored).run_id);
    } finally {
      signal?.removeEventListener("abort", back);
    }
  }

  /** Send another version of a message of this person; the server stops the current run. Resolves as `send`. */
  edit(message_id, content, { id = newId() } = {}) {
    return this.#version({ type: "edit", id, message_id, content: partsOf(content), ...this.client.offer() });
  }

  /** Have a message answered once more, named by its own id or by that of its answer; the new answer is a version. */
  regenerate = (message_id, { id = newId() } = {}) => this.#version({ type: "regenerate", id, message_id });

  /** Show another version of a message, one of its `metadata.loopwire.versions`, with what followed it. */
  switch = (message_id, { id = newId() } = {}) => this.#version({ type: "switch", id, message_id });

  async #version(frame) {
    this.client.tools.claim(frame.id);
    this.connect();
    return this.#session.runs.add((await this.client.command(frame)).run_id);
  }

  /** Return the conversation's latest run, of any client, as `send` returns its own: after a reload the one that runs. */
  async follow() {
    await this.#session.untilLoaded();
    return this.run && this.#session.runs.add(this.run.id);
  }

  /** Answer an interrupt; without a payload, cancel it. Resolves with `{ lost: true }` when another tab answered first. */
  async answer(interrupt_id, payload) {
    const status = payload === undefined ? "cancelled" : "resolved";
    this.connect();
    try {
      const { run_id } = await this.client.resume([{ interrupt_id, status, payload }]);
      return this.#session.runs.add(run_id);
    } catch (error) {
      if (error.code === "answered") return { lost: true };
      throw error;
    }
  }

  /** Stop the current run, of any client. */
  stop() {
    this.connect();
    return this.client.cancel({});
  }

  /** Offer a tool of this page to the agents. */
  tool(name, tool, act) {
    this.client.tool({ ...tool, name }, act);
  }

  /** Set what this page shows. The next messages carry it to the agents, as data. null clears it. */
  setContext(context) {
    this.client.setContext(context);
  }

  /** Identify the user by a token of your server, or a function that requests one; null signs out. */
  async identify(token) {
    const { identity, client } = this.#session;
    // An anonymous visitor has nothing to sign out of, and keeps its conversation.
    if (token === null && !identity.isKnown) return { user: null, session_id: client.session };
    return identity.set(token);
  }

  /** Rate a message: "up", "down", or null to withdraw the rating; a "down" may have a `reason` and a `comment`. */
  feedback(message_id, value, why) {
    this.connect();
    return this.client.command({ type: "feedback", id: newId(), message_id, value, ...why });
  }

  /** Pages of older messages, the newest first; each is put before `messages` too. */
  async *history() {
    yield* (await loadRequests(this.#session)).pages(this.#session);
  }

  /** Store a picture; resolves with the part that puts it into a message. */
  async upload(file, options = {}) {
    return (await loadRequests(this.#session)).upload(this.#session, file, options);
  }
}
