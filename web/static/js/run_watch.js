import { LoopwireClient } from "/static/sdk/client.js";
import { ask } from "./visitor.js";

const PATIENCE_MS = 3_000;
const LAST_MS = 1_000;

/**
 * Watches the run of a request over REST: the events of its session, over the wire of conversations. The session is the
 * visitor's own, called as the request calls it (`session_id`), and the run is known by the request's key.
 */
export class RunWatch {
  #client;
  #key;
  #tell;
  #begun = null;
  #showEnd = () => {};
  #ended = new Promise((resolve) => (this.#showEnd = resolve));

  constructor({ service, name, key, tell }) {
    this.#client = new LoopwireClient({ url: `${location.origin.replace(/^http/, "ws")}/ws`, ticket: () => ticket(service, name) });
    this.#key = key;
    this.#tell = tell;
    this.run = null;
    this.#client.addEventListener("frame", ({ detail }) => this.#take(detail.event));
  }

  /** The session of the request; null before the ticket names it. */
  get session() {
    return this.#client.session;
  }

  /** Connect; resolves once events can come, or with the reason why none will. A server that is slow is not waited for. */
  open() {
    return new Promise((resolve) => {
      this.#client.addEventListener("state", ({ detail }) => {
        if (detail.state === "open") resolve("");
        if (detail.state === "closed") resolve(detail.message ?? "");
      });
      setTimeout(resolve, PATIENCE_MS, "");
      this.#client.connect();
    });
  }

  /** Stop the run; false where the server cannot be told now. */
  async stop() {
    if (this.#client.state !== "open") return false;
    const { run_id } = await this.#client.cancel(this.run ? { run_id: this.run } : { message_id: this.#key });
    return Boolean(run_id);
  }

  /** Stop watching, after the last events of a run that was seen to begin. */
  async close() {
    if (this.run) await Promise.race([this.#ended, new Promise((resolve) => setTimeout(resolve, LAST_MS))]);
    this.#client.close();
  }

  #take(event) {
    if (event.type === "RUN_STARTED") this.#begun = event.runId;
    if (event.type === "TEXT_MESSAGE_START" && event.metadata?.loopwire?.client_id === this.#key) this.run = this.#begun;
    if (!this.run || this.run !== this.#begun) return;
    this.#tell(event);
    if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") this.#showEnd();
  }
}

async function ticket(service, alias) {
  const headers = { "content-type": "application/json" };
  const response = await ask("/v1/tickets", { method: "POST", headers, body: JSON.stringify({ service, alias }) });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(body.error?.message ?? `${response.status}`), { retry: false });
  return body;
}
