/** System notifications for answers that end while the tab is hidden, and pushes; off until the visitor turns them on. */
import { keep, recall } from "./drafts.js";
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
  button.hidden = false;
  show();
  if (isOn()) push(true);
  button.addEventListener("click", async () => {
    const wanted = !isOn() && (await Notification.requestPermission()) === "granted";
    keep(KEY, wanted ? "1" : "");
    push(wanted);
    show();
    announcer.say(words[Notification.permission === "denied" ? "notify.denied" : wanted ? "notify.on" : "notify.off"]);
  });
  log.addEventListener("running", ({ detail }) => !detail && document.hidden && isOn() && tell());
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

/** Notify without the text of the answer, since a locked screen shows notifications to anyone. */
function tell() {
  try {
    const told = new Notification("Loopwire", { body: words["notify.answer"], tag: document.body.dataset.session || location.pathname });
    told.addEventListener("click", () => {
      window.focus();
      told.close();
    });
  } catch {
    // Some phones show notifications of service workers only.
  }
}
