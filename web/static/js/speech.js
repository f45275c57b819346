/** The switches of dictation and of reading aloud, by the browser's own speech. What they do is loaded once one is on. */
import { keep, recall } from "./drafts.js";
import { words } from "./words.js";

const language = document.documentElement.lang;
const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;

/** Bind the switches in the list of conversations; each stays hidden where the browser has no such speech. */
export function bindSpeech({ client, composer, announcer }) {
  if (Recognition) bindDictation(composer, announcer);
  if (globalThis.speechSynthesis) bindReading(client, composer, announcer);
}

/** The browser is asked where it recognises once the switch is on: one without a recogniser may end the tab instead. */
function bindDictation(composer, announcer) {
  let local = null;
  const look = async () => {
    local ??= staysHere();
    bound.describe(words[(await local) ? "speech.sound.here" : "speech.sound.away"]);
    return local;
  };
  const load = async () => {
    const [{ Dictation }, here] = await Promise.all([import("./dictation.js"), look()]);
    return new Dictation({ Recognition, language, local: here, composer, announcer });
  };
  const bound = new Switch("dictate", { note: words["speech.sound.away"], load, announcer });
  bound.begin();
}

/** Whether the browser can recognise this language without sending the sound anywhere. */
async function staysHere() {
  try {
    return (await Recognition.available({ langs: [language], processLocally: true })) === "available";
  } catch {
    return false;
  }
}

/** Browsers load their voices late: without one the switch stays hidden. */
function bindReading(client, composer, announcer) {
  let bound = null;
  const bind = () => {
    const voice = chooseVoice();
    if (!voice) return;
    const note = words[voice.localService ? "speech.text.here" : "speech.text.away"];
    if (bound) return bound.describe(note);
    const load = async () => new (await import("./reading.js")).Reading({ language, chooseVoice, client, composer });
    bound = new Switch("read", { note, load, announcer });
    bound.begin();
  };
  speechSynthesis.addEventListener?.("voiceschanged", bind);
  bind();
}

/** The voice of the page's language: one of the device before one of a service. */
function chooseVoice() {
  const short = language.slice(0, 2).toLowerCase();
  const exact = (voice) => Number(voice.lang.replace("_", "-").toLowerCase() === language.toLowerCase());
  const fitting = speechSynthesis.getVoices().filter(({ lang }) => lang.toLowerCase().startsWith(short));
  return fitting.sort((a, b) => b.localService - a.localService || exact(b) - exact(a) || b.default - a.default)[0];
}

class Switch {
  #on = false;
  #part = null;

  constructor(name, { note, load, announcer }) {
    this.name = name;
    this.load = load;
    this.button = document.querySelector(`[data-speech=${name}]`);
    this.describe(note);
    this.button.hidden = false;
    this.button.addEventListener("click", async () => {
      await this.#turn(!this.#on);
      keep(this.#key, this.#on ? "1" : "");
      announcer.say(words[`speech.${name}.${this.#on ? "on" : "off"}`]);
    });
  }

  /** Turn on what the visitor turned on before. */
  begin() {
    this.#turn(recall(this.#key) === "1");
  }

  /** Say under the label where the sound or the text goes. */
  describe(note) {
    this.button.querySelector("small").textContent = note;
  }

  get #key() {
    return `loopwire:speech:${this.name}`;
  }

  /** Turn it on once its part is loaded, or off. */
  async #turn(on) {
    this.#on = on;
    if (on) this.#part ??= this.load();
    try {
      (await this.#part)?.turn(this.#on);
    } catch {
      // It could not be loaded: the next click tries again.
      this.#part = null;
      this.#on = false;
    }
    this.button.setAttribute("aria-pressed", String(this.#on));
  }
}
