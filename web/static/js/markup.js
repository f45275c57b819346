/**
 * The one place where the server's markup becomes elements. A page with `require-trusted-types-for 'script'` takes markup
 * of this policy only: fragments come from the server, which sanitises what people and models write.
 */
const transforms = [];
const transformed = (text) => transforms.reduce((last, transform) => transform(last), text);
const policy = globalThis.trustedTypes?.createPolicy("loopwire", { createHTML: transformed });

/** The markup of a fragment, as the browser takes it. */
export const markup = (text) => (policy ? policy.createHTML(text) : transformed(text));

/** Let each fragment pass here first. */
export function addTransform(transform) {
  transforms.push(transform);
}

const ICONS = new URL("../icons.svg", import.meta.url).pathname;

/** An icon of ours with the words of its line, made without markup. */
export function icon(name, size) {
  const namespace = "http://www.w3.org/2000/svg";
  const drawn = document.createElementNS(namespace, "svg");
  for (const [key, value] of Object.entries({ class: "icon", width: size, height: size, "aria-hidden": "true" })) drawn.setAttribute(key, value);
  const use = document.createElementNS(namespace, "use");
  use.setAttribute("href", `${ICONS}#${name}`);
  drawn.append(use);
  return drawn;
}

const refuse = () => {
  throw new TypeError("A fragment has no scripts.");
};
htmx.registerExtension("loopwire", { init: (api) => api.initSecurity({ createHTML: markup, createScript: refuse }) });
