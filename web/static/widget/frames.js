// The frames of a page's chats: what the page says to all of them, also to those that come later, and what they answer.
const ports = new Map();
const waits = new Map();
/** By what it is about: what was accepted last, then what waits for an answer. */
const latest = new Map();
let calls = 0;

/** Say to a new frame of a host what the others know; return how many hosts have one. */
export function add(host, port) {
  ports.set(host, port);
  latest.forEach((sent) => sent.length && tell(port, ...sent.at(-1)));
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

/** Tell the page of an error of a call whose result nobody waits for; the loader does it. */
export const report = (error) => Loopwire.report(error);

/** Return the number of frames that are there. */
export function countFrames() {
  return ports.size;
}

/** Send a message to every frame, also to later ones unless it is refused; resolves with the first answer. */
export function say(key, method, given) {
  const id = `call_${(calls += 1)}`;
  const message = [method, { ...given, id }];
  const sent = latest.get(key) ?? [];
  // It throws where a value cannot be sent.
  ports.forEach((port) => tell(port, ...message));
  latest.set(key, sent);
  sent.push(message);
  const at = () => sent.indexOf(message);
  return new Promise((resolve, reject) => waits.set(id, { resolve, reject })).then(
    (told) => (sent.splice(0, at()), told),
    (error) => {
      sent.splice(at(), 1);
      throw error;
    },
  );
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
