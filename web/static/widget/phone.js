// On a phone the chat fills the screen. The back button closes it, and the keyboard does not cover it.
const isPhone = matchMedia("(max-width:639px)");
/** What `history.state` says in an entry of this page with an open window; 0 where it was closed. */
const OPEN = Math.random();
const isOpen = () => history.state?.loopwire === OPEN;

/** Follow the back button and the keyboard. */
export function bind(chat) {
  const { host, end } = chat;
  // Back closes the window, and forward shows it again.
  window.addEventListener("popstate", () => chat.at && (isOpen() ? host.open() : host.close()), end);
  // A browser may lay its keyboard over the page: then the visual viewport alone becomes smaller, or moves.
  for (const name of ["resize", "scroll"]) visualViewport.addEventListener(name, () => fit(chat), end);
}

/** The window was opened: make an entry of the history for the back button to leave, unless one is left of an earlier time. */
export function enter(chat) {
  if (isPhone.matches) mark(OPEN, history.state?.loopwire === undefined);
  chat.at = isPhone.matches && location.href;
  fit(chat);
}

/** The visitor closes the window, and leaves its entry unless another one came after it: of the page, or of a frame drawn anew. */
export function goBack(chat) {
  chat.leaves = chat.at === location.href && !chat.isRedrawn;
  chat.host.close();
  chat.leaves = false;
}

/** The window was closed. Where the page did it, it may go elsewhere at once, and `history.back()` would undo that. */
export function exit(chat) {
  if (isOpen()) chat.leaves ? history.back() : mark(0);
  fit(chat);
}

function mark(loopwire, isNew) {
  history[isNew ? "pushState" : "replaceState"]({ ...history.state, loopwire }, "");
}

/** Let the window have what the keyboard leaves of the screen. To zoom shows a part of it, and does not make it smaller. */
function fit({ box }) {
  const { height, offsetTop, scale } = visualViewport;
  const fills = isPhone.matches && !box.hidden;
  box.style.height = fills ? `${height * Math.max(scale, 1)}px` : "";
  box.style.top = fills && scale < 1.01 ? `${offsetTop}px` : "";
}
