/**
 * The credentials of the visitor. A page of this server has a cookie. A frame on another site has a token instead, which
 * the server puts into its page: it is sent as bearer with each request, and kept for the next frame of this tab
 * (`kept_conversation.js`).
 */
const place = document.getElementById("frame");

/** The data of a frame: `app`, `token`, the `hosts` that may show it, whether a user is `known`; null outside of frames. */
export const frame = place && JSON.parse(place.textContent);
place?.remove();

/** The headers of a request of a frame, with token and language; none in a page of this server. */
export const credentials = frame ? { authorization: `Bearer ${frame.token}`, "accept-language": document.documentElement.lang } : {};

let changing = Promise.resolve();
let isNew = Boolean(frame?.isNew);

/** Change the visitor to that of the `token` with which `work` resolves; requests wait until then. */
export async function become(work) {
  const done = work.then(({ token }) => setToken(token));
  changing = done.catch(() => {});
  await done;
  return work;
}

function setToken(token) {
  isNew = false;
  frame.token = token;
  credentials.authorization = `Bearer ${token}`;
}

/** Before a new visitor first sends anything: another frame of this browser may be that of another one, whom the cookie names. */
export function meet() {
  if (!isNew) return;
  isNew = false;
  const { token } = frame;
  const body = new URLSearchParams({ token, visitor: "new" });
  const asked = fetch(location.pathname, { method: "POST", body, credentials: "same-origin" });
  const met = asked.then((answer) => answer.json()).then((told) => told.token && frame.token === token && setToken(told.token));
  changing = Promise.all([changing, met.catch(() => (isNew = true))]);
}

/** Ask our server with the credentials of the visitor. */
export async function ask(path, options = {}) {
  meet();
  await changing;
  return fetch(path, frame ? { ...options, headers: { ...options.headers, ...credentials }, credentials: "omit" } : options);
}

/** Reload the page; a frame continues with the given conversation. */
export function reload(session) {
  if (!frame) location.reload();
  else if (session) reopen(session);
  else location.replace(location.href);
}

/** Reload the frame for the same visitor, also without cookies; without a session a new one begins. */
export function reopen(session, action = location.href, more = {}) {
  const form = Object.assign(document.createElement("form"), { method: "post", action, hidden: true });
  for (const [name, value] of Object.entries({ token: frame.token, session, ...more }))
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  document.body.append(form);
  form.submit();
}
