import { alertCard } from "./error_card.js";
import { failureWords } from "./failed_requests.js";
import { tellWaiting } from "./waiting_command.js";
import { words } from "./words.js";
import { newId } from "/static/sdk/ids.js";

const REASONS = ["wrong", "unhelpful", "unsafe", "other"];
const MOST = 500;

/** Send a rating of the answer in a row, which shows what it waits for; resolves when it is stored. */
export async function storeRating({ client, announcer }, row, rating) {
  const id = newId();
  const line = made("p", { className: "hint" });
  const settled = tellWaiting(client, id, (wait) => {
    line.textContent = wait;
    if (wait) row.append(line);
    else line.remove();
    announcer.say(wait);
  });
  await client.command({ type: "feedback", id, ...rating }).finally(settled);
}

/** Ask below an answer why it was not useful; `send` gets the reason and the comment, and `closed` what has the focus next. */
export function askReason(bar, send, closed) {
  const row = bar.closest(".row");
  row.querySelector(".reasons")?.remove();
  const form = made("form", { className: "reasons", method: "dialog" });
  const group = made("fieldset", {});
  const comment = made("textarea", { name: "comment", rows: 1, maxLength: MOST, dir: "auto", placeholder: words["feedback.comment"] });
  const foot = made("div", { className: "form-actions" });
  const later = made("button", { type: "button", className: "button small", textContent: words["feedback.close"] });
  comment.setAttribute("aria-label", words["feedback.comment"]);
  group.append(made("legend", { textContent: words["feedback.why"] }), ...REASONS.map(choice), comment);
  foot.append(made("button", { className: "button small primary", textContent: words["feedback.send"] }), later);
  form.append(group, foot);
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
    form.querySelector(".trouble")?.remove();
    group.disabled = true;
    try {
      await send(said);
      close();
    } catch (error) {
      group.disabled = false;
      foot.before(alertCard(...failureWords(error, words["feedback.failed"])));
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
