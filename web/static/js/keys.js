/** The keys of the page: one table, which handles them and from which their list is drawn. */
import { options } from "./custom_elements.js";

const FIELDS = "input, textarea, select, [contenteditable]";

/** The open question: the last one, where there are several. */
const asked = () => [...document.querySelectorAll("#log .row-block.open:has(loopwire-choices, form)")].at(-1);

/** Whether Alt alone is held. Such keys are compared by `code`, since a Mac types another character with Alt. */
const withAlt = ({ altKey, ctrlKey, metaKey }) => altKey && !ctrlKey && !metaKey;

/**
 * `keys` as they stand in the list, `name` the sentence's key. Those with `act` act in the whole page: it returns whether
 * there was something to do. The others belong to the element that has the focus, which knows them.
 */
export const KEYS = [
  { keys: ["Enter"], name: "keys.send" },
  { keys: ["Shift", "Enter"], name: "keys.line" },
  { keys: ["↑"], name: "keys.last" },
  { keys: ["Esc"], name: "keys.stop" },
  { keys: ["Alt", "1–9"], name: "keys.option", meant: (event) => withAlt(event) && /^Digit[1-9]$/.test(event.code), act: ({ code }) => choose(Number(code.at(-1))) },
  { keys: ["Alt", "Q"], name: "keys.question", meant: (event) => withAlt(event) && event.code === "KeyQ", act: question },
  { keys: ["Ctrl", "K"], name: "keys.new", meant: ({ ctrlKey, metaKey, key }) => (ctrlKey || metaKey) && key.toLowerCase() === "k", act: () => press("a.new") },
  { keys: ["?"], name: "keys.list", meant: ({ key, target, ctrlKey, metaKey }) => key === "?" && !ctrlKey && !metaKey && !target.closest(FIELDS), act: list },
];

document.addEventListener("keydown", (event) => {
  if (event.isComposing || document.querySelector("dialog[open]")) return;
  const found = KEYS.find(({ meant }) => meant?.(event));
  if (found?.act(event)) event.preventDefault();
});
document.querySelector("[data-keys]")?.addEventListener("click", list);

function choose(number) {
  const choices = asked()?.querySelector("loopwire-choices");
  const option = choices && options(choices).filter((each) => !each.matches(".more"))[number - 1];
  option?.click();
  return Boolean(option);
}

/** Focus the first enabled control of the open question. */
function question() {
  const row = asked();
  const first = [...(row?.querySelectorAll("button, input, select, textarea") ?? [])].find((each) => each.matches(":enabled") && each.checkVisibility());
  first?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
  return Boolean(first);
}

function press(selector) {
  const found = document.querySelector(selector);
  found?.click();
  return Boolean(found);
}

function list() {
  import("./keys_list.js").then(({ show }) => show(KEYS));
  return true;
}
