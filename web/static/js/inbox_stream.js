const AGAIN_MS = 2000;

/** The one stream of an inbox page: the list, and the frames of the open conversation. It reconnects by itself. */
export class InboxStream extends EventTarget {
  #source;
  #later = 0;

  constructor(search) {
    super();
    const { session, epoch, seq } = document.body.dataset;
    this.search = search;
    this.session = session;
    this.position = epoch ? `${epoch}-${seq}` : "";
  }

  /** Open it, or open it anew for another search. */
  open() {
    clearTimeout(this.#later);
    this.#source?.close();
    const asked = new URLSearchParams({ q: this.search(), session: this.session ?? "", position: this.position });
    this.#source = new EventSource(`/inbox/events?${asked}`);
    this.#source.addEventListener("message", (event) => this.#receive(event));
    this.#source.addEventListener("error", () => this.#reopenLater());
  }

  #receive({ data, lastEventId }) {
    if (lastEventId) this.position = lastEventId;
    const frame = JSON.parse(data);
    this.#tell("state", "open");
    for (const each of frame.batch ?? [frame]) {
      if (each.event) this.#tell("frame", each);
      else if (["snapshot", "inbox", "typing"].includes(each.type)) this.#tell(each.type, each);
      else if (each.type === "close") this.#close(each.code);
    }
  }

  /** Reload the page when the sign-in or the conversation has ended: the server then redirects it. */
  #close(code) {
    this.#source.close();
    if (code >= 4400 && code < 4409) location.reload();
    else this.#reopenLater();
  }

  /** Reopen after a pause: an EventSource does not reconnect after a refusal, and reconnects at once after a drain. */
  #reopenLater() {
    this.#tell("state", "waiting");
    this.#source.close();
    clearTimeout(this.#later);
    this.#later = setTimeout(() => this.open(), AGAIN_MS);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
