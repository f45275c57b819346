/** Registers the service worker, and stores the page that it shows when the server cannot be reached. */
const CACHE = "loopwire:offline";
const WORKER = "/service-worker.js";
const policy = globalThis.trustedTypes?.createPolicy("loopwire-worker", { createScriptURL: () => WORKER });

/** Begin when something is written or a conversation is shown: a view that is only looked at loads no more. */
export function bindInstallation({ text }) {
  if (!navigator.serviceWorker || !document.querySelector("link[rel=manifest]")) return;
  const soon = () => (globalThis.requestIdleCallback ?? setTimeout)(install);
  const installed = matchMedia("(display-mode: standalone)").matches;
  if (document.body.dataset.session || text.value || installed) soon();
  else text.addEventListener("input", soon, { once: true });
}

async function install() {
  if (!navigator.onLine) return addEventListener("online", install, { once: true });
  try {
    await storePage();
    await navigator.serviceWorker.register(policy ? policy.createScriptURL("") : WORKER);
  } catch {
    // The browser refuses workers or storage (a private window), or is offline already: its own page is shown then.
  }
}

/** Store the page in the language and the theme of this one. A page of another version of the server replaces it. */
async function storePage() {
  const { theme = "" } = document.documentElement.dataset;
  const version = import.meta.url.match(/@(\w+)/)?.[1] ?? "";
  const page = new URL(`/offline?${new URLSearchParams({ language: document.body.dataset.language, theme, version })}`, location);
  const cache = await caches.open(CACHE);
  if (await cache.match(page)) return;
  await cache.add(page);
  for (const { url } of await cache.keys()) if (url !== page.href) await cache.delete(url);
}
