import { Conversation } from "./conversation.js";
import { Identity } from "./identity.js";
import { SessionStore } from "./session_store.js";
import { PendingMessages } from "./pending_messages.js";
import { Requests } from "./requests.js";
import { Runs } from "./runs.js";
import { SendQueue } from "./send_queue.js";
import { Client, closedBy } from "./session_client.js";
import { Subscribers } from "./subscribers.js";
import { tickets } from "./tickets.js";

/** The parts behind a chat: client, fold, pending messages, send queue, runs and subscribers. */
export class Session {
  abort = new AbortController();
  #isKnown;
  #left;
  #refused = false;
  #run = null;
  token;
  #waiting = [];
  connection = { state: "closed" };
  pending = new PendingMessages();
  subscribers = new Subscribers();

  constructor({ url = globalThis.location?.origin, storage, session, app, service, language, alias, ticket, ...options }) {
    const base = new URL(url, globalThis.location?.href).href.replace(/\/$/, "");
    this.store = new SessionStore(storage, `loopwire ${[base, service, alias, session]}`);
    this.requests = new Requests(base, options.fetch);
    const left = this.store.read();
    this.#left = ticket ? left : { frames: [] };
    const isNew = () => this.client.position.seq === null;
    const wire = { isNew, isKept: (id) => isNew() && id === left.session && !session, isRefused: () => this.#refused };
    const begun = { service, language, alias };
    const about = () => ({ app, service, session_id: this.client.session ?? undefined, resume_token: this.#resumeToken() });
    this.identity = new Identity(this.requests, { about, switchUser: (told) => this.#switchUser(told) });
    const ask = tickets(ticket, this.requests, begun, wire);
    this.ticket = async (id) => {
      await this.identity.wait();
      return this.identity.isKnown ? this.identity.ticket(id ? { session_id: id, language } : begun) : ask(id);
    };
    this.client = new Client({
      ...options,
      url: `${base.replace(/^http/, "ws")}/ws`,
      ticket: this.ticket,
      session: session ?? left.session,
      onFrame: (frame) => this.#receive(frame),
      onAnswer: (call, ack) => this.runs.followAnswer(call, ack),
    });
    this.client.addEventListener("frame", ({ detail }) => this.runs.remember(detail.event));
    this.client.addEventListener("state", ({ detail }) => this.#onState(detail));
    this.conversation = new Conversation(this.client);
    this.conversation.addEventListener("change", ({ detail }) => this.#follow(detail));
    [this.runs, this.queue] = [new Runs(this.client, this.conversation), new SendQueue(this.client, this.store)];
    for (const frame of left.frames) this.put(frame).catch(() => {});
    if (ticket || this.client.session || left.frames.length) this.connect();
  }

  connect() {
    if (!this.client.wanted) this.client.connect();
  }

  /** Send a message in its turn; it is pending until the conversation has it. */
  async put(frame) {
    this.pending.write(frame);
    this.subscribers.tell();
    try {
      const ack = await this.queue.send(frame);
      this.pending.ack(frame.id, ack);
      return ack;
    } catch (error) {
      this.pending.drop(frame.id);
      throw error;
    } finally {
      this.subscribers.tell();
    }
  }

  /** Wait until the conversation is loaded; rejects when the server refuses the connection. */
  untilLoaded() {
    this.connect();
    if (this.#isKnown) return null;
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #receive(frame) {
    if (frame.type === "welcome") return this.#takeWelcome(frame);
    if (frame.type !== "queue") return;
    this.#isKnown = true; // `queue` is the last frame of a join.
    this.#waiting.splice(0).forEach(({ resolve }) => resolve());
    this.pending.list(frame.items, this.conversation);
    this.runs.list(frame.items);
    this.subscribers.tell();
  }

  #takeWelcome({ session_id, resume_token }) {
    this.token = resume_token;
    // The page's ticket is for another session than the one of these frames.
    const { session, frames } = this.#left;
    if (session && session !== session_id) for (const { id } of frames) this.queue.take(id, closedBy({}));
    this.store.begin(session_id);
  }

  /** The token that proves that this visitor has the session, unless a bearer does. */
  #resumeToken() {
    return this.identity.isKnown ? undefined : this.token;
  }

  /** Reconnect as the current user; drop the frames of another session. */
  #switchUser({ session_id, hasLeft }) {
    const { client } = this;
    if (session_id !== client.session && client.session) {
      this.queue.forget();
      this.#abandon(closedBy({}));
      this.conversation.take({ type: "snapshot", seq: null, epoch: null, events: [] });
    }
    this.token = undefined;
    this.store.begin(session_id);
    client.renew(session_id);
    if (session_id && !hasLeft) this.connect();
  }

  #abandon(why) {
    this.abort.abort(why);
    this.abort = new AbortController();
    for (const { reject } of this.#waiting.splice(0)) reject(why);
    this.queue.abandon(why);
    this.runs.close();
  }

  #follow(detail) {
    this.pending.follow(this.conversation, detail);
    this.runs.follow(detail);
    const { run } = this.conversation;
    // A run that ended left room in the server's queue.
    if (run !== this.#run && run?.status !== "running") this.queue.hurry();
    this.#run = run;
    this.subscribers.tell();
  }

  #onState(detail) {
    this.connection = detail;
    this.#refused ||= detail.code === 4401;
    this.#isKnown &&= detail.state === "open";
    this.subscribers.tell();
    if (detail.state !== "closed") return;
    this.identity.close(detail);
    this.#abandon(closedBy(detail));
    if (detail.next === "session") this.store.begin(null);
  }
}
