/**
 * Shows the stored page `/offline` where a page of this server cannot be reached. All other requests, and all answers of
 * the server, pass as they are: nothing of a conversation is stored here.
 */
const CACHE = "loopwire:offline";
const PAGES = /^\/(?:s\/[^/]+|items\/[^/]+|services(?:\/[^/]+)?)?$/;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  try {
    // Where the browser knows such rules, it does not start this worker for a file of a page.
    event.addRoutes?.({ condition: { not: { requestMode: "navigate" } }, source: "network" })?.catch(() => {});
  } catch {
    // It does not know this rule.
  }
});

self.addEventListener("fetch", (event) => {
  const { method, mode, destination, url } = event.request;
  if (method !== "GET" || mode !== "navigate" || destination !== "document") return;
  if (PAGES.test(new URL(url).pathname)) event.respondWith(fetch(event.request).catch(showOffline));
});

/** The stored page, the newest; without one the browser shows its own. */
async function showOffline(error) {
  const cache = await caches.open(CACHE);
  const newest = (await cache.keys()).at(-1);
  if (!newest) throw error;
  return cache.match(newest);
}
