/** The close code of the oldest tab when a conversation is open in too many. */
export const PAUSED = 4409;

/** Reconnect a tab that was closed for newer ones when it gets the focus again. */
export function resumeOnFocus(client) {
  let paused = false;
  client.addEventListener("state", ({ detail }) => {
    paused = detail.state === "closed" && detail.code === PAUSED;
  });
  const resume = () => paused && document.visibilityState === "visible" && client.connect();
  addEventListener("focus", resume);
  document.addEventListener("visibilitychange", resume);
}
