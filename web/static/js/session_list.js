const list = document.getElementById("sessions");
const buttons = () => [...list.querySelectorAll("[data-session-menu]")];

/** Keep the focus where the list of conversations is drawn anew, and draw it anew where another tab may have changed it. */
export function bindSessionList() {
  const side = document.getElementById("side");
  let place = null;
  side.addEventListener("htmx:before:swap", () => (place = placeOf(document.activeElement)));
  side.addEventListener("htmx:after:swap", () => focusPlace(place));
  let wasAway = false;
  addEventListener("blur", () => (wasAway = true));
  const comeBack = () => {
    if (document.hidden) wasAway = true;
    else if (wasAway) {
      wasAway = false;
      drawAnew();
    }
  };
  addEventListener("focus", comeBack);
  document.addEventListener("visibilitychange", comeBack);
}

/** Ask for the list as it is now. */
export function drawAnew() {
  document.body.dispatchEvent(new Event("sessions:changed"));
}

/** The place of an element in the list, by which `focusPlace` finds it in a newer one; null outside of it. */
export function placeOf(element) {
  const button = list.contains(element) && element.closest("li")?.querySelector("[data-session-menu]");
  return button ? { id: button.dataset.sessionMenu, at: buttons().indexOf(button), isLink: element.matches("a") } : null;
}

/** Where nothing has the focus, give it to this place: to its conversation, else to the next one, else to the link above. */
export function focusPlace(place) {
  if (!place || document.activeElement !== document.body) return;
  const all = buttons();
  const button = all.find(({ dataset }) => dataset.sessionMenu === place.id) ?? all[place.at] ?? all.at(-1);
  const target = place.isLink ? button?.closest("li").querySelector("a") : button;
  (target ?? document.querySelector("#side .new")).focus({ preventScroll: true });
}
