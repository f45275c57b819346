/**
 * The policy by which the server's markup becomes elements. A page with `require-trusted-types-for 'script'` takes markup
 * of this policy only. The server sanitises the texts of people and models in its fragments.
 */
const transforms = [];
const transformed = (text) => transforms.reduce((last, transform) => transform(last), text);
/** The one script that is loaded from here. */
const HTMX = new URL("../vendor/htmx.min.js", import.meta.url).href;
const policy = globalThis.trustedTypes?.createPolicy("loopwire", { createHTML: transformed, createScriptURL: () => HTMX });

/** The markup of a fragment, as the browser takes it. */
export const markup = (text) => (policy ? policy.createHTML(text) : transformed(text));

/** Apply a function to the text of each fragment before it is parsed. */
export function addTransform(transform) {
  transforms.push(transform);
}

const refuse = () => {
  throw new TypeError("No scripts here");
};
function useHtmx() {
  htmx.registerExtension("loopwire", { init: (api) => api.initSecurity({ createHTML: markup, createScript: refuse }) });
}

/** Load htmx where the page did not. */
export async function loadHtmx() {
  if (globalThis.htmx) return;
  await loaded(Object.assign(document.createElement("script"), { src: policy ? policy.createScriptURL("") : HTMX }));
  useHtmx();
}

/** Put a script or a sheet into the page; resolves when it is there. */
export function loaded(element) {
  return new Promise((resolve, reject) => {
    element.addEventListener("load", resolve);
    element.addEventListener("error", () => reject(new Error(element.src ?? element.href)));
    document.head.append(element);
  });
}

if (globalThis.htmx) useHtmx();
