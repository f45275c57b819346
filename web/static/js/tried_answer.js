import { stripOverrides } from "./bidi.js";
import { RunSteps } from "./run_steps.js";
import { phrase, words } from "./words.js";

/** The place below a form where its request is shown: how it goes, its steps, its text as it comes, and its answer. */
export class TriedAnswer {
  #began = 0;
  #open = new Set();

  constructor(place, announcer) {
    const find = (name) => place.querySelector(name);
    Object.assign(this, { place, announcer, measure: find(".measure"), error: find(".error"), note: find("[data-note]") });
    Object.assign(this, { said: find(".said"), data: find("pre"), copying: find("[data-copying]") });
    this.steps = new RunSteps(find(".run-steps"));
  }

  /** Empty the place for a new request. */
  begin() {
    this.#began = performance.now();
    this.steps.clear();
    this.said.replaceChildren();
    this.data.textContent = "";
    for (const each of [this.error, this.note, this.said, this.data, this.copying]) each.hidden = true;
    this.place.hidden = false;
    this.place.setAttribute("aria-busy", "true");
    this.#tell(words["docs.script.sending"]);
  }

  /** Show that the server works on the request. */
  showWorking() {
    if (this.measure.textContent === words["docs.script.sending"]) this.#tell(words["docs.script.working"]);
  }

  showCancelling() {
    this.#tell(words["docs.script.cancelling"]);
  }

  /** Add a piece of the text `id`; the announcer says it in whole sentences. */
  add(id, delta) {
    if (!this.#open.has(id) && this.said.hasChildNodes()) this.said.append("\n\n");
    this.#open.add(id);
    this.said.hidden = false;
    this.said.append(stripOverrides(delta));
    this.announcer.add(id, delta);
  }

  /** Add what a program reads of the answer. */
  addData(text) {
    this.data.append(text);
    this.data.hidden = this.copying.hidden = false;
  }

  /** Say why the steps of the request are not shown. */
  showUnwatched(why) {
    this.#note(phrase("docs.script.unwatched", { why }));
  }

  /** Show the end by the status of the answer, and by the `code` and the `message` of a failure. */
  end(status, failure = null) {
    this.#finish(`${status} · ${Math.round(performance.now() - this.#began)} ms`, failure !== null);
    if (!failure) return;
    this.error.querySelector("span").textContent = [failure.code, failure.message].filter(Boolean).map(stripOverrides).join(": ");
    this.error.hidden = false;
    if (status === 401) this.#note(words["docs.script.cookie"]);
  }

  /** Show that no answer came, or that it ended before its end. */
  break(isCancelled = false) {
    const why = this.data.hidden ? words["docs.script.failed"] : words["docs.script.dropped"];
    this.#finish(isCancelled ? words["docs.script.cancelled"] : why, !isCancelled);
  }

  #finish(text, isBad) {
    for (const id of this.#open) this.announcer.end(id);
    this.#open.clear();
    this.place.removeAttribute("aria-busy");
    this.#tell(text, isBad);
  }

  #note(text) {
    this.note.textContent = text;
    this.note.hidden = false;
  }

  #tell(text, isBad = false) {
    this.measure.textContent = text;
    this.measure.classList.toggle("bad", isBad);
  }
}

/** The failure that a refused request names, in each of the shapes that the server has. */
export function failureOf(body) {
  const { error, code, detail } = body ?? {};
  if (typeof error === "object" && error) return { code: error.code, message: error.message };
  if (typeof error === "string") return { code, message: error };
  const [first] = Array.isArray(detail) ? detail : [];
  return first ? { code: first.type, message: `${first.loc.join(".")}: ${first.msg}` } : { message: words["docs.script.failed"] };
}
