import { words } from "./words.js";

const REASONS = ["wrong", "unhelpful", "unsafe", "other"];
const MOST = 500;

/** Ask below an answer why it was not useful; `send` gets the reason and the comment, and `closed` what has the focus next. */
export function askReason(bar, send, closed) {
  const row = bar.closest(".row");
  row.querySelector(".reasons")?.remove();
  const form = made("form", { className: "reasons", method: "dialog" });
  const group = made("fieldset", {});
  const comment = made("textarea", { name: "comment", rows: 1, maxLength: MOST, dir: "auto", placeholder: words["feedback.comment"] });
  const line = made("p", { className: "error", hidden: true, textContent: words["feedback.failed"] });
  const foot = made("div", { className: "form-actions" });
  const later = made("button", { type: "button", className: "button small", textContent: words["feedback.close"] });
  comment.setAttribute("aria-label", words["feedback.comment"]);
  line.setAttribute("role", "alert");
  group.append(made("legend", { textContent: words["feedback.why"] }), ...REASONS.map(choice), comment);
  foot.append(made("button", { className: "button small primary", textContent: words["feedback.send"] }), later);
  form.append(group, line, foot);
  const close = () => {
    form.remove();
    closed();
  };
  later.addEventListener("click", close);
  form.addEventListener("keydown", (event) => event.key === "Escape" && close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = { reason: form.elements.reason.value || undefined, comment: comment.value.trim() || undefined };
    if (!said.reason && !said.comment) return close();
    group.disabled = true;
    try {
      await send(said);
      close();
    } catch {
      group.disabled = false;
      line.hidden = false;
    }
  });
  row.append(form);
  form.scrollIntoView({ block: "nearest" });
  form.querySelector("input").focus({ preventScroll: true });
}

function choice(value) {
  const label = made("label", {});
  label.append(made("input", { type: "radio", name: "reason", value }), words[`feedback.${value}`]);
  return label;
}

const made = (name, fields) => Object.assign(document.createElement(name), fields);
