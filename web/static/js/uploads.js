import { credentials } from "./visitor.js";

/** Pauses before an upload that broke off is tried again, while the message waits. */
const PAUSES_MS = [500, 1500];
/** An upload ends after so long without progress. The operating system may hold the last megabyte back for a slow line. */
const STALLED_MS = 45_000;

/** Upload the pictures of a message one after the other, until `signal` ends that; returns the parts that name them. */
export async function upload(session, photos, progress, signal) {
  const whole = photos.reduce((sum, { blob }) => sum + blob.size, 0);
  const parts = [];
  let done = 0;
  for (const photo of photos) {
    progress(done / whole);
    // A picture that was uploaded before is not sent again.
    photo.part ??= await withPauses(() => send(session, photo.blob, (sent) => progress((done + sent) / whole), signal), signal);
    done += photo.blob.size;
    parts.push(photo.part);
  }
  progress(1);
  return parts;
}

async function withPauses(act, signal) {
  for (const pause of PAUSES_MS) {
    try {
      return await act();
    } catch (error) {
      if (!error.retry) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
      signal.throwIfAborted();
    }
  }
  return act();
}

/** Send one picture. `fetch` does not tell how much has gone. */
function send(session, blob, progress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const end = () => request.abort();
    let timer = setTimeout(end, STALLED_MS);
    request.open("POST", `/v1/sessions/${session}/files`);
    for (const [name, value] of Object.entries({ "content-type": blob.type, ...credentials })) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded }) => {
      clearTimeout(timer);
      timer = setTimeout(end, STALLED_MS);
      progress(Math.min(loaded, blob.size - 1)); // It is whole with the answer.
    });
    request.addEventListener("load", () => {
      const { status, response } = request;
      if (status === 201 && response?.blob_id) return resolve({ type: "image", blob_id: response.blob_id });
      const { message, code, retry_after } = response?.error ?? response ?? {};
      reject(Object.assign(new Error(message), { code, retry_after, retry: status >= 500 }));
    });
    request.addEventListener("error", () => reject(Object.assign(new Error("network"), { retry: true })));
    request.addEventListener("abort", () => reject(signal.reason ?? new Error("no progress")));
    request.addEventListener("loadend", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    });
    signal.addEventListener("abort", end);
    request.send(blob);
  });
}
