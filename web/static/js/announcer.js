/** Announces text to a screen reader by whole sentences, never by deltas. */
const SENTENCE = /[^.!?…\n]+[.!?…\n]+["»”)*_]*\s+/g;
/** Marks of Markdown, which are not announced: those at the beginning of a line, and those of emphasis, code and tables. */
const LINE_MARKS = /^[ \t]*(?:#{1,6} |>+ ?|[-+*] (?:\[[ xX]\] )?|`{3}.*$|[|: -]+$)/gm;
const MARKS = /\*\*|__|~~|[`|]|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)/g;
const LINK = /\[([^\]]*)\]\([^)\s]*\)/g;
const ENOUGH = 110;
const KEPT = 12;

export class Announcer {
  #region;
  #open = new Map();

  constructor(region) {
    this.#region = region;
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
    if (said >= ENOUGH) this.say(spokenText(text.slice(0, said)));
    this.#open.set(id, said >= ENOUGH ? text.slice(said) : text);
  }

  /** Say what is left of a message that closed. */
  end(id) {
    this.say(spokenText(this.#open.get(id) ?? ""));
    this.#open.delete(id);
  }
}

/** The text of a piece of Markdown without its marks. */
export function spokenText(text) {
  return text.replace(LINK, "$1").replace(LINE_MARKS, "").replace(MARKS, "").replace(/[ \t]{2,}/g, " ");
}
