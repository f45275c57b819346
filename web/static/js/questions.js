import { phrase, words } from "./words.js";

/** The questions of a form: what was given, what is wrong with it, and what was written and not sent yet. */
/** The longest text where a question says nothing smaller, as the server has it. */
const MOST = 2000;
const READ = {
  number: (text, bounds) => number(text, bounds, /^-?\d+(\.\d+)?$/),
  integer: (text, bounds) => number(text, bounds, /^-?\d+$/),
  text: (text, bounds) => long(text, bounds),
  email: (text, bounds) => (/^[^@\s]+@[^@\s]+\.[^@\s.]+$/.test(text) ? long(text, bounds) : { error: words["ask.error.email"] }),
  yesno: (text) => ({ value: text === "true" }),
  choice: (value) => ({ value }),
  date: (text, bounds) => day(text, bounds),
};

/** The answers of a form by name; null when one of them has to be given differently, which is said in its place. */
export function asked(form) {
  const found = {};
  const wrong = [];
  for (const question of form.querySelectorAll(".question")) {
    const { error, value } = answered(question);
    told(question, error ?? "");
    if (error) wrong.push(question);
    else if (value !== undefined) found[question.dataset.name] = value;
  }
  if (wrong.length) control(wrong[0]).focus();
  return wrong.length ? null : found;
}

/** Say in the place of the field that it names what the server finds wrong; false when it names none. */
export function judged(form, message) {
  const named = [...form.querySelectorAll(".question")].find(({ dataset }) => message.startsWith(`${dataset.name}: `));
  if (!named) return false;
  told(named, message.slice(named.dataset.name.length + 2));
  control(named).focus();
  return true;
}

/** Say under a question what is wrong with its answer; nothing when nothing is. */
export function told(question, text) {
  if (!question) return;
  const place = question.querySelector("[role=radiogroup]") ?? control(question);
  const id = `error-${place.id}`;
  const described = (place.getAttribute("aria-describedby") ?? "").split(" ").filter((each) => each && each !== id);
  document.getElementById(id)?.remove();
  question.classList.toggle("wrong", Boolean(text));
  question.querySelector(".field")?.classList.toggle("wrong", Boolean(text));
  if (text) {
    question.append(line(id, text));
    described.push(id);
  }
  place.toggleAttribute("aria-invalid", false);
  if (text) place.setAttribute("aria-invalid", "true");
  if (described.length) place.setAttribute("aria-describedby", described.join(" "));
  else place.removeAttribute("aria-describedby");
}

/** Keep what is written until it is sent; it survives a reload and what is drawn anew. */
export function keep(form) {
  const written = {};
  for (const question of form.querySelectorAll(".question")) written[question.dataset.name] = raw(question);
  try {
    sessionStorage.setItem(place(form), JSON.stringify(written));
  } catch {
    // Storage is closed to us: what is written lives as long as its form.
  }
}

/** Put back what was written. */
export function restore(form) {
  let written = null;
  try {
    written = JSON.parse(sessionStorage.getItem(place(form)));
  } catch {
    // As above.
  }
  for (const question of written ? form.querySelectorAll(".question") : []) {
    const given = written[question.dataset.name] ?? "";
    for (const field of question.querySelectorAll("input, select")) {
      if (field.type === "radio") field.checked = field.value === given;
      else field.value = given;
    }
  }
}

/** What was written was sent. */
export function forget(form) {
  try {
    sessionStorage.removeItem(place(form));
  } catch {
    // As above.
  }
}

function place(form) {
  return `loopwire:answer:${form.dataset.interrupt}`;
}

/** Where the answer to a question is given: its field, or of its options the chosen or the first one. */
function control(question) {
  return question.querySelector(":checked:not(option)") ?? question.querySelector("input, select");
}

function raw(question) {
  const field = control(question);
  return field.type === "radio" && !field.checked ? "" : field.value.trim();
}

function answered(question) {
  const { input } = question.dataset;
  const text = raw(question);
  const { badInput, typeMismatch } = control(question).validity;
  if (badInput || typeMismatch) return { error: words[`ask.error.${input}`] };
  if (text) return READ[input](text, question.dataset);
  if (question.dataset.required === undefined) return {};
  return { error: words[`ask.error.${{ choice: "choose", yesno: "choose", date: "date" }[input] ?? "empty"}`] };
}

/** A number as people of the page's language write it: `12 000`, `0,8` and `12.000` are one in Portuguese. */
function number(text, { input, min, max }, shape) {
  const isPortuguese = document.documentElement.lang.startsWith("pt");
  const grouped = isPortuguese ? /^-?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/ : /^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
  const bare = text.replace(/\s/g, "");
  const plain = (grouped.test(bare) ? bare.replaceAll(isPortuguese ? "." : ",", "") : bare).replace(",", ".");
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
  return document.documentElement.lang.startsWith("pt") ? text.split("-").reverse().join("/") : text;
}

/** A text within its bounds, counted as the server counts. */
function long(value, { min, max = MOST }) {
  const count = [...value].length;
  if (count < Number(min ?? 0)) return { error: phrase("ask.error.short", { min: local(min) }) };
  if (count > Number(max)) return { error: phrase("ask.error.long", { count, max: local(max) }) };
  return { value };
}

function local(number) {
  return new Intl.NumberFormat(document.documentElement.lang, { useGrouping: "always" }).format(number);
}

function line(id, text) {
  const place = Object.assign(document.createElement("p"), { id, className: "error" });
  place.innerHTML = '<svg class="icon" width="18" height="18" aria-hidden="true"><use href="/static/icons.svg#warning"></use></svg> <span></span>';
  place.lastElementChild.textContent = text;
  return place;
}
