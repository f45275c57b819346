/** How a client comes back, by close code; the table of the protocol. */
const STOP = new Set([1000, 1002, 1003, 1007, 1009, 4400, 4403, 4409]);

export const FIRST_MS = 250;
export const LONGEST_MS = 10_000;

/** Milliseconds before the nth try: doubling, with half of it random so that a crowd does not return at once. */
export function delay(attempt, random = Math.random) {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return full / 2 + (full / 2) * random();
}

/** What a close code asks for: "stop", "ticket", "session", "reload", "later" or "resume". */
export function afterClose(code) {
  if (STOP.has(code)) return "stop";
  if (code === 4401) return "ticket";
  if (code === 4404) return "session";
  if (code === 4410) return "reload";
  if (code === 4429 || code === 1013) return "later";
  return "resume";
}

/** What ends a connection for good. */
export const FINAL = new Set(["stop", "session", "reload"]);

/** The least pause where the server has asked for one. */
export const LATER_MS = 1_000;

export const isOffline = () => globalThis.navigator?.onLine === false;
