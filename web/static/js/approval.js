import { words } from "./words.js";

/** What waits for a yes and can be pressed now: not what is on its way, or came too late. */
const WAITS = 'form[data-interrupt][aria-busy="false"]:has(.form-actions:not([hidden]))';

/** The approvals that wait; none when something else is asked as well, as a yes would not say to what. */
export function approvals() {
  const asked = [...document.getElementById("log").querySelectorAll(WAITS)];
  return asked.some((form) => form.querySelector(".question")) ? [] : asked;
}

/** The button that a typed text means, when one approval is all that waits. */
export function approvalButton(text) {
  const [form, another] = approvals();
  return form && !another ? pressed(form, text) : null;
}

/** Of how many approvals a typed text may mean one, when it does not say which; else 0. */
export function countUnclear(text) {
  const waiting = approvals();
  return waiting.length > 1 && waiting.some((form) => pressed(form, text)) ? waiting.length : 0;
}

/** The button that a text names: its label, or a plain yes or no. Anything more, a question mark as well, is no answer. */
function pressed(form, text) {
  const said = plain(text);
  const buttons = [...form.querySelectorAll(".form-actions button")];
  const typed = (button) => words[button.dataset.decline ? "approval.typed.no" : "approval.typed.yes"].split("|");
  return buttons.find((button) => [button.textContent, ...typed(button)].some((each) => plain(each) === said)) ?? null;
}

/** Words without what does not change them: case, accents, commas, and how the sentence ends. */
function plain(text) {
  const bare = text.normalize("NFD").replace(/\p{Mark}/gu, "").toLowerCase().replaceAll("’", "'");
  return bare.replace(/[\s.!…;,]+$/u, "").replace(/[\s,]+/gu, " ").trim();
}
