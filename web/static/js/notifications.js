/** System notifications for answers that end while the tab is hidden; they are off until the visitor turns them on. */
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
  button.addEventListener("click", async () => {
    const wanted = !isOn() && (await Notification.requestPermission()) === "granted";
    keep(KEY, wanted ? "1" : "");
    show();
    announcer.say(words[Notification.permission === "denied" ? "notify.denied" : wanted ? "notify.on" : "notify.off"]);
  });
  log.addEventListener("running", ({ detail }) => !detail && document.hidden && isOn() && tell());
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
