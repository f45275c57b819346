import { ours } from "./messages.js";

/** The person's messages without an event so far: `unsent` until their ack, then `queued` behind other runs. */
export class PendingMessages {
  #before;
  #listed = [];
  #messages = new Map();
  #shown = null;

  /** Add a message that was written here; it is `unsent` until its ack. */
  write({ id, content }) {
    const text = content.map((part) => part.text ?? part.label ?? "").join("\n");
    this.#put(id, text, { pending: "unsent", content });
  }

  /** Mark a message as stored. One that had been stored before is `queued` only if the server lists it. */
  ack(id, { dup }) {
    const message = this.#messages.get(id);
    if (!message) return;
    if (dup && !this.#listed.some((item) => item.id === id)) this.drop(id);
    else this.#put(id, message.content, { ...ours(message), pending: "queued" });
  }

  /** Remove a message that was refused or withdrawn. */
  drop(id) {
    if (this.#messages.delete(id)) this.#shown = null;
  }

  /** Take the server's list of queued messages, which has those of other tabs too. */
  list(items, { messages }) {
    this.#listed = items;
    const told = new Set(messages.map((each) => ours(each).client_id));
    for (const { id, text } of items)
      if (!told.has(id) && !this.#messages.has(id)) this.#put(id, text, { pending: "queued" });
  }

  /** Drop the messages that the conversation has. After a snapshot the server lists the queued ones anew. */
  follow({ messages }, { ids, snapshot }) {
    if (this.#messages.size === 0) return;
    const changed = new Set(ids);
    for (const each of messages) if (changed.has(each.id)) this.drop(ours(each).client_id);
    if (snapshot) for (const [id, each] of this.#messages) if (ours(each).pending === "queued") this.drop(id);
  }

  /** The given messages and then these; the same list as long as nothing changes. */
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
