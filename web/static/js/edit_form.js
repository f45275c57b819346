import { alertCard } from "./error_card.js";
import { words } from "./words.js";

/** The form that edits a message: a field with its text, and two buttons. */
export function editForm(text) {
  const form = made("form", { className: "edit-form", method: "dialog" });
  const field = made("textarea", { name: "text", value: text, rows: 1, dir: "auto" });
  field.setAttribute("aria-label", words["version.field"]);
  field.addEventListener("input", () => fit(field));
  field.addEventListener("focus", () => fit(field));
  field.setSelectionRange(text.length, text.length);
  const state = made("p", { className: "hint" });
  const foot = made("div", { className: "form-actions" });
  const cancel = made("button", { type: "button", className: "button small", textContent: words["version.cancel"] });
  cancel.dataset.endEdit = "";
  foot.append(cancel, made("button", { className: "button small primary", textContent: words["version.send"] }));
  form.append(field, state, foot);
  return form;
}

/** Show why a version was refused; nothing with an empty sentence. */
export function showError(form, sentence) {
  form.querySelector(".trouble")?.remove();
  if (sentence) form.elements.text.after(alertCard(sentence));
}

/** Show what a version waits for until it is sent, nothing with an empty sentence; returns the sentence. */
export function showState(form, sentence) {
  if (sentence) showError(form, "");
  form.querySelector(".hint").textContent = sentence;
  return sentence;
}

const made = (name, fields) => Object.assign(document.createElement(name), fields);

/** Fit the field's height to its text, in browsers without `field-sizing`. */
function fit(field) {
  field.style.height = "";
  if (!CSS.supports("field-sizing", "content")) field.style.height = `${field.scrollHeight}px`;
}
