import { icon } from "./icon.js";

/** The card of an error, as the server's templates draw it: the error, what happens next, and buttons. */
export function errorCard(title, rest = "", ...buttons) {
  const card = Object.assign(document.createElement("div"), { className: "trouble" });
  const said = document.createElement("p");
  said.append(Object.assign(document.createElement("b"), { textContent: title }), rest && ` ${rest}`);
  card.append(icon("warning", 18), said, ...buttons.map(([label, act]) => button(label, act)));
  return card;
}

/** The card of an error that has just happened, which a screen reader reads at once. */
export function alertCard(...given) {
  const card = errorCard(...given);
  card.setAttribute("role", "alert");
  return card;
}

function button(textContent, act) {
  const made = Object.assign(document.createElement("button"), { type: "button", className: "button small", textContent });
  made.addEventListener("click", act);
  return made;
}
