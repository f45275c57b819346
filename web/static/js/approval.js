import { words } from "./words.js";

/** Approvals that can be pressed now: not those whose answer is on its way or was too late. */
const WAITS = 'form[data-interrupt][aria-busy="false"]:has(.form-actions:not([hidden]))';

/** The approvals that wait; none when a question waits too, since a typed yes could mean either. */
export function approvals() {
  const asked = [...document.getElementById("log").querySelectorAll(WAITS)];
  return asked.some((form) => form.querySelector(".question")) ? [] : asked;
}

/** The button that a typed text means, when exactly one approval waits. */
export function approvalButton(text) {
  const [form, another] = approvals();
  return form && !another ? pressed(form, text) : null;
}

/** The number of approvals of which a typed text may mean any; 0 when it is clear. */
export function countUnclear(text) {
  const waiting = approvals();
  return waiting.length > 1 && waiting.some((form) => pressed(form, text)) ? waiting.length : 0;
}

/** The button that a text names by its label, or by a plain yes or no. A text with more, also a question mark, names none. */
function pressed(form, text) {
  const said = plain(text);
  const buttons = [...form.querySelectorAll(".form-actions button")];
  const typed = (button) => words[button.dataset.decline ? "approval.typed.no" : "approval.typed.yes"].split("|");
  return buttons.find((button) => [button.textContent, ...typed(button)].some((each) => plain(each) === said)) ?? null;
}

/** Words without case, accents, commas and the end of the sentence. */
function plain(text) {
  const bare = text.normalize("NFD").replace(/\p{Mark}/gu, "").toLowerCase().replaceAll("’", "'");
  return bare.replace(/[\s.!…;,]+$/u, "").replace(/[\s,]+/gu, " ").trim();
}
