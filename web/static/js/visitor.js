/**
 * How this page says who talks. A page of our own has a cookie. A frame on another site has a token instead, which the
 * server put into its page: it is kept in memory, and sent as bearer with each request.
 */
const place = document.getElementById("frame");

/** What the page says of its frame: `app`, `token` and the `hosts` that may show it; null outside of frames. */
export const frame = place && JSON.parse(place.textContent);
place?.remove();

/** The headers by which a request of a frame says who talks, in which language; none in a page of our own. */
export const credentials = frame ? { authorization: `Bearer ${frame.token}`, "accept-language": document.documentElement.lang } : {};

let changing = Promise.resolve();

/** Be somebody else once `work` is done, which gives the `token` of who it is then; what is asked meanwhile waits for it. */
export async function become(work) {
  const done = work.then(({ token }) => setToken(token));
  changing = done.catch(() => {});
  await done;
  return work;
}

function setToken(token) {
  frame.token = token;
  credentials.authorization = `Bearer ${token}`;
}

/** Ask our server with the credentials of the visitor. */
export async function ask(path, options = {}) {
  await changing;
  return fetch(path, frame ? { ...options, headers: { ...options.headers, ...credentials }, credentials: "omit" } : options);
}

/** Draw the page anew; a frame goes on with its conversation, if one is named. */
export function reload(session) {
  if (!frame) location.reload();
  else if (session) reopen(session);
  else location.replace(location.href);
}

/** Draw the frame anew for the same visitor, also where the browser keeps no cookie; with no session a new one begins. */
export function reopen(session, action = location.href) {
  const form = Object.assign(document.createElement("form"), { method: "post", action, hidden: true });
  for (const [name, value] of Object.entries({ token: frame.token, session }))
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  document.body.append(form);
  form.submit();
}
