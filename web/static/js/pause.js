/** The server lets a conversation be open in a few tabs; it closes the one that was opened first with this code. */
export const PAUSED = 4409;

/** Connect a tab that the server closed for newer ones as soon as somebody turns to it again. */
export function resumeOnFocus(client) {
  let paused = false;
  client.addEventListener("state", ({ detail }) => {
    paused = detail.state === "closed" && detail.code === PAUSED;
  });
  const resume = () => paused && document.visibilityState === "visible" && client.connect();
  addEventListener("focus", resume);
  document.addEventListener("visibilitychange", resume);
}
