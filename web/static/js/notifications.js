/** A notification of the system when an answer ends while the tab is hidden: off until somebody asks for it. */
import { words } from "./words.js";

const KEY = "loopwire:notify";

/** The switch in the list of conversations, and what it does; absent where the browser has no notifications. */
export function bindNotifications(log, announcer) {
  const button = document.querySelector("[data-notify]");
  if (!button || !("Notification" in window)) return;
  const isOn = () => stored() && Notification.permission === "granted";
  const show = () => {
    button.setAttribute("aria-pressed", String(isOn()));
    button.disabled = Notification.permission === "denied";
    button.title = button.disabled ? words["notify.denied"] : "";
  };
  button.hidden = false;
  show();
  button.addEventListener("click", async () => {
    const wanted = !isOn() && (await Notification.requestPermission()) === "granted";
    store(wanted);
    show();
    announcer.say(words[Notification.permission === "denied" ? "notify.denied" : wanted ? "notify.on" : "notify.off"]);
  });
  log.addEventListener("running", ({ detail }) => !detail && document.hidden && isOn() && tell());
}

/** What was said stays in the page: a locked screen shows a notification to everybody. */
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

function stored() {
  try {
    return Boolean(localStorage.getItem(KEY));
  } catch {
    return false;
  }
}

function store(on) {
  try {
    if (on) localStorage.setItem(KEY, "1");
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is closed to us: it lasts as long as nothing does.
  }
}
