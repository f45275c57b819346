/**
 * Shows the stored page `/offline` where a page of this server cannot be reached, and a notification for each push. All
 * other requests, and all answers of the server, pass as they are: nothing of a conversation is stored here.
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

self.addEventListener("push", (event) => event.waitUntil(notify(event.data.json())));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openConversation(event.notification.data.session));
});

/** Show the words of a push, unless the reader looks at the conversation. A later one of the conversation replaces it. */
async function notify({ title, body, session, message }) {
  const shown = await windowOf(session);
  if (shown?.visibilityState === "visible") return;
  // A server that died before it noted the push sends it again.
  const [before] = await self.registration.getNotifications({ tag: session });
  if (before && before.data.message === message) return;
  await self.registration.showNotification(title, { body, tag: session, renotify: true, icon: "/static/icons/icon-192.png", data: { session, message } });
}

/** Show the window that has the conversation, or open one. */
async function openConversation(session) {
  const shown = await windowOf(session);
  return shown ? shown.focus() : clients.openWindow(pathOf(session));
}

async function windowOf(session) {
  const open = await clients.matchAll({ type: "window", includeUncontrolled: true });
  return open.find(({ url }) => new URL(url).pathname === pathOf(session));
}

function pathOf(session) {
  return `/s/${encodeURIComponent(session)}`;
}
