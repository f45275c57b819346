import { report, say } from "./frames.js";

// The user of a page: the newest call, the function that requests the tokens, when it was called and when it is to be called
// again, in milliseconds since the epoch. A timer alone would be late where the computer slept.
const EARLY_S = 60;
const CHECK_MS = 30_000;
let newest, source, renewed, due, timer;
let turn = 0;

/** Renew in time from now on: the time is looked at also when the page is shown or online again. */
export function begin() {
  globalThis.addEventListener("online", renew);
  document.addEventListener("visibilitychange", renew);
  renew();
}

/** Renew no more until there is another frame: what was requested for the former ones counts for none. */
export function pause() {
  globalThis.removeEventListener("online", renew);
  document.removeEventListener("visibilitychange", renew);
  clearTimeout(timer);
  [newest, turn, due] = [{}, turn + 1, 0];
}

/** Forget the user. */
export function forgetUser() {
  source = null;
}

/** Take a token of the page's server, or a function that requests one and is called again in time; null signs out. */
export function identify(given) {
  return (newest = exchange(given));
}

/** Request the next token where it is time, and look again after a pause. */
function renew() {
  clearTimeout(timer);
  if (!source) return;
  if (Date.now() >= due) return identify(source).catch(report);
  timer = setTimeout(renew, Math.min(due - Date.now(), CHECK_MS));
}

/** Request the next token of a user whom the server refused: at once, but for one who was just named. */
export function replace() {
  if (due < Infinity) due = Math.min(due, renewed + CHECK_MS);
  renew();
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
    // Without a user the last frame has gone before it answered.
    if (user === undefined) return {};
    [source, renewed] = [asks && given, Date.now()];
    pause = 1_000 * Math.max(expires_in - EARLY_S, expires_in / 2);
    return { user };
  } finally {
    // After a failure the user of before stays, and the function of that user is called again.
    if (mine === turn) due = Date.now() + pause;
    if (mine === turn) renew();
  }
}
