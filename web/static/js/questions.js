import { icon } from "./icon.js";
import { PARSERS } from "./answer_parsers.js";
import { words } from "./words.js";

/** Read the answers of a form by name; null when one is invalid, which is shown at its field. */
export function readAnswers(form) {
  const found = {};
  const wrong = [];
  for (const question of form.querySelectorAll(".question")) {
    const { error, value } = answered(question);
    showError(question, error ?? "");
    if (error) wrong.push(question);
    else if (value !== undefined) found[question.dataset.name] = value;
  }
  if (wrong.length) control(wrong[0]).focus();
  return wrong.length ? null : found;
}

/** Show the server's refusal at the field that it names; false when it names none. */
export function showRefusal(form, message) {
  const named = [...form.querySelectorAll(".question")].find(({ dataset }) => message.startsWith(`${dataset.name}: `));
  if (!named) return false;
  showError(named, message.slice(named.dataset.name.length + 2));
  control(named).focus();
  return true;
}

/** Show an error under a question; an empty text clears it. */
export function showError(question, text) {
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

/** Store the written answers until they are sent: they survive a reload and a new fragment. */
export function keep(form) {
  const written = {};
  for (const question of form.querySelectorAll(".question")) written[question.dataset.name] = raw(question);
  try {
    sessionStorage.setItem(place(form), JSON.stringify(written));
  } catch {
    // Storage is closed to us: what is written lives as long as its form.
  }
}

/** Restore the written answers. */
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

/** Delete the stored answers after they were sent. */
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

/** The control of a question: its field, or the chosen one of its options, else the first. */
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
  if (text) return PARSERS[input](text, question.dataset);
  if (question.dataset.required === undefined) return {};
  return { error: words[`ask.error.${{ choice: "choose", yesno: "choose", date: "date" }[input] ?? "empty"}`] };
}

function line(id, text) {
  const place = Object.assign(document.createElement("p"), { id, className: "error" });
  const sentence = Object.assign(document.createElement("span"), { textContent: text });
  place.append(icon("warning", 18), " ", sentence);
  return place;
}
