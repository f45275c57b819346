import { phrase, words } from "./words.js";

const NEAR_END = 120;
const AT_END = 24;
const MARGIN = 8;
/** The query of a window so low (a page at 400 %) that head and conversation scroll together; head.css has the same. */
const LOW = matchMedia("(max-height: 420px) and (max-width: 1023px)");

/** Keeps the end of the conversation in view while the reader is there, and counts what they miss elsewhere. */
export class ScrollFollower {
  #last = 0;
  #missed = 0;
  #read = null;
  #fault = null;
  #rest = -1;

  constructor() {
    this.rows = document.getElementById("scroll");
    this.page = document.querySelector(".page > .talk");
    this.jump = document.getElementById("jump");
    this.atEnd = true;
    this.scrolls = this.scroller;
    for (const each of [this.rows, this.page]) each?.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.jump.addEventListener("click", () => (this.#refused ? this.#toQuestion(this.#refused) : this.toEnd()));
    LOW.addEventListener("change", () => this.#resized());
    for (const kind of ["focusin", "focusout"]) this.rows.addEventListener(kind, () => this.#show());
    const sizes = new ResizeObserver(() => this.#resized());
    sizes.observe(this.rows);
    sizes.observe(this.rows.firstElementChild);
  }

  /** The element that scrolls: the rows, or the whole conversation in a low window. */
  get scroller() {
    return LOW.matches && this.page ? this.page : this.rows;
  }

  /** Scroll to the end if the reader is there, else show the button that does. */
  now() {
    if (this.atEnd) this.scroller.scrollTop = this.scroller.scrollHeight;
    else this.#show();
  }

  /** Count a new row that the reader may not see. */
  countMissed() {
    if (!this.atEnd) this.#missed += 1;
  }

  /** Go to the end and stay there. */
  toEnd() {
    this.atEnd = true;
    this.#missed = 0;
    this.now();
    this.#show();
  }

  /** Stay where the reader is, though something there grows. */
  stay() {
    this.atEnd = false;
  }

  /** Stay at the beginning of a row that is taller than the view, so that the reader begins there. */
  begin(row) {
    if (this.atEnd && row.offsetHeight > this.#seen) this.#restAt(row);
  }

  /** Stay at a row whose beginning is above the view, and scroll so that its fault is visible. */
  reveal(row, fault) {
    if (this.#over(row) < 0) this.#restAt(row, fault);
  }

  /** The question whose answer was refused, where the reader is at the end and it is above the view; else null. */
  get #refused() {
    const wrong = this.atEnd ? this.rows.querySelector(".row-block.open [aria-invalid=true]:enabled") : null;
    return wrong && this.#over(wrong) < 0 ? wrong : null;
  }

  #toQuestion(wrong) {
    const row = wrong.closest(".row");
    this.#restAt(row, row.querySelector(".error"));
    (wrong.matches("fieldset") ? wrong.querySelector("button:enabled") : wrong).focus({ preventScroll: true });
  }

  #restAt(row, fault = null) {
    this.atEnd = false;
    this.#read = row;
    this.#fault = fault;
    this.scroller.scrollTop += this.#over(row);
    const hidden = fault ? this.#over(fault) + fault.offsetHeight + MARGIN - this.#seen : 0;
    this.scroller.scrollTop += Math.max(0, hidden);
    this.#last = this.#rest = this.scroller.scrollTop;
    this.#show();
  }

  /** Keep the row that is read in view when a keyboard or a zoom changes the sizes and the scrolling element. */
  #resized() {
    const { scroller } = this;
    const last = this.#last;
    const isOther = scroller !== this.scrolls;
    this.scrolls = scroller;
    if (this.atEnd) this.now();
    else if (this.#read?.isConnected && Math.abs(last - this.#rest) <= 1) this.#restAt(this.#read, this.#fault);
    else if (isOther) scroller.scrollTop = scroller === this.rows ? last - this.#above : last + this.#above;
    this.#last = scroller.scrollTop;
    this.#show();
  }

  /** The visible height of the conversation, without the elements over it. */
  get #seen() {
    const covered = this.scroller === this.rows ? 0 : document.querySelector(".dock").offsetHeight;
    return this.scroller.clientHeight - covered;
  }

  /** The height of the page above the rows, which scrolls with them in a low window. */
  get #above() {
    return this.rows.getBoundingClientRect().top - this.page.getBoundingClientRect().top + this.page.scrollTop;
  }

  #over(row) {
    return row.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top;
  }

  get #left() {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight;
  }

  /** Note that the reader left the end, which only scrolling up means: text that grows below does not move them. */
  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    // A question that folds away leaves the browser no room for the old position: no reader scrolled.
    const hasShrunk = this.atEnd && this.#last > scrollHeight - clientHeight + 1;
    if (hasShrunk || this.scroller !== this.scrolls) return this.#resized();
    if (this.#left < AT_END) {
      this.atEnd = true;
      this.#missed = 0;
    } else if (scrollTop < this.#last - 1) this.atEnd = false;
    this.#last = scrollTop;
    this.#show();
  }

  #show() {
    // The reader is at the row that the button led to, and sees that it continues below.
    const reads = !this.#fault && this.#read?.isConnected && !this.#missed && this.#over(this.#read) < AT_END;
    const answers = this.rows.querySelector(".asks:focus-within");
    const refused = Boolean(this.#refused);
    this.jump.hidden = !refused && (this.atEnd || answers || this.#left < NEAR_END || reads);
    this.jump.classList.toggle("up", refused);
    const label = this.#missed ? phrase("log.jump.count", { count: this.#missed }) : words["log.jump"];
    this.jump.lastElementChild.textContent = refused ? words["log.jump.question"] : label;
  }
}
