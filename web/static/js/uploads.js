import { credentials } from "./visitor.js";

/** Pauses before an upload that broke off is tried again, while the message waits. */
const PAUSES_MS = [500, 1500];

/** Upload the pictures of a message one after the other; returns the parts of the message that name them. */
export async function upload(session, photos, progress) {
  const whole = photos.reduce((sum, { blob }) => sum + blob.size, 0);
  const parts = [];
  let done = 0;
  for (const photo of photos) {
    // A picture that was uploaded before is not sent again.
    photo.part ??= await withPauses(() => send(session, photo.blob, (sent) => progress((done + sent) / whole)));
    done += photo.blob.size;
    progress(done / whole);
    parts.push(photo.part);
  }
  return parts;
}

async function withPauses(act) {
  for (const pause of PAUSES_MS) {
    try {
      return await act();
    } catch (error) {
      if (!error.retry) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return act();
}

/** Send one picture. `fetch` does not tell how much has gone. */
function send(session, blob, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/v1/sessions/${session}/files`);
    for (const [name, value] of Object.entries({ "content-type": blob.type, ...credentials })) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded }) => progress(Math.min(loaded, blob.size)));
    request.addEventListener("load", () => {
      const { status, response } = request;
      if (status === 201 && response?.blob_id) return resolve({ type: "image", blob_id: response.blob_id });
      reject(Object.assign(new Error(response?.message), { code: response?.code, retry: status >= 500 }));
    });
    for (const end of ["error", "abort", "timeout"]) {
      request.addEventListener(end, () => reject(Object.assign(new Error(end), { retry: true })));
    }
    request.send(blob);
  });
}
