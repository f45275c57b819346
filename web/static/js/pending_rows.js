import { errorCard } from "./error_card.js";
import { timeWords } from "./time_words.js";
import { phrase, words } from "./words.js";

const PATIENCE_MS = 1000;
const UNDER_WAY = ["queue.sending", "composer.offline", "queue.trying", "queue.limited"];

/** What was said here but is not in the log yet: being sent, waiting in the queue, or not sent. */
export class PendingRows {
  constructor({ cancel, again, unsent }) {
    this.sending = document.getElementById("sending");
    this.docked = document.getElementById("queue");
    this.cancel = cancel;
    this.again = again;
    this.unsent = unsent;
    this.rows = new Map();
    this.offline = false;
  }

  /** Say whether the wire is cut: nothing is being sent meanwhile. */
  setOffline(offline) {
    if (offline === this.offline) return;
    this.offline = offline;
    for (const id of this.open()) {
      const row = this.rows.get(id);
      if (row.dataset.state) this.#state(row, this.#underWay);
    }
  }

  /** Show a message as being sent: at the end of the log, or over the composer while an answer runs. */
  add(id, text, { queued, photos = [] }) {
    const row = this.#row(id, text, photos);
    (queued ? this.docked : this.sending).append(row);
    if (!queued) setTimeout(() => row.dataset.state || this.#state(row, this.#underWay), PATIENCE_MS);
  }

  /** The server has it: what becomes of it is told by the log and the queue. */
  acknowledge(id) {
    this.unsent.delete(id);
    const row = this.rows.get(id);
    if (!row || !this.open().includes(id)) return;
    row.querySelector("small")?.remove();
    row.dataset.state = "taken";
  }

  /** The server could not store it yet; it is sent again until it is. */
  showRetry(id) {
    if (this.open().includes(id)) this.#state(this.rows.get(id), "queue.trying");
  }

  /** The server takes it in so many seconds, when less was sent in a short time; until then it is unsent. */
  showLimit(id, seconds) {
    if (this.open().includes(id)) this.#state(this.rows.get(id), "queue.limited", { when: timeWords(seconds) });
  }

  /** Say that a stop ends the answer alone, and what waits for it goes next; returns the sentence for it, if anything waits. */
  showStop() {
    const waiting = [...this.rows.values()].filter(({ dataset }) => dataset.state === "queue.queued");
    for (const row of waiting) row.querySelector("small span").textContent = words["queue.next"];
    if (waiting.length < 2) return waiting.length ? words["queue.next.one"] : "";
    return phrase("queue.next.several", { count: waiting.length });
  }

  /** Show what waits, as the server says it; what it names no longer has been taken. Returns how many wait. */
  queue(items) {
    const waiting = new Set(items.map((item) => item.id));
    for (const item of items) {
      const row = this.#row(item.id, item.text);
      this.docked.append(row);
      this.#state(row, "queue.queued", {}, "queue.remove", () => this.cancel(item.id));
      row.querySelector("small span").textContent = words["queue.queued"];
    }
    for (const [id, row] of this.rows) if (row.dataset.state === "queue.queued" && !waiting.has(id)) this.drop(id);
    return items.length;
  }

  /** Show how much of its pictures has gone, from 0 to 1. */
  showProgress(id, fraction) {
    const row = this.rows.get(id);
    if (!row) return;
    const bar = row.querySelector("progress") ?? document.createElement("progress");
    bar.value = fraction;
    bar.setAttribute("aria-label", words["photos.sending"]);
    if (fraction >= 1) bar.remove();
    else if (!bar.isConnected) row.querySelector(".photos").after(bar);
  }

  /** Show that a message could not be sent; it can be tried again, or taken away. */
  showUnsent(id, why = "queue.unsent") {
    const row = this.rows.get(id);
    if (!row) return;
    row.querySelector("progress")?.remove();
    this.sending.append(row);
    row.dataset.state = why;
    row.querySelector(":scope > small, :scope > .trouble")?.remove();
    const again = [words["queue.again"], () => this.again(id)];
    row.append(errorCard(words[why], words[`${why}.rest`], again, [words["queue.remove"], () => this.drop(id)]));
  }

  /** Ids of what is still on its way. */
  open() {
    return [...this.rows].filter(([, row]) => [undefined, ...UNDER_WAY].includes(row.dataset.state)).map(([id]) => id);
  }

  /** The message is in the log now, or was taken back. */
  drop(id) {
    this.unsent.delete(id);
    this.rows.get(id)?.remove();
    this.rows.delete(id);
  }

  get #underWay() {
    return UNDER_WAY[Number(this.offline)];
  }

  #row(id, text, photos = []) {
    const known = this.rows.get(id);
    if (known) return known;
    const row = document.createElement("li");
    if (photos.length) row.append(pictureBox(photos));
    if (text) row.append(Object.assign(document.createElement("p"), { className: "bubble", textContent: text }));
    this.rows.set(id, row);
    return row;
  }

  #state(row, key, values = {}, ...actions) {
    if (row.dataset.state === key && !values.when) return;
    row.dataset.state = key;
    row.querySelector(":scope > small, :scope > .trouble")?.remove();
    const line = document.createElement("small");
    const said = document.createElement("span");
    said.textContent = phrase(key, values);
    line.append(said);
    row.append(line);
    for (let at = 0; at < actions.length; at += 2) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "link", textContent: words[actions[at]] });
      button.addEventListener("click", actions[at + 1]);
      line.append(" ", button);
    }
  }
}

/** The pictures of a message that is on its way. */
function pictureBox(photos) {
  const box = Object.assign(document.createElement("div"), { className: "photos" });
  box.append(...photos.map(({ url }) => Object.assign(new Image(), { src: url, alt: "" })));
  return box;
}
