import { writeDates } from "./days.js";
import { alertCard } from "./error_card.js";
import { done, failureWords } from "./failed_requests.js";
import { ask } from "./visitor.js";
import { words } from "./words.js";

/** Bind the button that loads earlier messages above the log without moving the view; returns the setter of their cursor. */
export function offerOlderMessages(log, follow, session, base = "") {
  const place = document.getElementById("older");
  const button = place.querySelector("button");
  let card = null;
  const load = async () => {
    const response = await done(ask(`${base}/s/${session()}/older?before=${encodeURIComponent(button.dataset.before)}`));
    return response.json();
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    card?.remove();
    try {
      const { rows, before } = await load();
      const { scroller } = follow;
      const height = scroller.scrollHeight;
      htmx.swap({ text: rows, target: log, swap: "afterbegin", sourceElement: log });
      writeDates(log);
      scroller.scrollTop += scroller.scrollHeight - height;
      begin(before);
    } catch (error) {
      card = alertCard(...failureWords(error, words["log.older.failed"]));
      place.after(card);
    }
    button.disabled = false;
  });
  const begin = (before) => {
    button.dataset.before = before ?? "";
    place.hidden = !before;
  };
  return begin;
}
