/** The HTTP requests of an open session: older messages and uploads. */

/** Pages of older messages, the newest first. Each page is put before the conversation's messages too. */
export async function* pages(session) {
  const { requests, conversation } = session;
  await session.known();
  for (let { before } = conversation; before; ) {
    const query = `/messages?before=${encodeURIComponent(before)}`;
    const page = await request(session, (path, given) => requests.json(path + query, given));
    if (conversation.before === before) conversation.earlier(page);
    ({ before } = page);
    yield page.messages;
  }
}

/** Store a picture; resolves with the part that puts it into a message. */
export async function upload(session, file, { onProgress, signal }) {
  const stored = await request(session, (path, given) => {
    const ends = signal ? AbortSignal.any([given.signal, signal]) : given.signal;
    return session.requests.upload(`${path}/files`, file, { ...given, signal: ends, onProgress });
  });
  return { type: "image", blob_id: stored.blob_id };
}

/** Send a request with the resume token, or with a new ticket when the token has expired. */
async function request(session, ask) {
  await session.known();
  const { client, abort, token } = session;
  const path = `/v1/sessions/${client.session}`;
  const { signal } = abort;
  try {
    return await ask(path, { bearer: token, signal });
  } catch (error) {
    if (error.status !== 401) throw error;
    const { ticket } = await session.ticket(client.session);
    return ask(path, { bearer: ticket, signal });
  }
}
