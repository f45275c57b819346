/** What was said in this tab and is not acknowledged: it outlives a reload, in the tab's own storage. */
export class Kept {
  #place;
  #begun;

  /** What is said before a conversation exists is kept for the page that begins one with this service. */
  constructor({ session, service }) {
    this.#begun = Boolean(session);
    this.#place = place(session || `new:${service}`);
  }

  /** The conversation exists now: what was kept for it goes with it. */
  begun(session) {
    const all = this.all();
    write(this.#place, []);
    this.#place = place(session);
    write(this.#place, all);
  }

  /** Keep a message: its id, its parts and its text. */
  add(message) {
    write(this.#place, [...this.all().filter(({ id }) => id !== message.id), message]);
  }

  /** It was stored, or its writer took it back. */
  forget(id) {
    write(this.#place, this.all().filter((each) => each.id !== id));
  }

  /** After a reload: send what waits, under the same ids; where nothing has begun its writer decides. */
  again({ log, send, giveBack, lost }) {
    const left = this.all();
    for (const { id, parts, text, photos } of left) {
      if (photos) this.#giveBack({ id, text }, giveBack);
      else if (!this.#begun || log.querySelector(`[data-client="${CSS.escape(id)}"]`)) this.forget(id);
      else send(parts, text, id).catch(() => {});
    }
    const said = left.filter(({ photos }) => !photos);
    if (said.length < left.length) lost();
    if (!this.#begun && said.length) giveBack(said.map(({ text }) => text).join("\n"));
  }

  /** Its pictures were not uploaded, and went with the page: its writer decides. */
  #giveBack({ id, text }, giveBack) {
    this.forget(id);
    if (text) giveBack(text);
  }

  /** What waits, oldest first. */
  all() {
    try {
      return JSON.parse(sessionStorage.getItem(this.#place)) ?? [];
    } catch {
      return [];
    }
  }
}

function place(name) {
  return `loopwire:unsent:${name}`;
}

function write(key, messages) {
  try {
    if (messages.length) sessionStorage.setItem(key, JSON.stringify(messages));
    else sessionStorage.removeItem(key);
  } catch {
    // Storage is closed to us, or full: what is said lives as long as the page.
  }
}
