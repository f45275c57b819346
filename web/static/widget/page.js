// The calls of a page to its chats besides opening them: identify, setContext and registerTool.
// The loader loads this file with the first frame, and keeps the calls until then. This file counts unread messages too.
const EARLY_S = 60;
const CHECK_MS = 30_000;
const ports = new Map();
const waits = new Map();
const tools = new Map();
const latest = new Map();
let said;
// The identity of the page's user: the newest call, the function that requests the tokens, when it was called and when it is
// to be called again, in milliseconds since the epoch. A timer alone would be late where the computer slept.
let newest, source, renewed, due, timer;
let turn = 0;

/** Serve the frame of a chat behind a port; `calls` are those that the loader kept. */
export function serve(host, port, calls) {
  port.addEventListener("message", ({ data: { method, params } }) => listeners[method]?.(port, params, host));
  ports.set(host, port);
  for (const each of latest.values()) tell(port, each);
  if (said) return;
  said = calls;
  calls.push = ([name, given, ends]) => acts[name](...given).then(...ends);
  for (const call of calls.splice(0)) calls.push(call);
  addEventListener("online", renew);
  document.addEventListener("visibilitychange", renew);
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

/** Request the next token of the page's user where it is time, and look again after a pause. */
function renew() {
  clearTimeout(timer);
  if (!source) return;
  if (Date.now() >= due) return acts.identify(source).catch((error) => console.error("Loopwire identify", error));
  timer = setTimeout(renew, Math.min(due - Date.now(), CHECK_MS));
}

/** Hand in a token; of two calls the newer one counts, and both resolve with its user. */
async function exchange(given) {
  const mine = (turn += 1);
  const asks = typeof given === "function";
  let pause = CHECK_MS;
  due = Infinity;
  try {
    const token = asks ? await given() : (given ?? null);
    if (mine !== turn) return await newest;
    const { user, expires_in } = await say("identify", "loopwire/identify", { token });
    [source, renewed] = [asks && given, Date.now()];
    pause = 1_000 * Math.max(expires_in - EARLY_S, expires_in / 2);
    return { user };
  } finally {
    // After a failure the user of before stays, and the function of that user is called again.
    if (mine === turn) due = Date.now() + pause;
    if (mine === turn) renew();
  }
}

const acts = {
  /** Take a token of the page's server, or a function that requests one and is called again in time; null signs out. */
  identify: (given) => (newest = exchange(given)),
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
  "loopwire/unauthorized": () => {
    // At once, but no sooner after the last token than a failure would be followed by the next try.
    if (due < Infinity) due = Math.min(due, renewed + CHECK_MS);
    renew();
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
