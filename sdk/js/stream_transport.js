import { SseParser } from "./sse_parser.js";
import { LOST, Transport } from "./transport.js";

const ALIVE_MS = 35_000;
const POST_MS = 30_000;
/** The close code of a socket that stands for each HTTP status. */
const CODES = { 401: 4401, 403: 4403, 404: 4404, 426: 4410, 429: 4429, 503: 1013 };

/** Refusals after which the client does not reconnect: it reports the server's sentence. */
const FINAL = new Set([403, 404, 426]);

/** The error frame in the body of a refusal. */
async function refusalOf(response) {
  const body = await response.json().catch(() => ({}));
  return { ...(body.error ?? body), type: "error" };
}

/** The transport without a WebSocket: events arrive as a stream, commands go by POST, one after the other. */
export class StreamTransport extends Transport {
  name = "sse";
  #abort = new AbortController();
  #bearer;
  #fetch;
  #sending = Promise.resolve();
  #url;

  constructor(options, session, hello, listener) {
    super(listener);
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    this.#bearer = hello.resume_token ?? hello.ticket;
    const server = options.url.replace(/^ws/, "http").replace(/\/ws$/, "");
    this.#url = `${server}/v1/sessions/${encodeURIComponent(session)}`;
    // Without a session there is no address: a ticket of the page's server may not name its session.
    if (session) this.#read(options.html ? "?format=html" : "", hello);
    else queueMicrotask(() => this.end(LOST));
  }

  send(frame) {
    this.#sending = this.#sending.then(() => this.#post(frame)).catch(() => this.end(LOST));
  }

  receive(frame) {
    if (frame.type === "welcome") this.#bearer = frame.resume_token;
    super.receive(frame);
    if (frame.type === "close") this.end(frame.code);
  }

  release() {
    this.#abort.abort();
  }

  async #read(query, { last_seq, epoch }) {
    const headers = { authorization: `Bearer ${this.#bearer}`, accept: "text/event-stream" };
    if (last_seq !== undefined) headers["last-event-id"] = `${epoch}-${last_seq}`;
    try {
      const response = await this.#request(`/events${query}`, { headers });
      if (FINAL.has(response.status)) this.receive(await refusalOf(response));
      if (!response.ok) return this.end(CODES[response.status] ?? LOST);
      this.awaitWelcome();
      await this.#follow(response.body.getReader());
    } catch {
      // The network failed; fetch gives no other reason.
    }
    return this.end(LOST);
  }

  async #follow(reader) {
    const [parser, decoder] = [new SseParser(), new TextDecoder()];
    let welcomed = false;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const data of parser.take(decoder.decode(value, { stream: true }))) {
        this.receive(JSON.parse(data));
        welcomed = true;
      }
      if (welcomed) this.within(ALIVE_MS);
    }
  }

  async #post(frame) {
    if (this.#abort.signal.aborted) return;
    const headers = { authorization: `Bearer ${this.#bearer}`, "content-type": "application/json" };
    const given = { method: "POST", headers, body: JSON.stringify(frame) };
    const late = setTimeout(() => this.end(LOST), POST_MS);
    const [response, answer] = await this.#postAnswer(given).finally(() => clearTimeout(late));
    // An error with an id answers the frame; one without refuses its sender.
    if (response.ok || answer.id) this.receive(answer);
    else if (frame.id === undefined && response.status === 429) return;
    else this.end(CODES[response.status] ?? LOST);
  }

  async #postAnswer(given) {
    const response = await this.#request("/commands", given);
    return [response, await response.json()];
  }

  #request(path, given) {
    const { signal } = this.#abort;
    return this.#fetch(this.#url + path, { cache: "no-store", credentials: "omit", signal, ...given });
  }
}
