import { approvals, meant } from "./approval.js";
import { words } from "./words.js";

/** What the server takes, counted as it counts. */
const MOST = 8000;

/** What the server cannot store: NUL, and half of a pair of surrogates. */
const ODD = /\0|\p{Surrogate}/u;

/** Where the visitor writes: the text is kept per conversation until it is sent, and survives a reload. */
export class Composer {
  #asked = "";

  constructor({ session, send, stop }) {
    this.form = document.getElementById("composer");
    this.text = document.getElementById("composer-text");
    this.button = document.getElementById("send");
    this.stopper = document.getElementById("stop");
    this.hint = document.getElementById("composer-hint");
    this.send = send;
    this.stop = stop;
    this.session = session;
    this.state = { running: false, full: false, offline: false, long: 0, odd: false };
    this.form.addEventListener("submit", (event) => this.#submit(event));
    this.text.addEventListener("keydown", (event) => this.#key(event));
    this.text.addEventListener("input", () => this.#changed());
    this.stopper.addEventListener("click", () => this.stop());
    this.text.value ||= recall(this.#place());
    this.#changed();
  }

  /** Say a prepared sentence as if it had been typed. */
  say(text) {
    this.#asked = text;
    this.send(text);
  }

  /** Give back a text that was not taken. */
  giveBack(text) {
    if (this.text.value) return;
    this.text.value = text;
    this.#changed();
  }

  /** Show whether an answer runs, the queue is full, or the wire is cut; and what is being asked for. */
  show(change = {}) {
    Object.assign(this.state, change);
    const { running, full, offline, long, odd, spent } = this.state;
    const hadFocus = document.activeElement === this.stopper;
    this.stopper.hidden = !running;
    if (hadFocus && !running) this.text.focus({ preventScroll: true });
    const rests = this.#rests();
    const usual = offline ? "composer.offline" : spent ? "composer.spent" : running ? "composer.queue" : rests;
    const said = words[odd ? "composer.odd" : full ? "composer.full" : usual];
    this.hint.textContent = long ? words["composer.long"].replace("{count}", long) : said;
    this.hint.classList.toggle("wrong", long > 0 || odd);
    this.hint.classList.toggle("needed", long > 0 || odd || full || offline || Boolean(spent));
    this.text.placeholder = words[this.#placeholder()];
    this.#allow();
  }

  /** Take the focus where that does not call up a keyboard on the screen. */
  focus() {
    if (matchMedia("(hover: hover)").matches) this.text.focus({ preventScroll: true });
  }

  /** What would be refused cannot be sent. */
  #allow() {
    const { full, long, odd } = this.state;
    this.button.disabled = !this.text.value.trim() || full || long > 0 || odd;
  }

  /** What is said while nothing goes on: what writing does to a question that waits. */
  #rests() {
    if (!document.querySelector("#log form[data-interrupt]")) return "composer.hint";
    return ["composer.closes", "composer.closes.approval"][approvals().length] ?? "composer.closes.several";
  }

  #placeholder() {
    const log = document.getElementById("log");
    if (document.getElementById("talk").classList.contains("new-talk")) return "empty.placeholder";
    const waiting = approvals().length;
    if (waiting) return waiting > 1 ? "composer.placeholder.several" : "composer.placeholder.approval";
    if (log.querySelector("form.form:not([aria-busy=true]), loopwire-choices.form")) return "composer.placeholder.form";
    return log.lastElementChild?.querySelector(".tag") ? "composer.placeholder.done" : "composer.placeholder";
  }

  #place() {
    return `loopwire:draft:${this.session || "new"}`;
  }

  #changed() {
    const count = this.text.value.length > MOST ? [...this.text.value.trim()].length : 0;
    const long = count > MOST ? count : 0;
    const odd = ODD.test(this.text.value);
    if (long !== this.state.long || odd !== this.state.odd) this.show({ long, odd });
    this.#allow();
    this.text.style.height = "";
    if (!CSS.supports("field-sizing", "content")) this.text.style.height = `${this.text.scrollHeight}px`;
    keep(this.#place(), this.text.value);
  }

  #submit(event) {
    event.preventDefault();
    const text = this.text.value.trim();
    if (!text || this.state.full || this.state.long || this.state.odd) return;
    const button = meant(text);
    this.text.value = "";
    this.#changed();
    if (button) button.click();
    else this.say(text);
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

function keep(key, text) {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch {
    // Storage is closed to us (a foreign frame, a private window): the text lives as long as the page.
  }
}

function recall(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
