import { approvals } from "./approval.js";
import { words } from "./words.js";

/** Windows without room for the hint: the placeholder says why a message is not sent now. */
export const NARROW = matchMedia("(max-width: 639px)");

/** The hint beside the composer: its sentence, whether it names a fault, and whether it must always be visible. */
export function hint(state) {
  const { full, spent, long, odd, unclear, wrong } = state;
  if (wrong) return { text: wrong, wrong: true, needed: true };
  const fault = long ? "composer.long" : odd ? "composer.odd" : unclear ? "composer.several" : "";
  const text = words[fault || usual(state)].replace("{count}", long || unclear);
  return { text, wrong: Boolean(fault), needed: Boolean(fault) || full || spent };
}

/** The placeholder of the empty composer. */
export function placeholder(state) {
  const waiting = state.gone ? "connection.session" : NARROW.matches && waits(state);
  return waiting ? words[waiting] : asked();
}

function usual({ running, stopping, full, offline, spent, gone }) {
  if (gone) return "connection.session";
  if (full) return "composer.full";
  if (offline) return stopping ? "composer.stops" : "composer.offline";
  if (spent) return "composer.spent";
  return running ? "composer.queue" : rests();
}

/** While no answer runs: what a message does to a question that waits. */
function rests() {
  if (!document.querySelector("#log form[data-interrupt]")) return "composer.hint";
  return ["composer.closes", "composer.closes.approval"][approvals().length] ?? "composer.closes.several";
}

/** The reason why a message would not be sent now, in words that fit a phone. */
function waits({ stopping, full, offline, spent }) {
  if (full) return "composer.placeholder.full";
  if (offline) return `composer.placeholder.${stopping ? "stops" : "offline"}`;
  return spent ? "composer.placeholder.spent" : "";
}

function asked() {
  const begins = document.getElementById("talk").matches(".new-talk");
  return begins ? document.getElementById("empty").dataset.placeholder : words[goesOn()];
}

function goesOn() {
  const log = document.getElementById("log");
  if (log.matches("[data-person]")) return "composer.placeholder.person";
  const waiting = approvals().length;
  if (waiting) return waiting > 1 ? "composer.placeholder.several" : "composer.placeholder.approval";
  if (log.querySelector("form.form:not([aria-busy=true]), loopwire-choices.form")) return "composer.placeholder.form";
  return log.lastElementChild?.querySelector(".tag") ? "composer.placeholder.done" : "composer.placeholder";
}
