/** Stores the unacknowledged messages of this tab, so that they survive a reload. */
export class UnsentMessages {
  #place;
  #hasSession;

  /** Without a session, keep the messages for the page that begins a conversation with this service. */
  constructor({ session, service }) {
    this.#hasSession = Boolean(session);
    this.#place = place(session || `new:${service}`);
  }

  /** Move the messages to the conversation that exists now. */
  setSession(session) {
    const all = this.all();
    write(this.#place, []);
    this.#place = place(session);
    write(this.#place, all);
  }

  /** Store a message: its id, its parts and its text. */
  add(message) {
    write(this.#place, [...this.all().filter(({ id }) => id !== message.id), message]);
  }

  /** Delete a message that the server has stored or the writer withdrew. */
  delete(id) {
    write(this.#place, this.all().filter((each) => each.id !== id));
  }

  /** After a reload: send the stored messages under the same ids, or return them to the composer where no session began. */
  resend({ log, send, giveBack, lost }) {
    const left = this.all();
    for (const { id, parts, text, photos } of left) {
      if (photos) this.#giveBack({ id, text }, giveBack);
      else if (!this.#hasSession || log.querySelector(`[data-client="${CSS.escape(id)}"]`)) this.delete(id);
      else send(parts, text, id).catch(() => {});
    }
    const said = left.filter(({ photos }) => !photos);
    if (said.length < left.length) lost();
    if (!this.#hasSession && said.length) giveBack(said.map(({ text }) => text).join("\n"));
  }

  /** Return the texts of another conversation, which cannot be opened any more, to the composer. */
  returnFrom(session, giveBack) {
    const texts = read(place(session)).map(({ text }) => text).filter(Boolean);
    write(place(session), []);
    if (texts.length) giveBack(texts.join("\n"));
  }

  /** Delete all: the visitor has deleted the conversation. */
  clear() {
    write(this.#place, []);
  }

  /** Return the text of a message whose pictures were lost with the page. */
  #giveBack({ id, text }, giveBack) {
    this.delete(id);
    if (text) giveBack(text);
  }

  /** The stored messages, oldest first. */
  all() {
    return read(this.#place);
  }
}

/** Return whether a conversation has messages that the server has not acknowledged. */
export function hasUnsent(session) {
  return read(place(session)).length > 0;
}

function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key)) ?? [];
  } catch {
    return [];
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
    // The browser refuses storage, or it is full: the messages are lost with the page.
  }
}
