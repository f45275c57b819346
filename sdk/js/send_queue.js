import { delay } from "./backoff.js";

/** The pause before the next message after a refusal is that of this attempt. */
const CALM = 3;

/** Sends messages one after the other; the store keeps them for the next page. */
export class SendQueue {
  #attempt = 0;
  #client;
  #full = false;
  #store;
  #entries = [];
  #timer;

  constructor(client, store) {
    [this.#client, this.#store] = [client, store];
  }

  /** Send a frame when those before it are stored; resolves with its ack. */
  send(frame) {
    this.#store.put(frame.id, frame);
    this.#client.tools.claim(frame.id);
    return new Promise((resolve, reject) => {
      this.#entries.push({ frame, resolve, reject });
      this.#next();
    });
  }

  /** Withdraw a message that is not stored yet; it may be on its way, so the server gets a cancel too. */
  take(id, why) {
    const entry = this.#entries.find(({ frame }) => frame.id === id);
    if (!entry) return;
    const { sent } = entry;
    this.#settle(entry, () => entry.reject(why));
    if (!sent) return;
    this.#client.outbox.drop(id, why);
    this.#client.cancel({ message_id: id });
  }

  /** Send now the message that the server refused for a while. */
  hurry() {
    this.#next();
  }

  /** Reject all waiting messages here; the next page sends the stored ones. */
  abandon(why) {
    clearTimeout(this.#timer);
    const { outbox } = this.#client;
    for (const { reject } of this.#entries.splice(0)) reject(why);
    for (const { id } of outbox.waiting()) outbox.drop(id, why);
  }

  /** Delete the waiting messages from the store, so that no next page sends them. */
  forget() {
    for (const { frame } of this.#entries) this.#store.put(frame.id);
  }

  #next() {
    const [first] = this.#entries;
    if (!first || first.sent) return;
    first.sent = true;
    this.#client.command(first.frame).then(
      (ack) => this.#settle(first, () => first.resolve(ack)),
      (error) => (error.retry ? this.#retry(first) : this.#settle(first, () => first.reject(error))),
    );
  }

  /** Try it again later, since the server's queue is full. */
  #retry(entry) {
    entry.sent = false;
    this.#full = true;
    if (this.#entries.includes(entry)) this.#wait(this.#attempt++);
  }

  #wait(attempt) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#next(), delay(attempt));
  }

  #settle(entry, resolve) {
    if (!this.#entries.includes(entry)) return;
    this.#entries.splice(this.#entries.indexOf(entry), 1);
    this.#store.put(entry.frame.id);
    this.#attempt = 0;
    resolve();
    // The message before had to wait for room, so the next one waits too, until a run ends.
    this.#full &&= this.#entries.length > 0;
    if (this.#full) this.#wait(CALM);
    else this.#next();
  }
}
