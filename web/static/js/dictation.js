/** Dictation into the composer by the browser's own recognition. The text stays a draft: only the visitor sends it. */
import { words } from "./words.js";

const SHEET = new URL("../css/speech.css", import.meta.url).href;
const MICROPHONE = "M12 3.5a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0v-5a3 3 0 0 0-3-3zM5.500 11a6.500 6.500 0 0 0 13 0M12 17.500v3.500";
const DENIED = new Set(["not-allowed", "service-not-allowed"]);
/** Ends of the recognition that are no failures. */
const QUIET = new Set(["no-speech", "aborted"]);

export class Dictation {
  #recognition = null;
  #before = "";
  #writes = false;

  constructor({ Recognition, language, local, composer, announcer }) {
    Object.assign(this, { Recognition, language, local, composer, announcer });
    this.button = microphoneButton();
    this.button.addEventListener("click", () => (this.#recognition ? this.#recognition.stop() : this.#start()));
    // The visitor goes on by hand, or has sent the text: what is heard after that is not written any more.
    composer.text.addEventListener("input", () => this.#writes || this.#drop());
    composer.form.addEventListener("submit", () => this.#drop(), { capture: true });
    addEventListener("pagehide", () => this.#drop());
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: SHEET }));
  }

  /** Show or remove the button in the composer. */
  turn(on) {
    if (on) document.getElementById("composer-hint").before(this.button);
    else {
      this.#drop();
      this.button.remove();
    }
  }

  #start() {
    const recognition = Object.assign(new this.Recognition(), { lang: this.language, continuous: true, interimResults: true });
    if (this.local) recognition.processLocally = true;
    this.#recognition = recognition;
    this.#before = this.composer.text.value;
    globalThis.speechSynthesis?.cancel(); // It would be heard.
    recognition.addEventListener("result", ({ results }) => recognition === this.#recognition && this.#write(results));
    recognition.addEventListener("error", ({ error }) => recognition === this.#recognition && this.#fail(error));
    recognition.addEventListener("end", () => recognition === this.#recognition && this.#end());
    try {
      recognition.start();
    } catch {
      return this.#fail("");
    }
    this.#show(true);
    this.announcer.say(words["speech.listening"]);
  }

  /** Write all that was heard so far after the text that stood there. */
  #write(results) {
    const heard = [...results].map(([best]) => best.transcript.trim()).filter(Boolean).join(" ");
    const space = this.#before && !/\s$/.test(this.#before) ? " " : "";
    this.composer.text.value = this.#before + space + heard;
    this.#writes = true;
    this.composer.text.dispatchEvent(new Event("input", { bubbles: true }));
    this.#writes = false;
  }

  #fail(error) {
    if (!QUIET.has(error)) this.composer.complain(words[DENIED.has(error) ? "speech.denied" : "speech.failed"]);
    this.#drop();
  }

  #end() {
    this.#recognition = null;
    this.#show(false);
    this.announcer.say(words["speech.stopped"]);
  }

  /** End the recognition, and take nothing of it any more. */
  #drop() {
    const recognition = this.#recognition;
    this.#recognition = null;
    this.#show(false);
    recognition?.abort();
  }

  #show(listening) {
    this.button.setAttribute("aria-pressed", String(listening));
  }
}

function microphoneButton() {
  const label = words["speech.speak"];
  const button = Object.assign(document.createElement("button"), { type: "button", className: "attach microphone", title: label });
  button.setAttribute("aria-label", label);
  button.setAttribute("aria-pressed", "false");
  const namespace = "http://www.w3.org/2000/svg";
  const drawn = document.createElementNS(namespace, "svg");
  for (const [key, value] of Object.entries({ class: "icon", viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" })) drawn.setAttribute(key, value);
  const line = document.createElementNS(namespace, "path");
  line.setAttribute("d", MICROPHONE);
  drawn.append(line);
  button.append(drawn);
  return button;
}
