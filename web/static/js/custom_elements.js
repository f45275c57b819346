/** The custom elements of the page: text that grows, elapsed time, and options with keys. */
import { stripOverrides } from "./bidi.js";

const SILENCE_MS = 600;

/**
 * Text of an open message. Deltas that arrive within one frame are drawn together; the caret blinks when none come.
 * Text between `**` is bold at once, as it will be in the whole text, so the marks are never shown.
 */
class StreamText extends HTMLElement {
  #waiting = "";
  #frame = 0;
  #quiet = 0;
  #place = null;

  connectedCallback() {
    if (this.#place) return;
    this.#place = this;
    this.#waiting = this.textContent;
    this.replaceChildren();
    this.#write();
  }

  disconnectedCallback() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#quiet);
  }

  /** Append a delta unchanged. */
  add(text) {
    this.#waiting += text;
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = 0;
    this.#write();
    this.classList.remove("silent");
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.classList.add("silent"), SILENCE_MS);
  }

  /** Draw the waiting text, except an asterisk at its end, which may be half a mark. */
  #write() {
    if (this.hasAttribute("plain")) {
      this.#append(stripOverrides(this.#waiting));
      this.#waiting = "";
      return;
    }
    const half = /(?<!\*)\*$/.test(this.#waiting) ? "*" : "";
    const text = this.#waiting.slice(0, this.#waiting.length - half.length);
    this.#waiting = half;
    for (const piece of stripOverrides(text).split(/(\*\*|\n\n)/)) {
      if (piece === "**") this.#place = this.#place === this ? this.appendChild(document.createElement("strong")) : this;
      else this.#append(piece);
    }
  }

  #append(piece) {
    if (piece === "\n\n") this.#place = this; // A paragraph ends the bold text that began in it.
    const last = this.#place.lastChild;
    if (last?.nodeType === Node.TEXT_NODE) last.appendData(piece);
    else if (piece) this.#place.append(piece);
  }
}

/** Shows the seconds since a moment, for work whose end is unknown. */
class Elapsed extends HTMLElement {
  connectedCallback() {
    const begun = Number(this.dataset.at) || Date.now();
    const draw = () => (this.textContent = `${Math.max(0, Math.round((Date.now() - begun) / 1000))}\u00a0s`);
    draw();
    this.timer = setInterval(draw, 1000);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }
}

/** The options of a question that can be chosen now. */
export const options = (choices) => [...choices.querySelectorAll("button.option:not([hidden], [disabled])")];

/** Options that answer to the keys 1-9 and to arrows while the focus is inside, and unfold in place. */
class Choices extends HTMLElement {
  connectedCallback() {
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("click", (event) => event.target.closest("[data-more]") && this.#unfold());
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = options(this);
    const here = all.indexOf(document.activeElement);
    if (/^[1-9]$/.test(event.key)) all.filter((each) => !each.matches(".more"))[event.key - 1]?.click();
    else if (event.key === "ArrowDown" || event.key === "ArrowRight") all[(here + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp" || event.key === "ArrowLeft") all.at(here - 1)?.focus();
    else return;
    event.preventDefault();
  }

  #unfold() {
    const hidden = [...this.querySelectorAll(".option[hidden]")];
    this.querySelector("[data-more]").remove();
    hidden.forEach((each) => (each.hidden = false));
    hidden[0]?.focus();
  }
}

customElements.define("loopwire-text", StreamText);
customElements.define("loopwire-elapsed", Elapsed);
customElements.define("loopwire-choices", Choices);
