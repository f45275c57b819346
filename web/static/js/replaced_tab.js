/** The close code of the oldest tab when a conversation is open in too many. */
export const REPLACED = 4409;

/** Reconnect a tab that was closed for newer ones when it gets the focus again. */
export function resumeOnFocus(client) {
  let replaced = false;
  client.addEventListener("state", ({ detail }) => {
    replaced = detail.state === "closed" && detail.code === REPLACED;
  });
  const resume = () => replaced && document.visibilityState === "visible" && client.connect();
  addEventListener("focus", resume);
  document.addEventListener("visibilitychange", resume);
}
