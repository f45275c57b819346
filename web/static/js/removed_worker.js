/** Takes the place of the service worker where the page is no longer installable, and removes it with what it stored. */
const CACHE = "loopwire:offline";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(caches.delete(CACHE).then(() => self.registration.unregister())));
