/** The page that the service worker shows: it opens the page that was asked for, once the server answers again. */
{
  const FIRST_MS = 2000;
  const MOST_MS = 30_000;
  let waited = FIRST_MS;
  let timer = 0;
  let looking = false;

  /** Ask the server once at a time, and not in a hidden tab: it asks once it is shown. */
  const look = async () => {
    if (looking || document.hidden) return;
    looking = true;
    clearTimeout(timer);
    const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
    looking = false;
    if (answer?.ok) return location.pathname === "/offline" ? location.replace("/") : location.reload();
    waited = Math.min(waited * 1.5, MOST_MS);
    timer = setTimeout(look, waited);
  };

  timer = setTimeout(look, waited);
  addEventListener("online", look);
  document.addEventListener("visibilitychange", () => look());
}
