/** The HTTP side of a server that a test speaks for: streams and commands are kept in order, and can be awaited. */
export class HttpServer {
  constructor() {
    [this.streams, this.posts, this.waiting] = [[], [], []];
    this.fetch = (url, given) =>
      new Promise((resolve, reject) => {
        const post = given.method === "POST";
        const asked = post ? new Post(url, given, resolve, reject) : new Stream(url, given, resolve, reject);
        (post ? this.posts : this.streams).push(asked);
        given.signal?.addEventListener("abort", () => asked.lose());
        this.waiting.splice(0).forEach((tell) => tell());
      });
  }

  /** Wait for the nth stream. */
  stream(index) {
    return this.#nth(this.streams, index);
  }

  /** Wait for the nth command. */
  post(index) {
    return this.#nth(this.posts, index);
  }

  async #nth(all, index) {
    while (all.length <= index) await new Promise((resolve) => this.waiting.push(resolve));
    return all[index];
  }
}

class Asked {
  constructor(url, given, resolve, reject) {
    Object.assign(this, { url, headers: given.headers, signal: given.signal, resolve, reject, credentials: given.credentials });
    this.body = given.body && JSON.parse(given.body);
  }

  /** Answer with JSON. */
  answer(status, frame) {
    this.resolve(new Response(JSON.stringify(frame), { status, headers: { "content-type": "application/json" } }));
  }

  lose() {
    this.reject(new TypeError("network"));
  }
}

class Post extends Asked {}

class Stream extends Asked {
  /** Begin to stream. */
  open() {
    const body = new ReadableStream({ start: (given) => (this.out = given) });
    this.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  }

  /** Send a frame as an event; `pieces` cuts it anywhere. */
  say(frame, cut = 0) {
    const text = `id: 1.1-${frame.seq ?? 0}\ndata: ${JSON.stringify(frame)}\n\n`;
    const bytes = new TextEncoder().encode(text);
    for (const piece of cut ? [bytes.slice(0, cut), bytes.slice(cut)] : [bytes]) this.out.enqueue(piece);
  }

  welcome(more = {}) {
    this.open();
    this.say({ type: "welcome", session_id: "ses_1", epoch: "1.1", seq: 0, resumed: false, resume_token: "token", ...more });
  }

  lose() {
    super.lose();
    try {
      this.out?.error(new TypeError("network"));
    } catch {
      // The answer was over already.
    }
  }
}
