/** System notifications for answers that end while the tab is hidden, and pushes; off until the visitor turns them on. */
import { keep, recall } from "./drafts.js";
import { alertCard } from "./error_card.js";
import { words } from "./words.js";

const KEY = "loopwire:notify";

/** Bind the switch in the list of conversations; it stays hidden where the browser has no notifications. */
export function bindNotifications(log, announcer) {
  const button = document.querySelector("[data-notify]");
  if (!button || !("Notification" in window)) return;
  const isOn = () => Boolean(recall(KEY)) && Notification.permission === "granted";
  const show = () => {
    button.setAttribute("aria-pressed", String(isOn()));
    button.disabled = Notification.permission === "denied";
    button.title = button.disabled ? words["notify.denied"] : "";
  };
  let card = null;
  const turn = (on) => {
    keep(KEY, on ? "1" : "");
    push(on);
    show();
    card?.remove();
  };
  const fail = () => {
    turn(false);
    card = alertCard(words["notify.failed"]);
    button.after(card);
  };
  button.hidden = false;
  show();
  if (isOn()) push(true);
  button.addEventListener("click", async () => {
    const wanted = !isOn() && (await Notification.requestPermission()) === "granted";
    turn(wanted);
    announcer.say(words[Notification.permission === "denied" ? "notify.denied" : wanted ? "notify.on" : "notify.off"]);
  });
  log.addEventListener("running", ({ detail }) => !detail && document.hidden && isOn() && tell().catch(fail));
}

/** Let the browser take messages of people while no page is open, where it can. */
async function push(on) {
  if (!("PushManager" in window && navigator.serviceWorker)) return;
  try {
    await (await import("./push.js")).setPush(on);
  } catch {
    // The browser has no push service, or is offline: the next page tries again.
  }
}

/**
 * Notify without the text of the answer, since a locked screen shows notifications to anyone. Browsers of phones show those
 * of service workers only, and the worker opens their conversation. Throws where the browser shows none.
 */
async function tell() {
  const session = decodeURIComponent(location.pathname.match(/^\/s\/([^/]+)/)?.[1] ?? "");
  const options = { body: words["notify.answer"], tag: session || location.pathname, data: { session } };
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration?.active) return registration.showNotification("Loopwire", options);
  const told = new Notification("Loopwire", options);
  told.addEventListener("click", () => {
    window.focus();
    told.close();
  });
}
