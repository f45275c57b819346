import { frame, reopen } from "./visitor.js";

/**
 * The conversation of a frame, kept in the storage of its tab for the next frame: after a reload, and after the page has
 * moved the element. A cookie leads back to the newest conversation in which something was said, if the browser takes it.
 * The token of a user is not kept: the page says anew who its user is.
 */
const { session, service } = document.body.dataset;
const place = frame && `loopwire:conversation:${frame.app}:${service}`;

/** Keep the conversation that goes on here. */
export function keepConversation(id) {
  if (!frame) return;
  const { known, token } = frame;
  write({ session: id, known, ...(!known && { token }) });
}

/** Keep no conversation: another one begins, or its visitor has left. */
export function forgetConversation() {
  write(null);
}

/**
 * Draw the page anew for the kept conversation where the server could not lead to it: without a cookie, and while it has
 * unsent messages. Returns whether it does.
 */
export function resumeConversation(hasUnsent) {
  const kept = read();
  if (!kept || kept.session === session || frame.lost || (kept.known && !frame.known)) return false;
  const token = (frame.isNew && kept.token) || frame.token;
  if (token === frame.token && !hasUnsent(kept.session)) return false;
  reopen(kept.session, location.href, { token, kept: "1" });
  return true;
}

/** The id of a kept conversation of an anonymous visitor that cannot be opened any more; it is forgotten. */
export function lostConversation() {
  const kept = frame?.lost && read();
  if (!kept) return null;
  write(null);
  return kept.known ? null : kept.session;
}

function read() {
  try {
    return place && JSON.parse(sessionStorage.getItem(place));
  } catch {
    return null;
  }
}

function write(kept) {
  try {
    if (kept) sessionStorage.setItem(place, JSON.stringify(kept));
    else sessionStorage.removeItem(place);
  } catch {
    // The browser refuses storage, or it is full: the next frame begins anew.
  }
}
