import { newId } from "/static/sdk/ids.js";
import { RunWatch } from "./run_watch.js";
import { failureOf } from "./tried_answer.js";
import { ask } from "./visitor.js";
import { words } from "./words.js";

/** A request of a service, as the form has it; its run is watched while it is answered. */
export class ServiceCall {
  #left = new AbortController();
  #watch = null;
  #texts = new Set();

  constructor(form, answer) {
    Object.assign(this, { form, answer, isCancelled: false });
  }

  async run() {
    const { service, path } = this.form.dataset;
    const key = newId();
    const { name, body } = named(this.form.elements.body.value);
    if (name) {
      this.#watch = new RunWatch({ service, name, key, tell: (event) => this.#show(event) });
      const why = await this.#watch.open();
      if (why) this.answer.showUnwatched(why);
    }
    try {
      const headers = { "content-type": "application/json", "idempotency-key": key };
      const response = await ask(path, { method: "POST", headers, body, signal: this.#left.signal });
      const given = await response.json();
      this.answer.addData(JSON.stringify(given, null, 2));
      this.answer.end(response.status, response.ok ? null : failureOf(given));
      const session = response.headers.get("x-loopwire-session");
      if (session && this.#watch?.session && session !== this.#watch.session) this.answer.showUnwatched(words["docs.script.cookie"]);
    } finally {
      await this.#watch?.close();
    }
  }

  /** Stop the run; where the server cannot be told, the page waits for it no more. */
  async cancel() {
    this.isCancelled = true;
    if (!(await this.#watch?.stop().catch(() => false))) this.#left.abort();
  }

  #show(event) {
    this.answer.showWorking();
    this.answer.steps.apply(event);
    const { type, messageId, role, delta } = event;
    if (type === "TEXT_MESSAGE_START" && role === "assistant") this.#texts.add(messageId);
    if (type === "TEXT_MESSAGE_CONTENT" && this.#texts.has(messageId)) this.answer.add(messageId, delta);
  }
}

/** The body of a request with the name of its session, and that name; a text that is no JSON object is left as it is. */
function named(text) {
  let given;
  try {
    given = JSON.parse(text);
  } catch {
    return { body: text };
  }
  if (typeof given !== "object" || !given || Array.isArray(given)) return { body: text };
  if (typeof given.session_id === "string" && given.session_id.trim()) return { name: given.session_id, body: text };
  const name = newId();
  // The text is sent as it was written: a number or a repeated name would change when it is written anew.
  const before = text.slice(0, text.lastIndexOf("}"));
  return { name, body: `${before}${Object.keys(given).length ? ", " : ""}"session_id": "${name}"}` };
}
