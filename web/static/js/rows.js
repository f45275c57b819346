/** Places rows in the log: a known row is replaced, a new one appended, and a row that folds others replaces them. */
import { markup } from "./markup.js";

const BRIEF_MS = 300;
const ENDED = /[.!?…]$/;
const born = new WeakMap();

/** Place the fragment of a durable frame; returns its row, or null when the fragment is no row. */
export function place(log, frame, { replayed }) {
  const held = frame.content.includes("row-steps") ? folded(frame.content) : [];
  const known = held[0]?.closest("#log > .row") ?? document.querySelector(frame.target);
  const read = [...held, known].filter((each) => each?.querySelector(":scope > details")?.open).map(({ id }) => id);
  const isNew = !known && frame.target.startsWith("#row-");
  // A block that is written again, as a question whose answer is refused once more, is said again though its words are the same.
  const { type, activityType } = frame.event;
  const before = type === "ACTIVITY_SNAPSHOT" && activityType === "block" ? "" : spokenText(known);
  const hadFocus = known?.contains(document.activeElement);
  const since = known ? born.get(known) : performance.now();
  htmx.swap({
    text: frame.content,
    target: known ?? log,
    swap: isNew ? "beforeend" : frame.swap,
    sourceElement: log,
  });
  const row = document.querySelector(frame.target);
  if (!row?.matches(".row")) return null;
  if (since && !replayed) born.set(row, since);
  if (!replayed && performance.now() - since < BRIEF_MS) row.classList.add("fresh");
  if (isNew && !replayed && row.matches(".row-handoff")) row.classList.add("live-now");
  if (read.length) for (const id of [row.id, ...read]) document.getElementById(id)?.querySelector("details")?.toggleAttribute("open", true);
  const says = spokenText(row);
  return { row, isNew, hadFocus, says: says === before ? "" : says };
}

/** Find the rows that a folded row holds, in their order. It takes the place of the first, and the others are removed. */
function folded(content) {
  const fresh = document.createElement("template");
  fresh.innerHTML = markup(content);
  const held = [...fresh.content.querySelectorAll(".row")].map((each) => document.getElementById(each.id)).filter(Boolean);
  const [, ...others] = new Set(held.map((each) => each.closest("#log > .row")));
  others.forEach((each) => each.remove());
  return held;
}

/** The sentence that a screen reader says of a row; the work of agents is announced apart. */
function spokenText(row) {
  const texts = [...(row?.querySelectorAll("[data-announce='']") ?? [])].map((each) => each.textContent.trim());
  return texts.reduce((said, each) => said + (!said || ENDED.test(said) ? " " : ". ") + each, "").trim();
}
