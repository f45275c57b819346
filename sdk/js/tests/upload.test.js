import assert from "node:assert/strict";
import test from "node:test";
import { Requests } from "../requests.js";
import { postFile } from "../session_requests.js";

/** A browser's XMLHttpRequest, as much of it as an upload needs; the test says what happens. */
class Xhr {
  static made = [];
  headers = {};
  upload = {};

  constructor() {
    Xhr.made.push(this);
  }

  open(...asked) {
    this.asked = asked;
  }

  setRequestHeader(name, value) {
    this.headers[name] = value;
  }

  send(body) {
    this.body = body;
  }

  abort() {
    this.onabort();
  }
}

function begun(t, more = {}) {
  globalThis.XMLHttpRequest = Xhr;
  t.after(() => delete globalThis.XMLHttpRequest);
  const progress = [];
  const leaving = new AbortController();
  const file = new Blob(["picture"], { type: "image/png" });
  const requests = new Requests("http://host", () => assert.fail("fetch tells no progress"));
  const given = { bearer: "token", signal: leaving.signal, onProgress: (part) => progress.push(part), ...more };
  const uploading = postFile(requests, "/v1/sessions/ses_1/files", file, given);
  return { uploading, request: Xhr.made.at(-1), progress, leaving, file };
}

test("an upload whose progress is asked for goes by XMLHttpRequest", async (t) => {
  const { uploading, request, progress, file } = begun(t);
  assert.deepEqual(request.asked, ["POST", "http://host/v1/sessions/ses_1/files"]);
  assert.deepEqual(request.headers, { "content-type": "image/png", authorization: "Bearer token" });
  assert.equal(request.body, file);
  request.upload.onprogress({ loaded: 1, total: 4 });
  request.upload.onprogress({ loaded: 4, total: 4 });
  Object.assign(request, { status: 201, responseText: '{"blob_id":"blb_1"}' }).onload();
  assert.deepEqual([await uploading, progress], [{ blob_id: "blb_1" }, [0.25, 1]]);
});

test("an upload fails when it is refused, when the network is lost and when its signal aborts it", async (t) => {
  const refused = begun(t);
  Object.assign(refused.request, { status: 413, responseText: '{"type":"error","code":"too_long","message":"Too long."}' }).onload();
  await assert.rejects(refused.uploading, { code: "too_long", message: "Too long." });
  const lost = begun(t);
  lost.request.onerror();
  await assert.rejects(lost.uploading, TypeError);
  const left = begun(t);
  left.leaving.abort(new Error("Enough."));
  await assert.rejects(left.uploading, /Enough/);
});

test("an upload that was given up before it began sends nothing", async (t) => {
  const { length } = Xhr.made;
  await assert.rejects(begun(t, { signal: AbortSignal.abort(new Error("Enough.")) }).uploading, /Enough/);
  assert.equal(Xhr.made.length, length);
});

for (const [status, body, told] of [
  [404, { code: "not_found", message: "Gone." }, { code: "not_found", message: "Gone.", status: 404, retry: false }],
  [429, { error: { code: "rate_limited", message: "Often." } }, { code: "rate_limited", message: "Often.", status: 429, retry: true }],
  [499, {}, { message: "HTTP 499", status: 499, retry: false }],
  [500, null, { message: "HTTP 500", status: 500, retry: true }],
])
  test(`a request that is answered with ${status} is an error that says whether to try again`, async () => {
    const asked = [];
    const fetch = async (url, given) => {
      asked.push([url, given]);
      return new Response(body && JSON.stringify(body), { status });
    };
    await assert.rejects(new Requests("http://host", fetch).ticket({ service: "help" }), told);
    const headers = { "content-type": "application/json" };
    assert.deepEqual(asked, [["http://host/v1/tickets", { cache: "no-store", method: "POST", headers, body: '{"service":"help"}' }]]);
  });

test("an upload without progress goes by fetch, with its type where it has one", async () => {
  const asked = [];
  const fetch = async (_, { headers, body }) => (asked.push([headers, body]), Response.json({ blob_id: "blb_1" }));
  const file = new Blob(["x"]);
  assert.deepEqual(await postFile(new Requests("http://host", fetch), "/files", file, {}), { blob_id: "blb_1" });
  assert.deepEqual(asked, [[{}, file]]);
});
