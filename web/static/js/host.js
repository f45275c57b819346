import { newId } from "/static/sdk/ids.js";

/**
 * The port to the page that shows this frame. In the handshake the frame sends a nonce to one origin alone, and the page
 * answers with the nonce and a port. All other messages use the port: JSON-RPC 2.0, with the names of MCP Apps.
 */
const PROTOCOL = "2026-01-26";
/** Messages that `HostPage` hears. */
const LATER = new Set(["loopwire/identify", "loopwire/context", "loopwire/tool", "loopwire/result"]);

export class Host extends EventTarget {
  #nonce = newId();
  #port = null;
  /** What the page said before its listeners were loaded. */
  #early = [];
  /** Whether the page opens the links of the conversation. */
  opensLinks = false;
  #origin;

  /** `wanted` is the origin in the frame's address; it must be one of `hosts` or the server's own. */
  constructor({ wanted, hosts }) {
    super();
    this.#origin = window.parent !== window && [location.origin, ...hosts].includes(wanted) ? wanted : null;
  }

  /** Ask the page for its port. */
  initialize(info) {
    if (!this.#origin) return;
    const onAnswer = (event) => {
      if (event.source !== window.parent || event.origin !== this.#origin) return;
      const { id, result } = event.data ?? {};
      if (id !== this.#nonce || !result || !event.ports[0]) return;
      window.removeEventListener("message", onAnswer);
      this.#use(event.ports[0], result.hostContext ?? {});
    };
    window.addEventListener("message", onAnswer);
    const params = { protocolVersion: PROTOCOL, appInfo: { version: "1", ...info }, appCapabilities: {} };
    window.parent.postMessage({ jsonrpc: "2.0", id: this.#nonce, method: "ui/initialize", params }, this.#origin);
  }

  /** Send the page a notification; before the handshake, and without a page that listens, it is dropped. */
  tell(method, params = {}) {
    this.#port?.postMessage({ jsonrpc: "2.0", method, params });
  }

  /** Hear again what the page said before now about its user, its content and its tools: who listens was loaded since. */
  repeat() {
    const early = this.#early?.filter(({ method }) => LATER.has(method)) ?? [];
    this.#early = null;
    for (const data of early) this.#hear(data);
  }

  #hear({ method, params = {} }) {
    this.dispatchEvent(new CustomEvent(method, { detail: params }));
  }

  /** Report the height of the content whenever it changes, to a page that fits the frame to it. */
  measure(box, always) {
    if (!always) return;
    this.#sendSize = () => this.tell("ui/notifications/size-changed", { height: Math.ceil(box.getBoundingClientRect().height) });
    new ResizeObserver(this.#sendSize).observe(box);
  }

  #sendSize = () => {};

  #use(port, context) {
    this.#port = port;
    this.opensLinks = Boolean(context.loopwire?.links);
    port.onmessage = ({ data }) => {
      if (data?.jsonrpc !== "2.0" || typeof data.method !== "string") return;
      this.#early?.push(data);
      this.#hear(data);
    };
    this.tell("ui/notifications/initialized");
    this.dispatchEvent(new CustomEvent("initialized", { detail: context.loopwire ?? {} }));
    this.dispatchEvent(new CustomEvent("ui/notifications/host-context-changed", { detail: context }));
    this.#sendSize();
  }
}
