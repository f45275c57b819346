// On a phone the chat fills the screen. The back button closes it, and the keyboard does not cover it.
const isPhone = matchMedia("(max-width:639px)");

/** Follow the back button and the keyboard. */
export function bind(chat) {
  const { host, end } = chat;
  window.addEventListener("popstate", () => chat.pushed && history.state?.loopwire !== chat.pushed && host.close(), end);
  // A browser may lay its keyboard over the page: then the visual viewport alone becomes smaller, or moves.
  for (const name of ["resize", "scroll"]) visualViewport.addEventListener(name, () => fit(chat), end);
}

/** The window was opened: make an entry of the history for the back button to leave. */
export function enter(chat) {
  chat.pushed = isPhone.matches && Math.random();
  if (chat.pushed) history.pushState({ ...history.state, loopwire: chat.pushed }, "");
  fit(chat);
}

/** The window was closed. */
export function exit(chat) {
  if (chat.pushed && history.state?.loopwire === chat.pushed) history.back();
  chat.pushed = null;
  fit(chat);
}

/** Let the window have what the keyboard leaves of the screen. To zoom shows a part of it, and does not make it smaller. */
function fit({ box }) {
  const { height, offsetTop, scale } = visualViewport;
  const fills = isPhone.matches && !box.hidden;
  box.style.height = fills ? `${height * Math.max(scale, 1)}px` : "";
  box.style.top = fills && scale < 1.01 ? `${offsetTop}px` : "";
}
