/** The list of the keys as a dialog, which is drawn from their table when it is opened. */
import { words } from "./words.js";

const made = (name, properties = {}, children = []) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

/** Show the list; closing it gives the focus back. */
export function show(keys) {
  const lines = keys.filter(({ name }) => name !== "keys.new" || document.querySelector("a.new"));
  const table = lines.flatMap(({ keys: each, name }) => [
    made("dt", {}, each.flatMap((key, at) => [...(at ? [" + "] : []), made("kbd", { textContent: key })])),
    made("dd", { textContent: words[name] }),
  ]);
  const title = made("h2", { id: "keys-title", textContent: words["keys.title"] });
  const close = made("button", { type: "submit", className: "button", textContent: words["keys.close"] });
  const actions = made("div", { className: "form-actions" }, [close]);
  const form = made("form", { method: "dialog" }, [title, made("dl", { className: "keys" }, table), actions]);
  const dialog = made("dialog", { className: "session-dialog" }, [form]);
  dialog.setAttribute("aria-labelledby", title.id);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
