/** Reads finished answers aloud by a voice of the browser, until the visitor types, sends, stops or leaves. */
import { spokenText } from "./spoken_text.js";

/** Some browsers break off a text of more than some fifteen seconds. */
const MOST = 180;
const SENTENCE_END = /(?<=[.!?…:;])\s+|\n+/;

export class Reading {
  #open = new Map();
  #on = false;

  constructor({ language, chooseVoice, client, composer }) {
    Object.assign(this, { language, chooseVoice });
    client.addEventListener("frame", ({ detail: { event, replayed } }) => this.#on && this.#take(event, replayed));
    client.addEventListener("snapshot", () => this.#open.clear());
    composer.text.addEventListener("input", () => this.#quiet());
    composer.form.addEventListener("submit", () => this.#quiet());
    composer.stopper.addEventListener("click", () => this.#quiet());
    document.addEventListener("keydown", ({ key }) => key === "Escape" && this.#quiet());
    document.addEventListener("visibilitychange", () => document.hidden && this.#quiet());
    addEventListener("pagehide", () => this.#quiet());
  }

  /** Read answers from now on, or no more. */
  turn(on) {
    this.#on = on;
    this.#open.clear();
    if (!on) this.#quiet();
  }

  /** Collect the text of an answer, and read it at its end; a message of the visitor ends the reading. */
  #take({ type, messageId, role, delta }, replayed) {
    if (type === "TEXT_MESSAGE_START" && role === "user") this.#quiet();
    else if (type === "TEXT_MESSAGE_START" && !replayed) this.#open.set(messageId, "");
    if (!this.#open.has(messageId)) return;
    if (type === "TEXT_MESSAGE_CONTENT") this.#open.set(messageId, this.#open.get(messageId) + delta);
    if (type !== "TEXT_MESSAGE_END") return;
    // An open microphone would hear the voice.
    const muted = document.hidden || document.querySelector(".microphone[aria-pressed=true]");
    if (!muted) this.#read(spokenText(this.#open.get(messageId)));
    this.#open.delete(messageId);
  }

  #read(text) {
    for (const piece of pieces(text)) {
      const spoken = new SpeechSynthesisUtterance(piece);
      Object.assign(spoken, { lang: this.language, voice: this.chooseVoice() ?? null });
      speechSynthesis.speak(spoken);
    }
  }

  /** Be silent, also at the end of the answers that are being written. */
  #quiet() {
    this.#open.clear();
    speechSynthesis.cancel();
  }
}

/** The text in pieces that end with a sentence, a few sentences together. */
function pieces(text) {
  const found = [];
  for (const sentence of `${text} `.split(SENTENCE_END)) {
    const last = found.at(-1);
    if (last !== undefined && last.length + sentence.length < MOST) found[found.length - 1] = `${last} ${sentence}`;
    else found.push(sentence);
  }
  return found.map((each) => each.trim()).filter(Boolean);
}
