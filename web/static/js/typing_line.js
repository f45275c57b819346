const EVERY_MS = 3000;
const ENDS_MS = 7000;

/** The line below the conversation that says that a person writes: until the message is there, or no notice comes. */
export class TypingLine {
  #ends = 0;
  #isAnnounced = false;
  #line;

  constructor({ announcer, follow }) {
    this.announcer = announcer;
    this.follow = follow;
    this.log = document.getElementById("log");
    const live = document.getElementById("live");
    this.#line = live.cloneNode();
    this.#line.id = "typing";
    this.#line.hidden = true; // A run may be live.
    live.after(this.#line);
  }

  /** Show the sentence, and announce it once a message. */
  show(text) {
    clearTimeout(this.#ends);
    this.#ends = setTimeout(() => this.#hide(), ENDS_MS);
    this.#line.textContent = text;
    this.#toggle(true);
    if (!this.#isAnnounced) this.announcer.say(text);
    this.#isAnnounced = true;
    this.follow.now();
  }

  /** Hide it, since the message is there or the writer has left. */
  end() {
    this.#isAnnounced = false;
    this.#hide();
  }

  #hide() {
    clearTimeout(this.#ends);
    this.#toggle(false);
  }

  #toggle(on) {
    this.#line.hidden = !on;
    this.log.toggleAttribute("data-typing", on);
  }
}

/** Call `tell` when something is written in a field and `mayTell`: at most every three seconds in a message, never with the text. */
export function reportTyping(field, mayTell, tell) {
  let last = -EVERY_MS;
  field.form.addEventListener("submit", () => (last = -EVERY_MS));
  field.addEventListener("input", ({ timeStamp }) => {
    if (!field.value.trim() || timeStamp - last < EVERY_MS || !mayTell()) return;
    last = timeStamp;
    tell();
  });
}
