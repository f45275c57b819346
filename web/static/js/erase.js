import { alertCard } from "./error_card.js";
import { done, failureWords } from "./failed_requests.js";

/**
 * Delete every conversation of a visitor, then the visitor: its cookie, its tokens and all copies of them are invalid from
 * then on. Throws an error that `failureWords` reads.
 */
export async function erase(ask) {
  let gone = 0;
  try {
    for (;;) {
      const { sessions } = await (await done(ask("/v1/sessions?limit=100"))).json();
      for (const { id } of sessions) {
        await done(ask(`/v1/sessions/${id}`, { method: "DELETE" }));
        gone += 1;
      }
      if (sessions.length === 0) break;
    }
    const left = await ask("/v1/visitor", { method: "DELETE" });
    // A user of the app does not leave it.
    if (left.status !== FORBIDDEN) await done(left);
  } catch (error) {
    throw Object.assign(error, { gone });
  }
}

/** Ask in a dialog of a frame whether all is to be deleted, and do it; `gone` is called then. */
export function confirmErasure({ ask, words, gone }) {
  const dialog = element("dialog", { className: "session-dialog danger erasure" });
  const title = element("h2", { id: "erasure-title", textContent: words["session.erase.title"] });
  const yes = element("button", { type: "button", className: "button primary", textContent: words["session.erase.yes"] });
  const no = element("button", { type: "button", className: "button", textContent: words["session.cancel"] });
  const actions = element("div", { className: "form-actions" });
  const form = element("form", { method: "dialog" });
  dialog.setAttribute("aria-labelledby", title.id);
  actions.append(yes, no);
  form.append(title, element("p", { textContent: words["session.erase.text"] }), actions);
  dialog.append(form);
  no.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  yes.addEventListener("click", async () => {
    yes.disabled = true;
    form.querySelector(".trouble")?.remove();
    try {
      await erase(ask);
      gone();
    } catch (error) {
      actions.before(alertCard(...failureWords(error)));
      yes.disabled = false;
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  no.focus();
}

const FORBIDDEN = 403;

const element = (name, values) => Object.assign(document.createElement(name), values);
