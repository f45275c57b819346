import { ours } from "./messages.js";

/** The person's messages without an event so far: `unsent` without their ack, then `queued` behind other runs. */
export class PendingMessages {
  #before;
  #listed = [];
  #messages = new Map();
  #shown = null;

  /** A message was written here; until its ack it is unsent. */
  write({ id, content }) {
    const text = content.map((part) => part.text ?? part.label ?? "").join("\n");
    this.#put(id, text, { pending: "unsent", content });
  }

  /** It is stored. One that had been stored before waits only if the server says so. */
  acknowledge(id, { dup }) {
    const message = this.#messages.get(id);
    if (!message) return;
    if (dup && !this.#listed.some((item) => item.id === id)) this.drop(id);
    else this.#put(id, message.content, { ...ours(message), pending: "queued" });
  }

  /** It was refused, or taken back. */
  drop(id) {
    if (this.#messages.delete(id)) this.#shown = null;
  }

  /** The server says what waits, also from other tabs. */
  list(items, { messages }) {
    this.#listed = items;
    const told = new Set(messages.map((each) => ours(each).client_id));
    for (const { id, text } of items)
      if (!told.has(id) && !this.#messages.has(id)) this.#put(id, text, { pending: "queued" });
  }

  /** The conversation changed: what it tells is no longer pending; after a snapshot the server lists anew what is. */
  follow({ messages }, { ids, snapshot }) {
    if (this.#messages.size === 0) return;
    const changed = new Set(ids);
    for (const each of messages) if (changed.has(each.id)) this.drop(ours(each).client_id);
    if (snapshot) for (const [id, each] of this.#messages) if (ours(each).pending === "queued") this.drop(id);
  }

  /** These messages behind all others; the same list as long as nothing changes. */
  after(messages) {
    if (this.#messages.size === 0) return messages;
    if (this.#before !== messages) this.#shown = null;
    this.#before = messages;
    return (this.#shown ??= [...messages, ...this.#messages.values()]);
  }

  #put(id, content, own) {
    this.#messages.set(id, { id, role: "user", content, metadata: { loopwire: { ...own, client_id: id } } });
    this.#shown = null;
  }
}
