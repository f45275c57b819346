/** Announces text to a screen reader by whole sentences, never by deltas. */
const SENTENCE = /[^.!?…\n]+[.!?…\n]+["»”)*_]*\s+/g;
const ENOUGH = 110;
const KEPT = 12;

export class Announcer {
  #region;
  #open = new Map();

  /** `spoken` makes text of Markdown; a frame sets it with its rows, before an answer can come. */
  constructor(region, spoken = String) {
    this.#region = region;
    this.spoken = spoken;
  }

  /** Say a sentence now. */
  say(text) {
    const said = text.trim();
    if (!said) return;
    const line = document.createElement("span");
    line.textContent = `${said} `;
    this.#region.append(line);
    while (this.#region.childElementCount > KEPT) this.#region.firstElementChild.remove();
  }

  /** Collect a delta of a message and say what has become whole sentences, a few together. */
  add(id, delta) {
    const text = (this.#open.get(id) ?? "") + delta;
    let said = 0;
    for (const match of text.matchAll(SENTENCE)) said = match.index + match[0].length;
    if (said >= ENOUGH) this.say(this.spoken(text.slice(0, said)));
    this.#open.set(id, said >= ENOUGH ? text.slice(said) : text);
  }

  /** Say what is left of a message that closed. */
  end(id) {
    this.say(this.spoken(this.#open.get(id) ?? ""));
    this.#open.delete(id);
  }
}
