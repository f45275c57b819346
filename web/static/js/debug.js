/** The developer view: `?debug` shows when things happened and how long they took, in this tab, until `?debug=0`. */
const KEY = "loopwire:debug";
const asked = new URLSearchParams(location.search).get("debug");
let on = asked !== null && asked !== "0";
try {
  if (asked !== null) sessionStorage.setItem(KEY, on ? "1" : "");
  on = Boolean(sessionStorage.getItem(KEY));
} catch {
  // Storage is closed to us (a foreign frame, a private window): the view is that of the address.
}
document.documentElement.toggleAttribute("data-debug", on);
