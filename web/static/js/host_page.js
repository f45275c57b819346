import { newId } from "/static/sdk/ids.js";
import { reopen, become, credentials, frame } from "./visitor.js";

const PATIENCE_MS = 45_000;
const MOST_TOOLS = 16;
/** The limit of all tools together, somewhat below the server's. */
const MOST_BYTES = 8_000;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The messages of the host page about its user, its content and its tools. All of them are untrusted. */
export class HostPage {
  #calls = new Map();
  #client;
  #host;
  /** Whether the server refused the visitor's bearer, so that the client does not reconnect by itself. */
  #isRefused = false;
  #last = Promise.resolve();
  #tabs = channel(`loopwire identity ${frame.app}`);
  #tools = new Map();

  constructor(host, client) {
    [this.#host, this.#client] = [host, client];
    host.addEventListener("loopwire/identify", ({ detail }) => (this.#last = this.#last.then(() => this.#identify(detail))));
    host.addEventListener("loopwire/context", ({ detail }) => this.#try(detail, () => client.setContext(detail.context ?? null)));
    host.addEventListener("loopwire/tool", ({ detail }) => this.#try(detail, () => this.#offer(detail)));
    host.addEventListener("loopwire/result", ({ detail }) => this.#calls.get(detail.id)?.(detail));
    client.addEventListener("state", ({ detail }) => this.#noteState(detail));
    this.#tabs?.addEventListener("message", ({ data }) => this.#follow(data));
  }

  /** Answer the page: done, or refused with a code. */
  #tell(id, told) {
    this.#host.tell("loopwire/done", { id, ...told });
  }

  #try({ id }, act) {
    try {
      act();
      this.#tell(id, {});
    } catch (error) {
      this.#tell(id, { error: { code: "bad_frame", message: error.message } });
    }
  }

  /** Ask the page for the next token of its user where the bearer of this one has ended. */
  #noteState({ state, code, next }) {
    this.#isRefused = state === "closed" && next === "stop" && code === "unauthorized";
    if (this.#isRefused && frame.known) this.#host.tell("loopwire/unauthorized");
  }

  /** Become the user of a token, or an anonymous visitor with null. */
  async #identify({ id, token = null }) {
    if (token === null && !frame.known) return this.#tell(id, { user: null });
    const session_id = this.#client.session;
    try {
      const said = say({ token, session_id, app: frame.app, service: document.body.dataset.service });
      const { user, claimed, expires_in, ...told } = await become(said);
      frame.known = user !== null;
      this.#tell(id, { user, expires_in });
      if (told.session_id !== session_id || user === null) return reopen(told.session_id ?? "");
      if (claimed) this.#tabs?.postMessage({ session: session_id, token: told.token });
      this.#client.renew(session_id);
      if (this.#isRefused) this.#client.connect();
    } catch ({ code, message }) {
      this.#tell(id, { error: { code, message } });
    }
  }

  /** Continue as a user when another frame of this browser handed this conversation over to that user. */
  #follow({ session, token }) {
    if (frame.known || !session || session !== this.#client.session) return;
    frame.known = true;
    become(Promise.resolve({ token }));
    this.#client.renew(session);
    if (!this.#client.wanted) this.#client.connect();
  }

  #offer({ name, description = "", parameters = {}, effect = false }) {
    // The server would refuse each message with an invalid tool, so it is validated here.
    if (!NAME.test(name)) throw new Error("A tool has a name of at most 64 letters, digits, _ and -.");
    if (typeof description !== "string" || description.length > 2_000) throw new Error("A description is a text of at most 2000 characters.");
    if ((parameters?.type ?? "object") !== "object" || !/^{/.test(JSON.stringify(parameters))) throw new Error("Parameters are a JSON Schema of one object.");
    const tool = { name, description, parameters, effect: Boolean(effect) };
    const tools = new Map(this.#tools).set(name, tool);
    if (tools.size > MOST_TOOLS) throw new Error(`A page has at most ${MOST_TOOLS} tools.`);
    if (new TextEncoder().encode(JSON.stringify([...tools.values()])).length > MOST_BYTES) throw new Error(`The tools of a page have at most ${MOST_BYTES} bytes.`);
    this.#tools = tools;
    this.#client.tool(tool, (args) => this.#call(name, args));
  }

  /** Let the page run one of its tools. */
  #call(name, args) {
    const id = newId();
    const over = () => this.#calls.delete(id);
    return new Promise((resolve, reject) => {
      this.#calls.set(id, ({ content, error }) => (error === undefined ? resolve(content) : reject(new Error(String(error)))));
      setTimeout(() => reject(new Error("The page did not answer in time.")), PATIENCE_MS);
      this.#host.tell("loopwire/call", { id, name, arguments: args });
    }).finally(over);
  }
}

/** The channel between the frames of this browser; null where the browser isolates frames. */
function channel(name) {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}

async function say(body) {
  const headers = { "content-type": "application/json", ...credentials };
  const answer = await fetch("/v1/identify", { method: "POST", headers, credentials: "omit", body: JSON.stringify(body) });
  const told = await answer.json().catch(() => ({}));
  if (answer.ok) return told;
  throw told.error ?? { code: "unavailable", message: `HTTP ${answer.status}` };
}
