const ICONS = new URL("../icons.svg", import.meta.url).pathname;

/** An icon of the sprite as an element, made without markup. */
export function icon(name, size) {
  const namespace = "http://www.w3.org/2000/svg";
  const drawn = document.createElementNS(namespace, "svg");
  for (const [key, value] of Object.entries({ class: "icon", width: size, height: size, "aria-hidden": "true" })) drawn.setAttribute(key, value);
  const use = document.createElementNS(namespace, "use");
  use.setAttribute("href", `${ICONS}#${name}`);
  drawn.append(use);
  return drawn;
}
