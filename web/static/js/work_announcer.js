const LONG_MS = 1000;

/**
 * Announces the work of the agents to a screen reader: once a turn, in the sentence of its line, when the answer continues
 * or ends. A long call is announced while it runs.
 */
export class WorkAnnouncer {
  #say;
  #did = new Map();
  #timer = 0;

  constructor(say) {
    this.#say = say;
  }

  /** Take a placed row: a row of work is announced later, and any other row ends the turn of work. */
  addRow(row) {
    clearTimeout(this.#timer);
    const running = row.querySelector(":scope > .card [data-announce=running]")?.textContent;
    const did = row.querySelector(":scope > details > summary [data-announce=work]")?.textContent;
    if (running) this.#timer = setTimeout(() => this.#say(running), LONG_MS);
    // A line replaces its first call, under an id of its own.
    if (did) this.#did.set(row.id.replace("row-steps_", "row-"), did);
    if (!row.matches(".row-tool, .row-handoff")) this.tell();
  }

  /** Announce the work of the turn now. */
  tell() {
    clearTimeout(this.#timer);
    if (this.#did.size) this.#say([...this.#did.values()].map((each) => `${each.trim()}.`).join(" "));
    this.#did.clear();
  }

  /** Forget the work of the turn, since the page was drawn anew. */
  forget() {
    clearTimeout(this.#timer);
    this.#did.clear();
  }
}
