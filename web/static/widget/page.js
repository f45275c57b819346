// The calls of a page to its chats besides opening them: identify, setContext and registerTool.
// The loader loads this file with the first frame, and keeps the calls until then. This file counts unread messages too.
const EARLY_S = 60;
const ports = new Map();
const waits = new Map();
const tools = new Map();
const latest = new Map();
let said;
let timer;

/** Serve the frame of a chat behind a port; `calls` are those that the loader kept. */
export function serve(host, port, calls) {
  port.addEventListener("message", ({ data: { method, params } }) => listeners[method]?.(port, params, host));
  ports.set(host, port);
  for (const each of latest.values()) tell(port, each);
  if (said) return;
  said = calls;
  calls.push = ([name, given, ends]) => acts[name](...given).then(...ends);
  for (const call of calls.splice(0)) calls.push(call);
}

/** Send a message to every frame, also to later ones; resolves with the first answer. */
function say(key, method, params) {
  const told = { method, params: { ...params, id: crypto.randomUUID() } };
  latest.set(key, told);
  for (const [host, port] of ports) {
    if (host.isConnected) tell(port, told);
    else ports.delete(host);
  }
  return new Promise((resolve, reject) => waits.set(told.params.id, { resolve, reject }));
}

function tell(port, told) {
  port.postMessage({ jsonrpc: "2.0", ...told });
}

const acts = {
  /** Takes a token of your server, or a function that requests one and is called again in time; null signs out. */
  async identify(given) {
    clearTimeout(timer);
    const asks = typeof given === "function";
    const token = asks ? await given() : (given ?? null);
    const { user, expires_in } = await say("identify", "loopwire/identify", { token });
    clearTimeout(timer);
    const early = Math.max(expires_in - EARLY_S, expires_in / 2);
    if (asks) timer = setTimeout(() => acts.identify(given).catch((error) => console.error("Loopwire identify", error)), early * 1_000);
    return { user };
  },
  async setContext(context) {
    await say("context", "loopwire/context", { context });
  },
  async registerTool(name, { description, parameters, effect } = {}, act) {
    if (typeof act !== "function") throw new TypeError("A tool is carried out by a function.");
    tools.set(name, act);
    await say("tool " + name, "loopwire/tool", { name, description, parameters, effect });
  },
};

const listeners = {
  "loopwire/done": (_, { id, error, ...told }) => {
    const { resolve, reject } = waits.get(id) ?? {};
    waits.delete(id);
    if (error) reject?.(Object.assign(new Error(error.message), { code: error.code }));
    else resolve?.(told);
  },
  "loopwire/unread": (_, params, host) => {
    const count = host.shadowRoot.querySelector("b");
    count.textContent = params.count || "";
    count.hidden = !params.count;
    host.show();
    host.dispatchEvent(new CustomEvent("loopwire:unread", { bubbles: true, detail: params }));
  },
  "loopwire/call": async (port, { id, name, arguments: args }) => {
    const result = await Promise.resolve(args)
      .then(tools.get(name))
      .then((made) => ({ content: typeof made === "string" ? made : JSON.stringify(made ?? null) }))
      .catch((error) => ({ error: String(error?.message ?? error) }));
    tell(port, { method: "loopwire/result", params: { id, ...result } });
  },
};
