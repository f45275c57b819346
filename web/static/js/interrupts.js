import { readAnswers, forget, showRefusal, keep, restore, showError } from "./questions.js";
import { errorCard } from "./error_card.js";
import { phrase, words } from "./words.js";

const PATIENCE_MS = 1000;
const OVER = new Set(["answered", "expired", "not_found"]);
const WORDED = new Set([...OVER, "budget"]);

/**
 * The cards that wait for a person's answer: each is answered once. While the answer is on its way the card is disabled. A
 * refused answer can be given again; an answer that was too late shows why, and the card loses its buttons.
 */
export class Interrupts {
  #flying = new Set();
  #late = new Map();

  constructor(rows, { log, send, left, announcer, follow, isOpen }) {
    Object.assign(this, { rows, log, send, left, announcer, follow, isOpen });
    rows.addEventListener("submit", (event) => this.#submit(event));
    rows.addEventListener("click", ({ target }) => this.#decline(target.closest("[data-decline]")));
    rows.addEventListener("input", ({ target }) => this.#change(target));
    log.addEventListener("placed", ({ detail }) => this.#dress(detail));
    this.#dress(rows);
  }

  #submit(event) {
    const form = event.target.closest("form[data-interrupt]");
    if (!form) return;
    event.preventDefault();
    const payload = form.querySelector(".question") ? readAnswers(form) : { approved: true };
    if (payload) this.#answer(form, { status: "resolved", payload });
  }

  #decline(button) {
    if (!button) return;
    const payload = button.dataset.decline;
    this.#answer(button.form, payload ? { status: "resolved", payload: JSON.parse(payload) } : { status: "cancelled" });
  }

  #change(field) {
    const form = field.closest("form[data-interrupt]");
    if (!form) return;
    showError(field.closest(".question"), "");
    keep(form);
  }

  async #answer(form, entry) {
    const id = form.dataset.interrupt;
    const row = form.closest(".row").id;
    if (this.#flying.has(id)) return;
    const hadFocus = form.contains(document.activeElement);
    this.#flying.add(id);
    this.#show();
    this.follow.toEnd();
    if (hadFocus) this.left();
    const waits = setTimeout(() => this.#say(row, this.isOpen() ? "interrupt.sending" : "composer.offline"), PATIENCE_MS);
    try {
      await this.send([{ interrupt_id: id, ...entry }]);
      forget(form);
    } catch (error) {
      this.#handleRefusal(id, row, error);
    }
    clearTimeout(waits);
  }

  /** Show an answer that was refused: it was too late, or can be given again. */
  #handleRefusal(id, row, { code, message }) {
    this.#flying.delete(id);
    if (OVER.has(code)) this.#late.set(row, code);
    this.#show();
    const form = document.querySelector(`#${CSS.escape(row)} form`);
    if (code === "bad_answer" && form && showRefusal(form, message)) return this.#draw(row, "");
    return this.#say(row, `interrupt.${WORDED.has(code) ? code : "failed"}`, code === "bad_answer" ? message : "");
  }

  /** Complete drawn cards: their deadline, the text that was written in them, and the state of their answer. */
  #dress(root) {
    for (const time of root.querySelectorAll("[data-until]:empty")) until(time);
    for (const form of root.querySelectorAll("form[data-interrupt]")) restore(form);
    for (const id of this.#flying) if (!this.rows.querySelector(`[data-interrupt="${CSS.escape(id)}"]`)) this.#flying.delete(id);
    this.#show();
    const last = this.rows.lastElementChild;
    if (last?.querySelector("form[data-interrupt]")) this.follow.begin(last);
    for (const [row, code] of this.#late) if (!document.querySelector(`#${CSS.escape(row)} .told`)) this.#draw(row, words[`interrupt.${code}`]);
  }

  #show() {
    for (const form of this.rows.querySelectorAll("form[data-interrupt]")) {
      const flies = this.#flying.has(form.dataset.interrupt);
      const late = this.#late.has(form.closest(".row").id);
      form.setAttribute("aria-busy", String(flies));
      for (const each of form.elements) each.disabled = flies || late;
      form.querySelector(".form-actions").hidden = late;
    }
  }

  #say(row, key, message = "") {
    const text = message || words[key] || "";
    this.#draw(row, text, key.startsWith("interrupt.") && key !== "interrupt.sending");
    this.announcer.say(text);
  }

  /** Show the state of an answer in its card, or under the line that the card has folded to. */
  #draw(row, text, isFault = true) {
    const place = document.querySelector(`#${CSS.escape(row)} :is(.form-body, .settled > div)`);
    place?.querySelector(":scope > .told")?.remove();
    if (!text) return;
    const told = isFault ? errorCard(text) : Object.assign(document.createElement("p"), { textContent: text });
    told.classList.add("told");
    place?.append(told);
  }
}

/** The deadline of an answer, by the reader's clock. */
function until(time) {
  const at = new Date(Number(time.dataset.until));
  const language = document.documentElement.lang;
  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
  const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" }).format(at);
  const isToday = at.toDateString() === new Date().toDateString();
  time.dateTime = at.toISOString();
  time.textContent = phrase(isToday ? "interrupt.until" : "interrupt.until.day", { time: clock, day });
}
