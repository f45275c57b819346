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

/** The text of a piece of Markdown without its marks. */
export function spokenText(text) {
  return spokenLine(text.replace(LINE_MARKS, "")).replace(/[ \t]{2,}/g, " ");
}

function spokenLine(text) {
  return text.replace(INLINE, (_, escaped, ticks, code, label, address) => escaped ?? code ?? (label === undefined ? (address ?? "") : spokenLine(label)));
}
