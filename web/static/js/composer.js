import { approvalButton, countUnclear } from "./approval.js";
import { keep, recall } from "./drafts.js";
import { NARROW, hint, placeholder } from "./hints.js";
import { icon } from "./icon.js";

/** The longest text that the server accepts, in characters. */
const MOST = 8000;

/** The characters that the server cannot store: NUL, and half of a pair of surrogates. */
const ODD = /\0|\p{Surrogate}/u;

/** Normalise line breaks and drop control characters, as the server does. */
const plain = (text) => text.replace(/\r\n?|[\v\f\u0085]/g, "\n").replace(/[^\P{Cc}\t\n]/gu, "");

/** The composer: the text is stored per conversation until it is sent, so it survives a reload. */
export class Composer {
  #asked = "";
  #returned = "";
  /** The pictures of the next message; their script is set here (`bindRows`), in a frame after this one. */
  photos = { count: 0, busy: false };

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
    this.state = { running: false, stopping: false, full: false, offline: false, spent: false, gone: false };
    Object.assign(this.state, { long: 0, odd: false, unclear: 0, wrong: "" });
    this.form.addEventListener("submit", (event) => this.#submit(event));
    this.text.addEventListener("keydown", (event) => this.#key(event));
    this.text.addEventListener("input", () => this.#changed());
    const showKeys = () => document.body.toggleAttribute("data-writing", document.activeElement === this.text);
    for (const kind of ["focus", "blur"]) this.text.addEventListener(kind, showKeys);
    showKeys(); // The keys of the open question.
    this.stopper.addEventListener("click", () => this.stop());
    NARROW.addEventListener("change", () => this.show());
    this.text.value ||= recall(this.#place());
    this.#changed();
  }

  /** Send a prepared sentence as if the visitor had typed it. */
  say(text) {
    this.#asked = text;
    this.send(text);
  }

  /** Return a text that was refused: after texts returned before it, and before the text that was written since. */
  giveBack(text, photos = []) {
    if (photos.length) this.photos.giveBack(photos);
    const before = `${this.text.value}\n`.startsWith(`${this.#returned}\n`) ? this.#returned : "";
    const since = before ? this.text.value.slice(before.length + 1) : this.text.value;
    this.#returned = [before, text].filter(Boolean).join("\n");
    this.text.value = [this.#returned, since].filter(Boolean).join("\n");
    this.#changed();
  }

  /** Show why a picture was refused. */
  complain(sentence) {
    this.show({ wrong: sentence });
    this.announcer.say(sentence);
  }

  /** Show whether an answer runs, the queue is full or the connection is lost, and the hint for this state. */
  show(change = {}) {
    Object.assign(this.state, change);
    this.state.unclear &&= countUnclear(this.text.value.trim());
    const running = this.state.running && !this.state.gone;
    this.text.readOnly = this.state.gone;
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

  /** Focus the field, unless that would open a keyboard on the screen. */
  focus() {
    if (matchMedia("(hover: hover)").matches) this.text.focus({ preventScroll: true });
  }

  /** Enable the button unless the server would refuse the message. */
  #allow() {
    const { full, long, odd, gone } = this.state;
    const empty = !this.text.value.trim() && !this.photos.count;
    this.button.disabled = empty || this.photos.busy || full || long > 0 || odd || gone;
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
    if ((!text && !count) || this.photos.busy || ["full", "long", "odd", "gone"].some((each) => this.state[each])) return;
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

  /** Keep a yes or no that may mean several approvals, and say so: as a message it would close all of them. */
  #ask(count) {
    this.show({ unclear: count });
    this.announcer.say(this.hint.textContent);
  }

  #key(event) {
    if (event.isComposing || this.state.gone) return;
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
