import { copyText, showCopied } from "./copy.js";
import { alertCard } from "./error_card.js";
import { failureWords } from "./failed_requests.js";
import { askReason, storeRating } from "./feedback_form.js";
import { words } from "./words.js";

const LONG_PRESS_MS = 500;

/** The actions on a finished answer: copy it, rate it, or ask for it again. */
export class AnswerActions {
  constructor(log, { client, announcer, regenerate }) {
    this.log = log;
    this.client = client;
    this.announcer = announcer;
    this.regenerate = regenerate;
    log.addEventListener("click", (event) => this.#click(event.target.closest("button")));
    log.addEventListener("keydown", (event) => this.#key(event));
    log.addEventListener("pointerdown", (event) => this.#press(event));
    document.addEventListener("pointerdown", (event) => this.#close(event.target));
  }

  /** Show a rating that was given or withdrawn in another tab. */
  showRating(message, value) {
    const bar = this.log.querySelector(`loopwire-actions[data-message="${CSS.escape(message)}"]`);
    for (const each of bar?.querySelectorAll("[aria-pressed]") ?? []) each.setAttribute("aria-pressed", String(each.dataset.action === value));
  }

  #click(button) {
    if (!button) return;
    if (button.dataset.retry !== undefined) this.#again(button.dataset.retry, "");
    if (button.dataset.copyData !== undefined) this.#copyData(button);
    if (button.dataset.share !== undefined) this.#share(button);
    if (button.dataset.copyCode !== undefined) this.#copyCode(button);
    if (button.dataset.openActions !== undefined) this.#open(button.closest(".row"));
    const bar = button.closest("loopwire-actions");
    if (!bar) return;
    const { action } = button.dataset;
    if (action === "copy") this.#copy(bar, button);
    else if (action === "again") this.#again(bar.dataset.run, bar.dataset.message);
    else this.#rate(bar, button, action);
  }

  #copy(bar, button) {
    const prose = bar.closest(".row").querySelector(".prose");
    prose.classList.add("copied"); // The class hides what belongs to the page and not to the answer.
    const text = prose.innerText.trim();
    prose.classList.remove("copied");
    this.#copyText(text, button);
  }

  async #copyText(text, button) {
    const copied = await copyText(text);
    if (copied) showCopied(button, words["action.copied"]);
    this.announcer.say(words[copied ? "action.copied" : "action.copy.failed"]);
  }

  /** The data of a response, as programs read it. */
  #copyData(button) {
    this.#copyText(button.closest(".response").querySelector("pre").textContent, button);
  }

  /** Share a text by the device's own dialog, or copy it where the device has none. */
  async #share(button) {
    const { share: text, title } = button.dataset;
    try {
      if (!navigator.share) return void this.#copyText(text, button);
      await navigator.share({ title, text });
      this.announcer.say(words["action.shared"]);
    } catch (error) {
      // The person closed the dialog.
      if (error.name !== "AbortError") this.#copyText(text, button);
    }
  }

  #copyCode(button) {
    this.#copyText(button.closest(".code").querySelector("code").textContent.replace(/\n$/, ""), button);
  }

  #rate(bar, button, value) {
    const on = button.getAttribute("aria-pressed") !== "true";
    const { message } = bar.dataset;
    const before = bar.querySelector("[aria-pressed=true]")?.dataset.action ?? null;
    const row = bar.closest(".row");
    row.querySelectorAll(".reasons, .trouble.unrated").forEach((each) => each.remove());
    this.showRating(message, on ? value : null);
    const thank = () => on && this.announcer.say(words["action.thanks"]);
    storeRating(this, row, { message_id: message, value: on ? value : null }).then(thank, (error) => this.#showUnrated(row, message, before, error));
    if (on && value === "down") this.#askReason(bar, button);
  }

  /** Show that a rating was not stored, and the one that is. */
  #showUnrated(row, message, before, error) {
    this.showRating(message, before);
    row.querySelector(".reasons")?.remove();
    const card = alertCard(...failureWords(error, words["action.unrated"]));
    card.classList.add("unrated");
    row.append(card);
  }

  #askReason(bar, button) {
    const send = async (why) => {
      await storeRating(this, bar.closest(".row"), { message_id: bar.dataset.message, value: "down", ...why });
      this.announcer.say(words["feedback.kept"]);
    };
    askReason(bar, send, () => button.focus());
  }

  /** Ask for another answer to the message that began a run; a run without such a message is named by its answer. */
  #again(run, message) {
    const asked = this.log.querySelector(`.row-user[data-run="${CSS.escape(run)}"]`);
    const id = asked?.id.slice("row-".length) ?? message;
    if (id) this.regenerate(id);
  }

  /** Move the focus between the buttons by arrow keys: the bar is one tab stop. */
  #key(event) {
    const bar = event.target.closest("loopwire-actions");
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!bar || !step) return;
    event.preventDefault();
    const buttons = [...bar.children];
    const next = buttons.at((buttons.indexOf(event.target) + step) % buttons.length);
    for (const each of buttons) each.tabIndex = each === next ? 0 : -1;
    next.focus();
  }

  #press(event) {
    const row = event.pointerType === "touch" && event.target.closest(".row-text");
    if (!row) return;
    const timer = setTimeout(() => this.#open(row), LONG_PRESS_MS);
    for (const end of ["pointerup", "pointercancel", "pointermove"]) row.addEventListener(end, () => clearTimeout(timer), { once: true });
  }

  #open(row) {
    row.querySelector("loopwire-actions")?.classList.add("open");
  }

  #close(target) {
    if (target.closest("loopwire-actions, [data-open-actions]")) return;
    this.log.querySelector("loopwire-actions.open")?.classList.remove("open");
  }
}
