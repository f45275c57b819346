import { markup } from "./markup.js";
import { place } from "./rows.js";
import { words } from "./words.js";
import { WorkAnnouncer } from "./work_announcer.js";

const PATIENCE_MS = 1000;

/** The drawn conversation: it places fragments, appends deltas, and shows at its end that an agent is at work. */
export class Log extends EventTarget {
  #thinking = 0;

  constructor({ announcer, follow, running }) {
    super();
    this.announcer = announcer;
    this.work = new WorkAnnouncer((text) => announcer.say(text));
    this.follow = follow;
    this.log = document.getElementById("log");
    this.live = document.getElementById("live");
    this.running = running || null;
    this.#showEnd();
    follow.now();
  }

  /** Replace everything by a snapshot. */
  snapshot(frame) {
    const held = this.log.contains(document.activeElement) ? document.activeElement.id : "";
    htmx.swap({ text: frame.content ?? "", target: this.log, swap: "innerHTML", sourceElement: this.log });
    this.#afterPlacing(this.log);
    this.work.forget();
    if (held) document.getElementById(held)?.focus({ preventScroll: true });
    const last = frame.events.at(-1)?.type;
    const started = frame.events.find((event) => event.type === "RUN_STARTED");
    this.#run(last === "RUN_FINISHED" || last === "RUN_ERROR" ? null : started?.runId);
    for (const row of this.log.querySelectorAll("[data-client]")) this.#tellDrawn(row);
    this.#showEnd();
    this.follow.now();
  }

  /** Apply one durable frame: its fragment, or the text it carries. */
  apply(frame, { replayed = false } = {}) {
    const { event } = frame;
    if (event.type.endsWith("CONTENT")) this.#grow(frame);
    else if (frame.content) this.#place(frame, replayed);
    if (event.type === "TEXT_MESSAGE_END") this.announcer.end(event.messageId);
    if (event.type === "RUN_STARTED") this.#run(event.runId);
    if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") {
      this.work.tell();
      this.#run(null);
    }
    this.#showEnd();
  }

  /** Resolve when a run that began with a message of this page has ended. */
  waitForEnd(run) {
    const asked = `.row-user[data-run="${CSS.escape(run)}"]`;
    return new Promise((resolve) => {
      const look = () => {
        if (this.running === run || !this.log.querySelector(asked)) return;
        this.removeEventListener("running", look);
        resolve();
      };
      this.addEventListener("running", look);
      look();
    });
  }

  /** Add a piece of text: the open block grows, or finished blocks replace it. */
  #grow({ event: { type, messageId, delta }, content, target, swap }) {
    const element = document.getElementById(`text-${messageId}`);
    if (!element?.add) {
      element?.append(delta);
      if (element) this.#tellDrawn(element.closest(".row"));
      return;
    }
    // A thought is read by whoever unfolds it, and never announced: only a TEXT_ is.
    if (type[0] === "T") this.announcer.add(messageId, delta);
    const place = content !== undefined && document.querySelector(target);
    if (!place) element.add(delta);
    else if (swap === "beforeend") element.add(textOf(content));
    else htmx.swap({ text: content, target: place, swap, sourceElement: this.log });
  }

  #place(frame, replayed) {
    const placed = place(this.log, frame, { replayed });
    if (!placed) return this.#afterPlacing(this.log);
    const { row, isNew, hadFocus, says } = placed;
    this.#afterPlacing(frame.content.includes("<hx-partial") ? this.log : row);
    if (isNew && !row.dataset.client) this.follow.countMissed();
    if (replayed) this.work.forget();
    else this.work.addRow(row);
    if (says && !replayed) this.announcer.say(says);
    this.#tellDrawn(row);
    const wrong = row.querySelector("[aria-invalid=true]");
    if (wrong && !replayed) this.#showRefused(row, wrong);
    else if (hadFocus && !row.contains(document.activeElement)) this.dispatchEvent(new Event("unfocused"));
  }

  /**
   * Show that an answer was refused: at its field where it was written there. What was written in the composer is answered
   * at the end, where its reader is; the button there leads to the question, where that is above the view.
   */
  #showRefused(row, wrong) {
    const written = document.getElementById("composer-text");
    if (wrong.value) wrong.focus({ preventScroll: true });
    else written.setAttribute("aria-describedby", `composer-hint ${wrong.getAttribute("aria-describedby")}`);
    this.follow.now();
    if (wrong.value) this.follow.reveal(row, row.querySelector(".error"));
  }

  #afterPlacing(root) {
    this.dispatchEvent(new CustomEvent("placed", { detail: root }));
  }

  /** Tell that a message of the visitor is in the log. Its row is hidden while it is empty, and the pending row stays. */
  #tellDrawn(row) {
    if (row.dataset.client && !row.querySelector(".bubble p:empty")) this.dispatchEvent(new CustomEvent("drawn", { detail: row.dataset.client }));
  }

  #run(id) {
    if (this.running === (id ?? null)) return;
    this.running = id ?? null;
    this.dispatchEvent(new CustomEvent("running", { detail: this.running }));
  }

  /** Show that the run goes on, unless the last row shows it; announce it after a second without news. */
  #showEnd() {
    const last = this.log.lastElementChild;
    const moves = last?.matches(".row-tool.running, .row-block.open") || last?.querySelector("loopwire-text");
    clearTimeout(this.#thinking);
    this.live.textContent = "";
    this.live.hidden = !this.running || Boolean(moves);
    if (!this.live.hidden) this.#thinking = setTimeout(() => (this.live.textContent = words["run.thinking"]), PATIENCE_MS);
    this.#markEnd(last);
  }

  /** Tell the style sheet what the end is. A `:has()` over the log would restyle all rows whenever a row changes. */
  #markEnd(last) {
    const marks = { running: this.running, live: !this.live.hidden, "text-last": last?.matches(".row-text"), alone: last?.matches(".row-user:only-child") };
    for (const name in marks) this.log.toggleAttribute(`data-${name}`, Boolean(marks[name]));
  }
}

/** The text of a fragment that is text alone. */
function textOf(content) {
  const template = document.createElement("template");
  template.innerHTML = markup(content);
  return template.content.textContent;
}
