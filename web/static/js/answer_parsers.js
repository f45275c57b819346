import { phrase, words } from "./words.js";

/** The longest text where a question says nothing smaller, as the server has it. */
const MOST = 2000;

/** Parse an answer by the kind of its question: `{value}`, or `{error}` with what to write instead. */
export const PARSERS = {
  number: (text, bounds) => number(text, bounds, /^-?\d+(\.\d+)?$/),
  integer: (text, bounds) => number(text, bounds, /^-?\d+$/),
  text: (text, bounds) => long(text, bounds),
  email: (text, bounds) => (/^[^@\s]+@[^@\s]+\.[^@\s.]+$/.test(text) ? long(text, bounds) : { error: words["ask.error.email"] }),
  yesno: (text) => ({ value: text === "true" }),
  choice: (value) => ({ value }),
  date: (text, bounds) => day(text, bounds),
};

const language = document.documentElement.lang;

/** The mark that the page's language writes before decimals. */
const decimal = (1.5).toLocaleString(language).charAt(1);

/** A number as people of the page's language write it: `12 000`, `0,8` and `12.000` are one in Portuguese. */
function number(text, { input, min, max }, shape) {
  const isComma = decimal === ",";
  const grouped = isComma ? /^-?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/ : /^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
  const bare = text.replace(/\s/g, "");
  const plain = (grouped.test(bare) ? bare.replaceAll(isComma ? "." : ",", "") : bare).replace(",", ".");
  if (!shape.test(plain)) return { error: words[`ask.error.${input}`] };
  const value = Number(plain);
  if (value < Number(min ?? -Infinity)) return { error: phrase("ask.error.min", { min: local(min) }) };
  if (value > Number(max ?? Infinity)) return { error: phrase("ask.error.max", { max: local(max) }) };
  return { value };
}

/** A day within its bounds; days of ISO 8601 are in order as texts. */
function day(value, { min = "", max = "9999" }) {
  if (value < min) return { error: phrase("ask.error.early", { min: written(min) }) };
  if (value > max) return { error: phrase("ask.error.late", { max: written(max) }) };
  return { value };
}

/** A day as the server writes it too. */
function written(text) {
  if (language.startsWith("en")) return text;
  return new Intl.DateTimeFormat(language, { day: "2-digit", month: "2-digit", year: "numeric", timeZone: "UTC" }).format(new Date(text));
}

/** A text within its bounds, counted as the server counts. */
function long(value, { min, max = MOST }) {
  const count = [...value].length;
  if (count < Number(min ?? 0)) return { error: phrase("ask.error.short", { min: local(min) }) };
  if (count > Number(max)) return { error: phrase("ask.error.long", { count, max: local(max) }) };
  return { value };
}

function local(number) {
  return new Intl.NumberFormat(language, { useGrouping: "always" }).format(number);
}
