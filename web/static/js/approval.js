import { words } from "./words.js";

/** What waits for a yes and can be pressed now: not what is on its way, or came too late. */
const WAITS = 'form[data-interrupt][aria-busy="false"]:has(.form-actions:not([hidden]))';

/** The approvals that wait; none when something else is asked as well, as a yes would not say to what. */
export function approvals() {
  const asked = [...document.getElementById("log").querySelectorAll(WAITS)];
  return asked.some((form) => form.querySelector(".question")) ? [] : asked;
}

/**
 * The button that a typed text means: its label, or a plain yes or no, when one approval is all that waits. Anything more
 * than that, a question mark as well, is no answer.
 */
export function meant(text) {
  const [form, another] = approvals();
  if (!form || another) return null;
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
