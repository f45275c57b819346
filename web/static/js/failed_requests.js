import { timeWords } from "./time_words.js";
import { phrase, words } from "./words.js";

const TOO_MANY = 429;
/** The seconds until the end of a rate limit, where the server does not say it. */
const AGAIN_S = 60;

/** Resolve with the response of a request; throws an error that `failureWords` reads unless it is a success. */
export async function done(asked) {
  const response = await asked;
  if (!response.ok) throw failureOf(response);
  return response;
}

/** The error of a response: its `status`, and the `seconds` after which a limit ends. */
export function failureOf({ status, headers }) {
  return Object.assign(new Error(String(status)), { status, seconds: Number(headers.get("retry-after")) || AGAIN_S });
}

/**
 * What happened and what to do, in words, of a request or of a command. `undone` says what was not done, unless a rate limit
 * is why; `gone` conversations were deleted before the request failed.
 */
export function failureWords({ status, code, seconds = AGAIN_S, gone = 0 }, undone = words["session.undone"]) {
  const isLimit = status === TOO_MANY || code === "rate_limited";
  const rest = isLimit ? phrase("session.limited.rest", { when: timeWords(seconds) }) : words["session.undone.rest"];
  if (gone) return [gone === 1 ? words["session.erase.one"] : phrase("session.erase.some", { count: gone }), rest];
  return [isLimit ? words["session.limited"] : undone, rest];
}
