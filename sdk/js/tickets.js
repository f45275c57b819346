const FINAL = ["not_found", "forbidden"];

/**
 * The function that gives the wire its tickets, out of what the page gives: such a function, a ticket, or nothing.
 *
 * @param {{isNew: () => boolean, isKept: (session: string) => boolean, isRefused: () => boolean}} wire  whether nothing was
 *   shown yet; whether so, and the page before this one had the session; whether a ticket was refused
 */
export function tickets(given, requests, begun, wire) {
  const { language } = begun;
  if (given && typeof given !== "function")
    return async (session) => (wire.isNew() && !wire.isRefused() ? ticketOf(given, session) : refuseSpent());
  const ask = given ?? ((session) => requests.ticket(session ? { session_id: session, language } : begun));
  return async (session) => {
    try {
      return ticketOf(await ask(session), session);
    } catch (error) {
      // What the page before this one had is gone, or is another person's: another session begins.
      if (session && error.code === "not_found" && wire.isKept(session)) return ticketOf(await ask(null), null);
      throw error;
    }
  };
}

/** A ticket and its session; a page's server may have passed on that Loopwire refused one. */
function ticketOf(given, session_id) {
  if (typeof given === "string") return { ticket: given, session_id };
  if (given?.ticket) return given;
  const { code, message } = given?.error ?? {};
  throw Object.assign(new Error(message ?? "This is no ticket."), { code, retry: !FINAL.includes(code) });
}

function refuseSpent() {
  throw Object.assign(new Error("The ticket is spent: give a function that asks for one."), { retry: false });
}
