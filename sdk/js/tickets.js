/**
 * The function that gives the wire its tickets, out of what the page gives: such a function, a ticket, or nothing.
 *
 * @param {{isNew: () => boolean, isRefused: () => boolean}} wire  whether no session was open yet; whether one was refused
 */
export function tickets(given, requests, begun, wire) {
  if (typeof given === "function") return async (session) => named(await given(session), session);
  if (given) return async (session) => (wire.isNew() && !wire.isRefused() ? named(given, session) : spent());
  return async (session) => {
    if (!session) return requests.ticket(begun);
    try {
      return await requests.ticket({ session_id: session, language: begun.language });
    } catch (error) {
      // What the page before this one had is gone, or its cookie is: nothing is shown yet, so another session begins.
      if (error.status === 404 && wire.isNew()) return requests.ticket(begun);
      throw error;
    }
  };
}

function named(ticket, session_id) {
  return typeof ticket === "string" ? { ticket, session_id } : ticket;
}

function spent() {
  throw Object.assign(new Error("The ticket is spent: give a function that asks for one."), { code: "unauthorized", retry: false });
}
