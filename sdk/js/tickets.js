const FINAL = ["not_found", "forbidden"];

/**
 * Return the function that requests the tickets, from what the page gave: such a function, one ticket, or nothing.
 *
 * @param {{isNew: () => boolean, isKept: (session: string) => boolean, isRefused: () => boolean}} wire  `isNew`:
 *   nothing was received yet; `isKept`: so, and the previous page stored this session; `isRefused`: a ticket was refused
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
      // The stored session was deleted, or is another person's: begin another session.
      if (session && error.code === "not_found" && wire.isKept(session)) return ticketOf(await ask(null), null);
      throw error;
    }
  };
}

/** A ticket and its session. Throws the refusal of Loopwire where the page's server passed one on. */
function ticketOf(given, session_id) {
  if (typeof given === "string") return { ticket: given, session_id };
  if (given?.ticket) return given;
  const { code, message } = given?.error ?? {};
  throw Object.assign(new Error(message ?? "This is no ticket."), { code, retry: !FINAL.includes(code) });
}

function refuseSpent() {
  throw Object.assign(new Error("The ticket is spent: give a function that asks for one."), { retry: false });
}
