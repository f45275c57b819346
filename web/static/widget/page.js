import { BADGE, count } from "./badge.js";
import { add, countFrames, forget, remove, report, say, settle, tell } from "./frames.js";
import { begin, forgetUser, identify, pause, replace } from "./identity.js";
import { bind, enter, exit, goBack } from "./phone.js";

// What a chat does once its frame is loaded: the port to the frame, and the calls of the page besides opening it: identify,
// setContext and registerTool. The loader keeps these calls until then.
const GRACE_MS = 3_000;
const tools = new Map();
const sheet = new CSSStyleSheet();
sheet.replaceSync(`
[aria-expanded=true] i{clip-path:path("m4 8 8 8 8-8 2 2-10 10L2 10z")}${BADGE}`);

/** Follow a new frame of a chat; the first one brings what the chat does besides. */
export function watch(chat) {
  const { host, box, inline, end } = chat;
  chat.grace = clearTimeout(chat.grace);
  chat.heard = false;
  // A document of ours says so before it has loaded; another one is a page of the browser about an error.
  chat.frame.onload = () => {
    if (!chat.heard) chat.grace = setTimeout(chat.fail, GRACE_MS);
    chat.heard = false;
  };
  if (chat.watched || end.signal.aborted) return;
  chat.watched = true;
  host.shadowRoot.adoptedStyleSheets = [...host.shadowRoot.adoptedStyleSheets, sheet];
  const changes = new MutationObserver(() => update(chat));
  // A page that changes its language or its colours does so on its root, as a rule.
  for (const each of [host, document.documentElement]) changes.observe(each, { attributes: true });
  end.signal.addEventListener("abort", () => leave(chat, changes));
  if (inline) return;
  host.addEventListener("loopwire:open", () => opened(chat), end);
  host.addEventListener("loopwire:close", () => closed(chat), end);
  bind(chat);
  if (!box.hidden) opened(chat);
}

/** Give the frame of a chat the port that it asks for with a nonce. Another window, or one of another server, gets none. */
export function hear({ source: asking, origin, data }, chat) {
  const { host, frame, box, inline, server, said } = chat;
  if (!asking || asking !== frame?.contentWindow || origin !== server || data?.method !== "ui/initialize") return;
  chat.heard = !chat.grace;
  chat.grace = clearTimeout(chat.grace);
  const { port1: port, port2 } = new MessageChannel();
  chat.port?.close();
  chat.isRedrawn = chat.port;
  chat.port = port;
  port.onmessage = ({ data: { method, params } }) => listeners[method]?.(chat, params);
  const context = chat.context();
  const hostContext = { ...context, loopwire: { closable: !inline, open: !box.hidden, links: !!host.openLink } };
  chat.told = JSON.stringify(context);
  if (chat.unread) count(chat, { count: 0 });
  asking.postMessage({ jsonrpc: "2.0", id: data.id, result: { hostContext } }, server, [port2]);
  if (add(host, port) === 1) begin();
  takeCalls(chat);
  for (const [name, ...given] of said.splice(0)) acts[name](...given).catch(report);
}

/** Take the calls of the page over from the loader: without a frame they are kept for the next one. */
function takeCalls({ api, said }) {
  if (api.taken) return;
  const { destroy } = api;
  api.taken = true;
  for (const name in acts) api[name] = async (...given) => (countFrames() ? acts[name](...given) : (said.push([name, ...given]), {}));
  api.destroy = () => {
    destroy();
    forget();
    forgetUser();
    tools.clear();
    said.splice(0);
  };
}

function opened(chat) {
  enter(chat);
  update(chat);
  tell(chat.port, "loopwire/opened");
}

/** Tell the frame what the page looks like; what changes while the window is closed is told when it opens. */
function update(chat) {
  const context = chat.context();
  const text = JSON.stringify(context);
  if (chat.box.hidden || text === chat.told) return;
  chat.told = text;
  tell(chat.port, "ui/notifications/host-context-changed", context);
}

function closed(chat) {
  exit(chat);
  tell(chat.port, "loopwire/closed");
}

/** Show the frame without what stands for it until it has come. */
function show(chat) {
  const { host, frame, box, emit } = chat;
  const hasFocus = box.contains(host.shadowRoot.activeElement);
  clearTimeout(chat.slow);
  frame.hidden = chat.failed = false;
  while (box.firstChild !== frame) box.firstChild.remove();
  if (hasFocus) frame.focus();
  emit("ready");
}

/** Leave nothing of a chat behind; with the last one, nobody is left to be named. */
function leave(chat, changes) {
  const { host, box, port, grace } = chat;
  clearTimeout(grace);
  changes.disconnect();
  port?.close();
  if (!box.hidden) closed(chat);
  if (port && !remove(host)) pause();
}

const acts = {
  identify,
  async setContext(context) {
    await say("context", "loopwire/context", { context });
  },
  async registerTool(name, { description, parameters, effect } = {}, act) {
    if (typeof act !== "function") throw new TypeError("A tool is a function.");
    await say("tool " + name, "loopwire/tool", { name, description, parameters, effect });
    tools.set(name, act);
  },
};

const listeners = {
  "loopwire/close": goBack,
  "ui/open-link": ({ host }, { url }) => host.openLink(url),
  "ui/notifications/initialized": show,
  "ui/notifications/size-changed": ({ box, inline }, { height }) => inline && (box.style.height = `${height}px`),
  "loopwire/done": (_, params) => settle(params),
  "loopwire/unauthorized": replace,
  "loopwire/unread": count,
  "loopwire/call": async ({ port }, { id, name, arguments: args }) => {
    const result = await Promise.resolve(args)
      .then(tools.get(name))
      .then((made) => ({ content: typeof made === "string" ? made : JSON.stringify(made ?? null) }))
      .catch((error) => ({ error: String(error?.message ?? error) }));
    tell(port, "loopwire/result", { id, ...result });
  },
};
