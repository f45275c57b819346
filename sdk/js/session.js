import { LoopwireClient } from "./client.js";
import { Conversation } from "./conversation.js";
import { Kept } from "./kept.js";
import { Pending } from "./pending.js";
import { Requests } from "./requests.js";
import { Runs } from "./runs.js";
import { Sending } from "./sending.js";
import { Subscribers } from "./subscribers.js";
import { tickets } from "./tickets.js";

class Client extends LoopwireClient {
  received(frame) {
    this.options.hears(frame);
    super.received(frame);
  }

  toolResult(call, content, id) {
    return this.options.answered(call, super.toolResult(call, content, id));
  }
}
/** What stands behind a chat: the wire, the fold, what waits, who listens. */
export class Session {
  #abort = new AbortController();
  #isKnown = false;
  #left;
  #refused = false;
  #run = null;
  #ticket;
  #token;
  #waiting = [];
  connection = { state: "closed" };
  pending = new Pending();
  subscribers = new Subscribers();

  constructor({ url = globalThis.location?.origin, storage, session, service, language, alias, ticket, ...options }) {
    const base = new URL(url, globalThis.location?.href).href.replace(/\/$/, "");
    this.kept = new Kept(storage, `loopwire ${[base, service, alias, session]}`);
    this.requests = new Requests(base, options.fetch);
    const left = this.kept.read();
    this.#left = ticket ? left : { frames: [] };
    const isNew = () => this.client.position.seq === null;
    const wire = { isNew, isKept: (id) => isNew() && id === left.session && !session, isRefused: () => this.#refused };
    this.#ticket = tickets(ticket, this.requests, { service, language, alias }, wire);
    this.client = new Client({
      ...options,
      url: `${base.replace(/^http/, "ws")}/ws`,
      ticket: this.#ticket,
      session: session ?? left.session,
      hears: (frame) => this.#hears(frame),
      answered: (call, ack) => this.runs.answered(call, ack),
    });
    this.client.addEventListener("frame", ({ detail }) => this.runs.hear(detail.event));
    this.client.addEventListener("state", ({ detail }) => this.#state(detail));
    this.conversation = new Conversation(this.client);
    this.conversation.addEventListener("change", ({ detail }) => this.#follow(detail));
    [this.runs, this.sending] = [new Runs(this.client, this.conversation), new Sending(this.client, this.kept)];
    for (const frame of left.frames) this.put(frame).catch(() => {});
    if (ticket || this.client.session || left.frames.length) this.connect();
  }

  connect() {
    if (!this.client.wanted) this.client.connect();
  }

  /** Send a message in its turn; until then, and until an event tells it, it is pending. */
  async put(frame) {
    this.pending.write(frame);
    this.subscribers.tell();
    try {
      const ack = await this.sending.send(frame);
      this.pending.acked(frame.id, ack);
      return ack;
    } catch (error) {
      this.pending.drop(frame.id);
      throw error;
    } finally {
      this.subscribers.tell();
    }
  }

  /** Ask something of the session by HTTP, with the wire's token, or a new ticket where that has become too old. */
  async request(ask) {
    await this.known();
    const path = `/v1/sessions/${this.client.session}`;
    const { signal } = this.#abort;
    try {
      return await ask(path, { bearer: this.#token, signal });
    } catch (error) {
      if (error.status !== 401) throw error;
      const { ticket } = await this.#ticket(this.client.session);
      return ask(path, { bearer: ticket, signal });
    }
  }

  /** Wait until the conversation is known as it stands; rejects when the server does not let the chat in. */
  known() {
    this.connect();
    if (this.#isKnown) return null;
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #hears(frame) {
    if (frame.type === "welcome") return this.#welcomed(frame);
    if (frame.type !== "queue") return;
    // It comes last of all that a newcomer is told.
    this.#isKnown = true;
    this.#waiting.splice(0).forEach(({ resolve }) => resolve());
    this.pending.list(frame.items, this.conversation);
    this.runs.list(frame.items);
    this.subscribers.tell();
  }

  #welcomed({ session_id, resume_token }) {
    this.#token = resume_token;
    // The page's ticket is for another session than the one in which these were written.
    const { session, frames } = this.#left;
    if (session && session !== session_id) for (const { id } of frames) this.sending.take(id, closedBy({}));
    this.kept.begin(session_id);
  }

  #follow(detail) {
    this.pending.follow(this.conversation, detail);
    this.runs.follow(detail);
    const { run } = this.conversation;
    // A run that ended made room in the server's queue.
    if (run !== this.#run && run?.status !== "running") this.sending.hurry();
    this.#run = run;
    this.subscribers.tell();
  }

  #state(detail) {
    this.connection = detail;
    this.#refused ||= detail.code === 4401;
    this.#isKnown &&= detail.state === "open";
    this.subscribers.tell();
    if (detail.state !== "closed") return;
    const why = closedBy(detail);
    this.#abort.abort(why);
    this.#abort = new AbortController();
    for (const { reject } of this.#waiting.splice(0)) reject(why);
    this.sending.abandon(why);
    this.runs.close();
    if (detail.next === "session") this.kept.begin(null);
  }
}

/** Why nobody answers any more. */
function closedBy({ next, message }) {
  return Object.assign(new Error(message ?? "The chat is closed."), { code: "closed", next });
}
