/** Extends AG-UI's `HttpAgent`, of 1.0 or before: it needs no cookies, and its `abortRun` stops the answer at the server. */
export const loopwireAgent = (HttpAgent) =>
  class LoopwireAgent extends HttpAgent {
    /**
     * @param {object} config  that of HttpAgent
     * @param {Pick<Storage, "getItem" | "setItem">} [config.storage]  keeps the tokens of conversations over a reload
     */
    constructor({ storage, ...config }) {
      super(config);
      Object.assign(this, { storage, threads: {} });
      // The agent that runs may be a clone of this one.
      this.subscribe({ onRunStartedEvent: ({ event, agent = this }) => agent.remember(event.metadata?.loopwire) });
    }

    clone() {
      return Object.assign(super.clone(), { storage: this.storage, threads: this.threads });
    }

    /** The session id and the token by which a run or a stop reaches the conversation of this thread. */
    get known() {
      return (this.threads[this.threadId] ??= JSON.parse(this.storage?.getItem(this.threadId) ?? "{}"));
    }

    remember(known = {}) {
      this.threads[this.threadId] = known;
      this.storage?.setItem(this.threadId, JSON.stringify(known));
      if (this.stopping) this.abortRun();
    }

    /** The token of the thread, unless the page sets an `authorization` header itself. */
    credentials() {
      const { resume_token } = this.known;
      const said = Object.keys(this.headers ?? {}).some((name) => name.toLowerCase() === "authorization");
      return resume_token && !said ? { authorization: `Bearer ${resume_token}` } : {};
    }

    requestInit(input) {
      this.stopping = false;
      const init = super.requestInit(input);
      return { ...init, headers: { ...init.headers, ...this.credentials() } };
    }

    /** Stop the answer at the server, as soon as it has begun. A client that only stops reading does not stop the run. */
    abortRun() {
      this.stopping = !this.known.session_id;
      if (this.stopping) return;
      const url = new URL(this.url, globalThis.location?.href);
      url.pathname += "/cancel";
      const headers = { ...this.headers, "content-type": "application/json", ...this.credentials() };
      const body = JSON.stringify({ threadId: this.threadId });
      (this.fetch ?? fetch)(url.href, { method: "POST", headers, body }).catch(() => {});
    }
  };
