// The frames of a page's chats: what the page says to all of them, also to those that come later, and what they answer.
const ports = new Map();
const waits = new Map();
const latest = new Map();
let calls = 0;

/** Say to a new frame of a host what the others know; return how many hosts have one. */
export function add(host, port) {
  ports.set(host, port);
  latest.forEach(({ method, params }) => tell(port, method, params));
  return ports.size;
}

/** Let go of a host; with the last one, what no frame answers any more is over. Return whether others are left. */
export function remove(host) {
  ports.delete(host);
  if (ports.size) return true;
  waits.forEach(({ resolve }) => resolve({}));
  waits.clear();
}

/** Forget what the page said. */
export function forget() {
  latest.clear();
}

/** Tell the page of an error of a call whose result nobody waits for. */
export function report(error) {
  const { code, message = String(error) } = error ?? {};
  console.error("Loopwire", code ?? "", message);
  document.dispatchEvent(new CustomEvent("loopwire:error", { bubbles: true, detail: { code, message } }));
}

/** Return the number of frames that are there. */
export function countFrames() {
  return ports.size;
}

/** Send a message to every frame, also to later ones; resolves with the first answer. */
export function say(key, method, given) {
  const params = { ...given, id: `call_${(calls += 1)}` };
  latest.set(key, { method, params });
  ports.forEach((port) => tell(port, method, params));
  return new Promise((resolve, reject) => waits.set(params.id, { resolve, reject }));
}

/** Send a message to one frame, if there is one. */
export function tell(port, method, params) {
  port?.postMessage({ jsonrpc: "2.0", method, params });
}

/** Settle what was said, by the answer of a frame. */
export function settle({ id, error, ...told }) {
  const { resolve, reject } = waits.get(id) ?? {};
  waits.delete(id);
  if (error) reject?.(Object.assign(new Error(error.message), { code: error.code }));
  else resolve?.(told);
}
