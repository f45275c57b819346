/** The HTTP requests of a client: tickets where the page's server does not request them, older messages, files. */
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

  /** Send a file. Only an XMLHttpRequest reports progress; without one `onProgress` is called once, at the end. */
  async upload(path, file, { onProgress, ...given }) {
    const through = onProgress && globalThis.XMLHttpRequest ? (...asked) => byXhr(...asked, onProgress) : undefined;
    const headers = file.type && { "content-type": file.type };
    const answer = await this.json(path, { method: "POST", headers, body: file, through, ...given });
    if (!through) onProgress?.(1);
    return answer;
  }
}

function byXhr(url, { method, headers, body, signal }, onProgress) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const each of Object.entries(headers)) request.setRequestHeader(...each);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
    request.onerror = () => reject(new TypeError("The network failed."));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
