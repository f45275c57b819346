import { errorCard } from "./error_card.js";
import { messageRow, removeLine, showLine, showUpload } from "./message_row.js";
import { timeWords } from "./time_words.js";
import { phrase, words } from "./words.js";

const PATIENCE_MS = 1000;
const UNDER_WAY = ["queue.sending", "composer.offline", "queue.trying", "queue.limited"];

/** The rows of messages that are not in the log yet: being sent, queued, or not sent. */
export class PendingRows {
  /** `parts`: what cancels a queued message (`cancel`) and sends one again (`again`), the unsent messages and the announcer. */
  constructor(parts) {
    Object.assign(this, parts);
    this.sending = document.getElementById("sending");
    this.docked = document.getElementById("queue");
    this.rows = new Map();
    this.offline = false;
    const log = this.sending.previousElementSibling;
    new MutationObserver(() => log.toggleAttribute("data-sending", this.sending.firstChild)).observe(this.sending, { childList: true });
  }

  /** Set whether the page is offline: the rows then say that messages wait. */
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

  /** Mark a message as stored: from now on the log and the queue show it. */
  acknowledge(id) {
    this.unsent.delete(id);
    const row = this.rows.get(id);
    if (!row || !this.open().includes(id)) return;
    row.querySelector("small")?.remove();
    row.dataset.state = "taken";
  }

  /** Show that the server could not store the message yet; the client sends it again. */
  showRetry(id) {
    this.#tell(id, "queue.trying");
  }

  /** Show that the server accepts the message in so many seconds, because of a rate limit. */
  showLimit(id, seconds) {
    this.#tell(id, "queue.limited", { when: timeWords(seconds) });
  }

  /** Show that a stop ends the answer alone and the queued messages follow; returns the sentence for a screen reader. */
  showStop() {
    const waiting = [...this.rows.values()].filter(({ dataset }) => dataset.state === "queue.queued");
    for (const row of waiting) row.querySelector("small span").textContent = words["queue.next"];
    if (waiting.length < 2) return waiting.length ? words["queue.next.one"] : "";
    return phrase("queue.next.several", { count: waiting.length });
  }

  /** Show the queued messages, as the server lists them, and drop the others. Returns their number. */
  queue(items) {
    const waiting = new Set(items.map((item) => item.id));
    for (const item of items) {
      const row = this.#row(item.id, item.text);
      this.docked.append(row);
      this.#state(row, "queue.queued", {}, [words["queue.remove"], () => this.cancel(item.id)]);
      row.querySelector("small span").textContent = words["queue.queued"];
    }
    for (const [id, row] of this.rows) if (row.dataset.state === "queue.queued" && !waiting.has(id)) this.drop(id);
    return items.length;
  }

  /** Show the progress of the upload of a message's pictures, from 0 to 1; `remove` is called by its button. */
  showProgress(id, fraction, remove) {
    const row = this.rows.get(id);
    if (row) showUpload(row, fraction, remove);
  }

  /** Show that a message could not be sent, with buttons to send it again or to remove it. `values` stand in the sentence. */
  showUnsent(id, why = "queue.unsent", values = {}) {
    const row = this.rows.get(id);
    if (!row) return;
    row.querySelector(".upload")?.remove();
    this.sending.append(row);
    row.dataset.state = why;
    removeLine(row);
    const rest = phrase(`${why}.rest`, values);
    const again = [words["queue.again"], () => this.again(id)];
    row.append(errorCard(words[why], rest, again, [words["queue.remove"], () => this.drop(id)]));
    this.announcer.say(`${words[why]}. ${rest}`);
  }

  /** The ids of messages that are still being sent. */
  open() {
    return [...this.rows].filter(([, row]) => [undefined, ...UNDER_WAY].includes(row.dataset.state)).map(([id]) => id);
  }

  /** Remove the row of a message that is in the log now, or was withdrawn. */
  drop(id) {
    this.unsent.delete(id);
    this.rows.get(id)?.remove();
    this.rows.delete(id);
  }

  get #underWay() {
    return UNDER_WAY[Number(this.offline)];
  }

  #row(id, text, photos = []) {
    const row = this.rows.get(id) ?? messageRow(text, photos);
    this.rows.set(id, row);
    return row;
  }

  /** Show and announce the state of a message that is still being sent. */
  #tell(id, key, values) {
    if (this.open().includes(id)) this.announcer.say(this.#state(this.rows.get(id), key, values));
  }

  /** Show a state; returns its sentence, which is empty where it was shown before. */
  #state(row, key, values = {}, ...buttons) {
    if (row.dataset.state === key && !values.when) return "";
    const sentence = phrase(key, values);
    row.dataset.state = key;
    showLine(row, sentence, ...buttons);
    return sentence;
  }
}
