/** The HTTP requests of an open session: older messages and uploads. A chat loads them with the first of these. */

/** Pages of older messages, the newest first. Each page is put before the conversation's messages too. */
export async function* pages(session) {
  const { requests, conversation } = session;
  await session.untilLoaded();
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
    return postFile(session.requests, `${path}/files`, file, { ...given, signal: ends, onProgress });
  });
  return { type: "image", blob_id: stored.blob_id };
}

/** Send a file. Only an XMLHttpRequest reports progress; without one `onProgress` is called once, at the end. */
export async function postFile(requests, path, file, { onProgress, ...given }) {
  const through = onProgress && globalThis.XMLHttpRequest ? (...asked) => byXhr(...asked, onProgress) : undefined;
  const headers = file.type && { "content-type": file.type };
  const answer = await requests.json(path, { method: "POST", headers, body: file, through, ...given });
  if (!through) onProgress?.(1);
  return answer;
}

function byXhr(url, { method, headers, body, signal }, onProgress) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const each of Object.entries(headers)) request.setRequestHeader(...each);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
    request.onerror = () => reject(new TypeError("The network failed."));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

/** Send a request with the resume token, or with a new ticket when the token has expired. */
async function request(session, ask) {
  await session.untilLoaded();
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
