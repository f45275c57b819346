import { newId } from "/static/sdk/ids.js";
import { SseParser } from "/static/sdk/sse_parser.js";
import { failureOf } from "./tried_answer.js";
import { ask } from "./visitor.js";

const ANSWER = "chat";

/** A message to `/chat`, whose answer is read as the stream that it sends. */
export class ChatCall {
  #left = new AbortController();
  #headers = null;

  constructor(form, answer) {
    Object.assign(this, { form, answer, isCancelled: false });
  }

  async run() {
    const { text, session_id, loopos_core_base_url } = this.form.elements;
    const name = session_id.value.trim() || newId();
    const messages = [{ role: "user", text: text.value }];
    const core = loopos_core_base_url.value.trim();
    const body = JSON.stringify({ ...JSON.parse(this.form.dataset.body), messages, session_id: name, loopos_core_base_url: core });
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const response = await ask(this.form.dataset.path, { method: "POST", headers, body, signal: this.#left.signal });
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      const given = await response.json();
      this.answer.addData(JSON.stringify(given, null, 2));
      return this.answer.end(response.status, failureOf(given));
    }
    this.#headers = response.headers;
    session_id.value = name;
    this.answer.showWorking();
    const failure = await this.#read(response.body);
    return this.isCancelled ? this.answer.break(true) : this.answer.end(response.status, failure);
  }

  /** Stop the run by its id; before it is known, the page waits for it no more. */
  async cancel() {
    this.isCancelled = true;
    if (!(await this.#stop().catch(() => false))) this.#left.abort();
  }

  async #stop() {
    const [session, run_id] = ["x-loopwire-session", "x-loopwire-run"].map((each) => this.#headers?.get(each));
    if (!run_id) return false;
    const body = JSON.stringify({ type: "cancel", id: newId(), run_id });
    const headers = { "content-type": "application/json" };
    return (await ask(`/v1/sessions/${session}/commands`, { method: "POST", headers, body })).ok;
  }

  /** Show the events as they come; returns the failure that the stream names, if it does. */
  async #read(stream) {
    const parser = new SseParser();
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    let failure = null;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      for (const data of parser.take(piece.value)) {
        const event = JSON.parse(data);
        this.answer.addData(`${data}\n`);
        if (event.text !== undefined) this.answer.add(ANSWER, event.text);
        if (event.error !== undefined) failure = failureOf(event);
      }
    }
    return failure;
  }
}
