/** Announces text to a screen reader by whole sentences, never by deltas. */
const SENTENCE = /[^.!?…\n]+[.!?…\n]+["»”)*_]*\s+/g;
/** Marks of Markdown at the beginning of a line, which are not announced: also that of a footnote. */
const LINE_MARKS = /^[ \t]*(?:#{1,6} |>+ ?|[-+*] (?:\[[ xX]\] )?|\[\^\w{1,20}\]: ?|`{3}.*$|[|: -]+$)/gm;
/**
 * What else is not announced as it is written, in the order of its groups: an escaped character, code, the words of a link
 * or a picture, an address in brackets; then the mark of a footnote, and the marks of emphasis, code and tables. A free
 * `[^abc]` is of a regular expression. The lengths keep the time of a long text short.
 */
const INLINE = new RegExp(
  [
    /\\([!-/:-@[-`{-~])/,
    /(?<!`)(`+)(?!`)([^\n]{0,400}?[^`\n])\2(?!`)/,
    /!?\[((?:\\.|\[[^[\]\n]{0,200}\](?:\([^()\s]{0,400}\))?|[^[\]\\]){0,400})\]\((?:\\.|\([^()\s]{0,200}\)|[^()\s\\]){0,900}(?:\s{1,9}"[^"\n]{0,200}")?\)/,
    /<((?:https?:\/\/|mailto:)[^\s<>]{1,900}|[^\s<>@]{1,99}@[^\s<>@]{1,99})>/,
    /\[\^[1-9]\d{0,2}\](?![({+])|(?<=[\p{L}\d.,;:!?)*_~”’»…])\[\^\p{L}[\p{L}\d_-]{0,19}\](?![({+])/u,
    /\*\*|__|~~|[`|]|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)/,
  ].map(({ source }) => source).join("|"),
  "gu",
);
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
  return spokenLine(text.replace(LINE_MARKS, "")).replace(/[ \t]{2,}/g, " ");
}

function spokenLine(text) {
  return text.replace(INLINE, (_, escaped, ticks, code, label, address) => escaped ?? code ?? (label === undefined ? (address ?? "") : spokenLine(label)));
}
