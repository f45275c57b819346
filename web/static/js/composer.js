import { approvalButton, countUnclear } from "./approval.js";
import { keep, recall } from "./drafts.js";
import { NARROW, hint, placeholder } from "./hints.js";
import { icon } from "./markup.js";
import { Photos } from "./photos.js";

/** What the server takes, counted as it counts. */
const MOST = 8000;

/** What the server cannot store: NUL, and half of a pair of surrogates. */
const ODD = /\0|\p{Surrogate}/u;

/** What the server makes of the forms of a line break, and what it drops. */
const plain = (text) => text.replace(/\r\n?|[\v\f\u0085]/g, "\n").replace(/[^\P{Cc}\t\n]/gu, "");

/** Where the visitor writes: the text is kept per conversation until it is sent, and survives a reload. */
export class Composer {
  #asked = "";
  #returned = "";

  constructor({ session, send, stop, announcer }) {
    this.form = document.getElementById("composer");
    this.text = document.getElementById("composer-text");
    this.button = document.getElementById("send");
    this.stopper = document.getElementById("stop");
    this.hint = document.getElementById("composer-hint");
    this.send = send;
    this.stop = stop;
    this.session = session;
    this.announcer = announcer;
    this.state = { running: false, stopping: false, full: false, offline: false, spent: false };
    Object.assign(this.state, { long: 0, odd: false, unclear: 0, wrong: "" });
    const wrong = (sentence) => this.complain(sentence);
    this.photos = new Photos(this.form, { changed: () => this.show({ wrong: "" }), announcer, wrong });
    this.form.addEventListener("submit", (event) => this.#submit(event));
    this.text.addEventListener("keydown", (event) => this.#key(event));
    this.text.addEventListener("input", () => this.#changed());
    this.stopper.addEventListener("click", () => this.stop());
    NARROW.addEventListener("change", () => this.show());
    this.text.value ||= recall(this.#place());
    this.#changed();
  }

  /** Say a prepared sentence as if it had been typed. */
  say(text) {
    this.#asked = text;
    this.send(text);
  }

  /** Give back a text that was not taken: after those given back before it, and before what has been written since. */
  giveBack(text, photos = []) {
    this.photos.giveBack(photos);
    const before = `${this.text.value}\n`.startsWith(`${this.#returned}\n`) ? this.#returned : "";
    const since = before ? this.text.value.slice(before.length + 1) : this.text.value;
    this.#returned = [before, text].filter(Boolean).join("\n");
    this.text.value = [this.#returned, since].filter(Boolean).join("\n");
    this.#changed();
  }

  /** Say why a picture was not taken. */
  complain(sentence) {
    this.show({ wrong: sentence });
    this.announcer.say(sentence);
  }

  /** Show whether an answer runs, the queue is full, or the wire is cut; and what is being asked for. */
  show(change = {}) {
    Object.assign(this.state, change);
    this.state.unclear &&= countUnclear(this.text.value.trim());
    const { running } = this.state;
    const hadFocus = document.activeElement === this.stopper;
    this.stopper.hidden = !running;
    if (hadFocus && !running) this.text.focus({ preventScroll: true });
    const { text, wrong, needed } = hint(this.state);
    this.hint.replaceChildren(...(wrong ? [icon("warning", 16)] : []), text);
    this.hint.classList.toggle("wrong", wrong);
    this.hint.classList.toggle("needed", needed);
    this.text.placeholder = placeholder(this.state);
    this.#allow();
  }

  /** Take the focus where that does not call up a keyboard on the screen. */
  focus() {
    if (matchMedia("(hover: hover)").matches) this.text.focus({ preventScroll: true });
  }

  /** What would be refused cannot be sent. */
  #allow() {
    const { full, long, odd } = this.state;
    const empty = !this.text.value.trim() && !this.photos.count;
    this.button.disabled = empty || this.photos.busy || full || long > 0 || odd;
  }

  #place() {
    return `loopwire:draft:${this.session || "new"}`;
  }

  #changed() {
    const count = this.text.value.length > MOST ? [...this.text.value.trim()].length : 0;
    const long = count > MOST ? count : 0;
    const odd = ODD.test(this.text.value);
    const { wrong } = this.state;
    if (long !== this.state.long || odd !== this.state.odd || this.state.unclear || wrong) this.show({ long, odd, unclear: 0, wrong: "" });
    this.#allow();
    this.text.style.height = "";
    if (!CSS.supports("field-sizing", "content")) this.text.style.height = `${this.text.scrollHeight}px`;
    keep(this.#place(), this.text.value);
  }

  #submit(event) {
    event.preventDefault();
    const text = plain(this.text.value).trim();
    const { count } = this.photos;
    if ((!text && !count) || this.photos.busy || this.state.full || this.state.long || this.state.odd) return;
    if (!count && countUnclear(text)) return this.#ask(countUnclear(text));
    const button = count ? null : approvalButton(text);
    this.text.value = this.#returned = "";
    if (document.activeElement === this.button) this.focus();
    this.#changed();
    if (button) button.click();
    else if (count) this.send(text, this.photos.take());
    else this.say(text);
    this.#allow();
  }

  /** Keep a yes or a no to one of several requests, and say so: as a message it would leave all of them unanswered. */
  #ask(count) {
    this.show({ unclear: count });
    this.announcer.say(this.hint.textContent);
  }

  #key(event) {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.form.requestSubmit();
    } else if (event.key === "Escape" && !this.stopper.hidden) this.stop();
    else if (event.key === "ArrowUp" && !this.text.value) {
      const said = [...document.querySelectorAll("#log .row-user .bubble")].at(-1);
      const last = this.#asked || said?.textContent.trim();
      if (!last) return;
      event.preventDefault();
      this.text.value = last;
      this.#changed();
    }
  }
}
