/** The HTTP requests of a client: tickets where the page's server does not request them, and those of `session_requests.js`. */
export class Requests {
  #fetch;
  /** The bearer of the current user, if one was set. */
  bearer;

  constructor(base, fetch = globalThis.fetch.bind(globalThis)) {
    [this.base, this.#fetch] = [base, fetch];
  }

  /** Send a request and return the JSON of the response. Its errors have the server's `code` and `retry`. */
  async json(path, { bearer = this.bearer, headers, through = this.#fetch, ...given }) {
    const authorization = bearer && { authorization: `Bearer ${bearer}` };
    const response = await through(this.base + path, { cache: "no-store", ...given, headers: { ...headers, ...authorization } });
    const body = await response.json().catch(() => ({}));
    if (response.ok) return body;
    const { code, message } = body.error ?? body;
    const { status } = response;
    throw Object.assign(new Error(message ?? `HTTP ${status}`), { code, status, retry: status >= 500 || status === 429 });
  }

  /** Request a ticket of a session, or of a new one for this service. */
  ticket(wanted) {
    return this.post("/v1/tickets", wanted);
  }

  /** Post a body as JSON. */
  post(path, body) {
    return this.json(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  }
}

/** Load the requests of a session that few chats need, once it is known. */
export async function loadRequests(session) {
  await session.untilLoaded();
  return import("./session_requests.js");
}
