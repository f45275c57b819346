import { client, composer, log, open, unsent } from "./conversation.js";
import { applyAccent } from "./accent.js";
import { Host } from "./host.js";
import { forgetConversation, resumeConversation } from "./kept_conversation.js";
import { hasUnsent } from "./unsent_messages.js";
import { ask, frame, meet, reopen } from "./visitor.js";
import { loadWords, words } from "./words.js";

/** The corners of a card in pixels, unless the app has its own. */
const CARD_RADIUS = 14;
/** The page of a frame: the same conversation, whose state is reported to the host page. */
const asked = new URLSearchParams(location.search);
const root = document.documentElement;
const [growth, limit] = (asked.get("height") ?? "").split(" ");
/** The requested language, which the app may not have. */
const wished = asked.get("language") || asked.get("locale");
const host = new Host({ wanted: asked.get("host"), hosts: frame.hosts });
let isOpen = true;

applyAccent(asked.get("accent") || frame.theme.accent);
applySizes(frame.theme);
// A browser may not request a module again whose request failed, but for another address.
const importRows = () => import("./frame_rows.js").catch(() => import(`./frame_rows.js?${Date.now()}`));
const resumes = resumeConversation(hasUnsent);
if (!resumes) open({ begun() {}, bindRows: async (parts) => (await importRows()).loadRows(parts, host, () => isOpen) });
const request = document.getElementById("request");
if (request && !resumes) Promise.all([import("./request_form.js"), loadWords()]).then(([{ RequestForm }]) => new RequestForm(request));

// Who goes there is about to write.
document.addEventListener("focusin", meet, { once: true });
host.addEventListener("initialized", ({ detail }) => {
  document.body.classList.toggle("closable", Boolean(detail.closable));
  if (detail.open !== undefined) isOpen = detail.open;
  // A frame that is loaded again by itself leaves the focus where somebody writes.
  if (isOpen && detail.closable && document.hasFocus()) focus();
});
host.addEventListener("ui/notifications/host-context-changed", ({ detail }) => {
  if (detail.theme !== undefined) applyTheme((detail.theme === "normal" && frame.theme.scheme) || detail.theme);
  if (detail.accent !== undefined) applyAccent(detail.accent || frame.theme.accent);
  if (detail.locale && detail.locale !== wished) changeLanguage(detail.locale);
});
host.addEventListener("loopwire/opened", () => {
  isOpen = true;
  focus();
});
host.addEventListener("loopwire/closed", () => (isOpen = false));

document.getElementById("close").addEventListener("click", () => host.tell("loopwire/close"));
document.getElementById("new").addEventListener("click", renew);
document.getElementById("erase").addEventListener("click", async () => {
  const [{ confirmErasure }] = await Promise.all([import("./erase.js"), loadWords()]);
  confirmErasure({ ask, words, gone: beginAsAnother });
});
document.addEventListener("keydown", (event) => {
  // Before the page's own listeners, so that what Escape does there is not undone here.
  if (event.key !== "Escape" || event.isComposing || !document.body.classList.contains("closable")) return;
  if (log.running && event.target === composer.text) return;
  if (!document.querySelector("dialog[open], :popover-open")) host.tell("loopwire/close");
}, { capture: true });
if (limit) {
  document.body.classList.add("limited");
  document.body.style.setProperty("--most", `${parseInt(limit)}px`);
}
host.measure(document.getElementById("talk"), growth === "auto");
if (!resumes) host.initialize({ name: document.title });

/** Focus the composer, or the messages where the composer would open a keyboard on the screen. */
function focus() {
  window.focus();
  if (matchMedia("(hover: hover)").matches) composer.focus();
  else document.getElementById("scroll").focus({ preventScroll: true });
}

/** Take the theme from the host's `color-scheme`; `auto` follows the system. */
function applyTheme(scheme) {
  const [light, dark] = ["light", "dark"].map((name) => scheme.includes(name));
  if (!scheme || scheme === "auto" || (light && dark)) delete root.dataset.theme;
  else root.dataset.theme = dark ? "dark" : "light";
}

/** Draw with the app's corners, those of a card in pixels, and its size of type. */
function applySizes({ radius = CARD_RADIUS, font_size: size }) {
  root.style.setProperty("--round", radius / CARD_RADIUS);
  if (size) root.style.fontSize = `${size}px`;
}

/** Draw the page anew in another language; the conversation goes on. */
function changeLanguage(language) {
  const address = new URL(location.href);
  address.searchParams.set("language", language);
  reopen(client.session ?? "", address.href);
}

/** Begin another conversation, as the same visitor. */
function renew() {
  if (!client.session) return composer.focus();
  forgetConversation();
  reopen("");
}

/** Begin as another visitor: this one has deleted what it said. */
function beginAsAnother() {
  forgetConversation();
  unsent.clear();
  location.replace(location.href);
}
