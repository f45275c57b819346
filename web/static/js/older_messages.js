import { writeDates } from "./days.js";
import { ask } from "./visitor.js";

/** Bind the button that loads earlier messages above the log without moving the view; returns the setter of their cursor. */
export function offerOlderMessages(log, follow, session, base = "") {
  const place = document.getElementById("older");
  const button = place.querySelector("button");
  button.addEventListener("click", async () => {
    button.disabled = true;
    const response = await ask(`${base}/s/${session()}/older?before=${encodeURIComponent(button.dataset.before)}`);
    button.disabled = false;
    if (!response.ok) return;
    const { rows, before } = await response.json();
    const { scroller } = follow;
    const height = scroller.scrollHeight;
    htmx.swap({ text: rows, target: log, swap: "afterbegin", sourceElement: log });
    writeDates(log);
    scroller.scrollTop += scroller.scrollHeight - height;
    begin(before);
  });
  const begin = (before) => {
    button.dataset.before = before ?? "";
    place.hidden = !before;
  };
  return begin;
}
