import { newId } from "./ids.js";
/** An `HttpAgent` of AG-UI, of 1.0 or before, that needs no cookies, and whose `abortRun` stops the answer at the server. */
export const loopwireAgent = (HttpAgent) =>
  class LoopwireAgent extends HttpAgent {
    /**
     * @param {object} config  that of HttpAgent
     * @param {Pick<Storage, "getItem" | "setItem">} [config.storage]  keeps the tokens of conversations over a reload
     */
    constructor({ storage, ...config }) {
      super(config);
      Object.assign(this, { storage, threads: {}, stopping: false });
      // The agent that runs may be a clone of this one.
      this.subscribe({ onRunStartedEvent: ({ event, agent = this }) => agent.remember(event.metadata?.loopwire) });
    }

    clone() {
      return Object.assign(super.clone(), { storage: this.storage, threads: this.threads, stopping: false });
    }

    /** What leads a run, and a stop, to the conversation of this thread. */
    get known() {
      return (this.threads[this.threadId] ??= JSON.parse(this.storage?.getItem(this.threadId) ?? "{}"));
    }

    remember(known = {}) {
      this.threads[this.threadId] = known;
      this.storage?.setItem(this.threadId, JSON.stringify(known));
      if (this.stopping) this.abortRun();
    }

    credentials() {
      const { resume_token } = this.known;
      return resume_token ? { authorization: `Bearer ${resume_token}` } : {};
    }

    requestInit(input) {
      this.stopping = false;
      const init = super.requestInit(input);
      return { ...init, headers: { ...init.headers, ...this.credentials() } };
    }

    /** Stop the answer, as soon as it has begun: leaving it unread would stop nothing. */
    abortRun() {
      const { session_id } = this.known;
      this.stopping = !session_id;
      if (this.stopping) return;
      const url = new URL(`/v1/sessions/${session_id}/commands`, new URL(this.url, globalThis.location?.href));
      const headers = { "content-type": "application/json", ...this.credentials() };
      const body = JSON.stringify({ type: "cancel", id: newId() });
      (this.fetch ?? fetch)(url.href, { method: "POST", headers, body }).catch(() => {});
    }
  };
