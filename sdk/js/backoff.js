/** The reconnects of a client, by close code: the table of docs/protocol. */
const STOP = new Set([1000, 1002, 1003, 1007, 1009, 4400, 4403, 4409]);

export const FIRST_MS = 250;
export const LONGEST_MS = 10_000;

/** Milliseconds before the nth try: they double, half of them random, so that clients do not reconnect at once. */
export function delay(attempt, random = Math.random) {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return full / 2 + (full / 2) * random();
}

/** The reaction to a close code: "stop", "ticket", "session", "reload", "later" or "resume". */
export function afterClose(code) {
  if (STOP.has(code)) return "stop";
  if (code === 4401) return "ticket";
  if (code === 4404) return "session";
  if (code === 4410) return "reload";
  if (code === 4429 || code === 1013) return "later";
  return "resume";
}

/** The actions after which the client does not reconnect. */
export const FINAL = new Set(["stop", "session", "reload"]);

/** The shortest pause after the server asked the client to come later. */
export const LATER_MS = 1_000;

export const isOffline = () => globalThis.navigator?.onLine === false;
