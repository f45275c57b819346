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
  #written = "";
  #writes = false;

  constructor({ Recognition, language, local, composer, announcer }) {
    Object.assign(this, { Recognition, language, local, composer, announcer });
    this.button = microphoneButton();
    this.button.addEventListener("click", () => (this.#recognition ? this.#recognition.stop() : this.#start()));
    // The visitor goes on by hand, or has sent the text: what is heard after that is not written any more.
    composer.text.addEventListener("input", () => this.#writes || this.#drop());
    composer.form.addEventListener("submit", () => this.#drop({ silent: true }), { capture: true });
    document.addEventListener("visibilitychange", () => document.hidden && this.#drop());
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
    this.#before = this.#written = this.composer.text.value;
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

  /** Write all that was heard so far after the text that stood there, unless the page has changed the field since. */
  #write(results) {
    if (this.composer.text.value !== this.#written) return this.#drop();
    const heard = heardIn([...results]);
    const space = this.#before && !/\s$/.test(this.#before) ? " " : "";
    this.composer.text.value = this.#before + space + heard;
    this.#written = this.composer.text.value;
    this.#writes = true;
    this.composer.text.dispatchEvent(new Event("input", { bubbles: true }));
    this.#writes = false;
  }

  #fail(error) {
    if (!QUIET.has(error)) this.composer.complain(words[DENIED.has(error) ? "speech.denied" : "speech.failed"]);
    this.#drop();
  }

  #end({ silent = false } = {}) {
    const listened = this.button.getAttribute("aria-pressed") === "true";
    this.#recognition = null;
    this.#show(false);
    if (listened && !silent) this.announcer.say(words["speech.stopped"]);
  }

  /** End the recognition, and take nothing of it any more. */
  #drop({ silent = false } = {}) {
    const recognition = this.#recognition;
    this.#end({ silent });
    recognition?.abort();
  }

  #show(listening) {
    this.button.setAttribute("aria-pressed", String(listening));
  }
}

/**
 * The text of all results. Chrome on Android reports interim texts as final: they have the confidence 0, or the next result
 * begins with them. A browser without confidences reports 0 for every result, so only a later confidence replaces it.
 */
function heardIn(results) {
  const surest = results.findLastIndex(({ isFinal, 0: best }) => isFinal && best.confidence > 0);
  const kept = results.filter(({ isFinal, 0: best }, index) => !isFinal || best.confidence > 0 || index > surest);
  const texts = kept.map(([best]) => best.transcript.trim()).filter(Boolean);
  return texts.filter((text, index) => !texts[index + 1]?.startsWith(text)).join(" ");
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
