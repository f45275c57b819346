import { stripOverrides } from "./bidi.js";
import { bindSessionList, drawAnew } from "./session_list.js";
import { SessionMenu } from "./session_menu.js";
import { setTitle } from "./title.js";
import { alertCard } from "./error_card.js";
import { done, failureOf, failureWords } from "./failed_requests.js";
import { switchTheme } from "./theme_switch.js";

/** Bind the list of conversations, which is a drawer on a phone, and the switches below it. */
export function bindSidebar() {
  const page = document.getElementById("page");
  const aside = document.getElementById("side");
  const opener = document.querySelector("[data-open-drawer]");
  const drawer = matchMedia("(max-width: 1023px)");

  const open = (on) => {
    page.classList.toggle("drawer-open", on);
    opener.setAttribute("aria-expanded", String(on));
    document.getElementById("talk").inert = on && drawer.matches;
    if (on) drawAnew();
    if (on) aside.querySelector("a").focus();
    else if (drawer.matches) opener.focus();
  };
  opener.addEventListener("click", () => open(true));
  drawer.addEventListener("change", () => page.classList.contains("drawer-open") && open(false));
  document.querySelectorAll("[data-close-drawer]").forEach((each) => each.addEventListener("click", () => open(false)));
  aside.addEventListener("keydown", (event) => {
    if (!drawer.matches) return;
    if (event.key === "Escape") open(false);
    if (event.key === "Tab") trap(event, aside);
  });
  for (const button of document.querySelectorAll("button[data-language]"))
    button.addEventListener("click", () => remember({ language: button.dataset.language }).then(() => location.reload(), showUnchanged));
  // This page has the theme even where it is not stored.
  document.querySelector("[data-theme-switch]").addEventListener("click", () => remember({ theme: switchTheme() }).catch(() => {}));
  for (const refused of ["htmx:response:error", "htmx:error"]) document.getElementById("session-search").addEventListener(refused, showSearchError);
  bindSessionList();
  new SessionMenu();
  sendClock();
  new MutationObserver(updateTitle).observe(document.getElementById("sessions"), { childList: true });
}

/** Send the offset of this clock to the server once, so that "today" is the reader's. */
function sendClock() {
  const minutes = -new Date().getTimezoneOffset();
  if (Number(document.body.dataset.clock || 0) === minutes) return;
  // Where that fails, the next page sends it.
  remember({ clock: minutes }).then(() => document.body.dispatchEvent(new Event("sessions:changed")), () => {});
}

/** Show above the list that a search failed; the list stays as it was. */
function showSearchError({ detail: { ctx } }) {
  document.getElementById("sessions").prepend(undoneCard(ctx?.response ? failureOf(ctx.response) : {}));
}

/** Show above the switches that the language is as it was. */
function showUnchanged(error) {
  document.querySelector(".side-foot").before(undoneCard(error));
}

/** The card that what was asked for here was not done; there is one at a time. */
function undoneCard(error) {
  document.querySelector("#side .trouble:not(form *)")?.remove();
  return alertCard(...failureWords(error));
}

/** Take the title of the conversation from the list. */
function updateTitle() {
  const current = document.querySelector("#sessions a[aria-current] b");
  if (!current) return;
  document.getElementById("title").textContent = current.textContent;
  setTitle(stripOverrides(current.textContent));
}

function trap(event, box) {
  const stops = [...box.querySelectorAll("a, button, input")].filter((each) => each.offsetParent !== null);
  const edge = event.shiftKey ? stops[0] : stops.at(-1);
  if (document.activeElement !== edge) return;
  event.preventDefault();
  (event.shiftKey ? stops.at(-1) : stops[0]).focus();
}

function remember(preference) {
  const headers = { "content-type": "application/json" };
  return done(fetch("/preferences", { method: "POST", headers, body: JSON.stringify(preference) }));
}
