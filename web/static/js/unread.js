/** The messages of others that arrive while nobody sees them. */
const TEXT = new Set(["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"]);

export class UnreadMessages {
  #own = new Set();
  #unread = new Set();
  #onChange;

  /** `isSeen` says whether what arrives now is seen. `onChange` is given the number of the unread messages. */
  constructor(client, { isSeen, onChange }) {
    this.#onChange = onChange;
    client.addEventListener("frame", ({ detail: { event } }) => {
      if (!TEXT.has(event.type)) return;
      if (event.role === "user") this.#own.add(event.messageId);
      if (!isSeen() && !this.#own.has(event.messageId)) this.#add(event.messageId);
    });
  }

  /** All messages are seen now. */
  clear() {
    if (!this.#unread.size) return;
    this.#unread.clear();
    this.#onChange(0);
  }

  /** A message counts once, however many pieces it comes in. */
  #add(id) {
    if (this.#unread.has(id)) return;
    this.#unread.add(id);
    this.#onChange(this.#unread.size);
  }
}
