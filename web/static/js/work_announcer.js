const LONG_MS = 1000;

/**
 * Tells a screen reader what the agents did: once for a turn, in the sentence of its line, when they go on to speak or have
 * finished. A long call is announced while it runs.
 */
export class WorkAnnouncer {
  #say;
  #did = new Map();
  #timer = 0;

  constructor(say) {
    this.#say = say;
  }

  /** A row was placed: its line of work is announced later, and other rows than those of the work are what it comes before. */
  addRow(row) {
    clearTimeout(this.#timer);
    const running = row.querySelector(":scope > .card [data-announce=running]")?.textContent;
    const did = row.querySelector(":scope > details > summary [data-announce=work]")?.textContent;
    if (running) this.#timer = setTimeout(() => this.#say(running), LONG_MS);
    // A line takes the place of its first call, under an id of its own.
    if (did) this.#did.set(row.id.replace("row-steps_", "row-"), did);
    if (!row.matches(".row-tool, .row-handoff")) this.tell();
  }

  /** Say now what was done. */
  tell() {
    clearTimeout(this.#timer);
    if (this.#did.size) this.#say([...this.#did.values()].map((each) => `${each.trim()}.`).join(" "));
    this.#did.clear();
  }

  /** What was done is known: the page was drawn anew. */
  forget() {
    clearTimeout(this.#timer);
    this.#did.clear();
  }
}
