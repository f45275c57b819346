import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { begun, Server, said, started, turn } from "./chat_server.js";

/** A page's server that answers in its own time. */
function refreshing(t) {
  const waits = [];
  const asked = [];
  const fetch = async (url, given) => {
    asked.push(url.replace("http://host/v1/", ""));
    if (url.endsWith("/tickets")) return Response.json({ ticket: "ticket_1", session_id: "ses_1" });
    return new Promise((resolve) => waits.push(() => resolve(Response.json(told(given)))));
  };
  const told = () => ({ token: "bearer", user: "ana", session_id: "ses_1", expires_in: 600 });
  const answer = async () => {
    while (!waits.length) await new Promise(setImmediate);
    waits.shift()();
    await turn();
  };
  return { ...begun(t, { ticket: undefined, fetch }), asked, answer };
}

test("a token that is refreshed while the page closes the chat does not open it again", async (t) => {
  const { chat, sockets, asked, answer } = refreshing(t);
  const named = chat.identify(async () => "token");
  await answer();
  await named;
  new Server(await sockets.at(0));
  t.mock.timers.tick(539_999);
  await turn();
  assert.equal(asked.filter((each) => each === "identify").length, 1);
  t.mock.timers.tick(1);
  await turn();
  assert.equal(asked.filter((each) => each === "identify").length, 2, "the refresh is in flight");
  chat.close();
  await answer();
  assert.deepEqual([chat.connection.state, sockets.all.length], ["closed", 1]);
  t.mock.timers.tick(3_600_000);
  await turn();
  assert.equal(asked.filter((each) => each === "identify").length, 2, "nobody asks for a token any more");
});

test("a first token does not open a closed chat, which then opens again as the named user", async (t) => {
  const { chat, sockets, asked, answer } = refreshing(t);
  const named = chat.identify("token");
  await turn();
  chat.close();
  await answer();
  assert.deepEqual(await named, { user: "ana", session_id: "ses_1" });
  assert.deepEqual([chat.connection.state, sockets.all.length], ["closed", 0]);
  chat.connect();
  new Server(await sockets.at(0));
  assert.deepEqual(asked, ["identify", "tickets"]);
});

test("a chat that the server closed is opened by the token that comes then", async (t) => {
  const { chat, sockets, answer } = refreshing(t);
  const first = chat.identify("token");
  await answer();
  await first;
  new Server(await sockets.at(0));
  const second = chat.identify("token");
  await turn();
  sockets.all[0].close(4403);
  assert.equal(chat.connection.state, "closed");
  await answer();
  await second;
  new Server(await sockets.at(1));
  assert.equal(chat.connection.state, "open");
});

test("a visitor who is named brings the conversation by its token, and a user by the bearer alone", async (t) => {
  const asked = [];
  const fetch = async (url, { headers, body }) => {
    if (url.endsWith("/identify")) asked.push([headers.authorization, JSON.parse(body)]);
    return Response.json({ ticket: "ticket_1", token: "bearer", user: "ana", session_id: "ses_1", expires_in: 600 });
  };
  const { chat, sockets } = begun(t, { ticket: undefined, fetch, app: "shop", service: "help" });
  chat.connect();
  new Server(await sockets.at(0));
  await chat.identify("first");
  new Server(await sockets.at(1));
  await chat.identify("second");
  const about = { app: "shop", service: "help", session_id: "ses_1" };
  assert.deepEqual(asked, [
    [undefined, { token: "first", ...about, resume_token: "token" }],
    ["Bearer bearer", { token: "second", ...about }],
  ]);
  const fresh = begun(t, { ticket: undefined, fetch });
  await fresh.chat.identify("third");
  assert.deepEqual(asked[2], [undefined, { token: "third" }]);
});

/** A chat whose page's server names a session for each token, and what it was asked. */
function naming(t, sessions) {
  const asked = [];
  const fetch = async (url, { body }) => {
    if (!url.endsWith("/identify")) return Response.json({ ticket: "ticket_1", session_id: "ses_1" });
    const { token, ...about } = JSON.parse(body);
    asked.push(about);
    return Response.json({ token: token && `bearer_${token}`, user: token, session_id: sessions[token], expires_in: 600 });
  };
  return { ...begun(t, { ticket: undefined, fetch }), asked };
}

test("a visitor who is named in the same session loses nothing that waits or is shown", async (t) => {
  const { chat, sockets } = naming(t, { ana: "ses_1" });
  const sending = chat.send("Hello", { id: "m1" });
  const server = new Server(await sockets.at(0));
  server.tell(started("run_0"), said("msg_0", "m0", "Before"));
  await server.take("message");
  await chat.identify("ana");
  assert.deepEqual(chat.messages.map(({ content }) => content), ["Before", "Hello"]);
  await new Server(await sockets.at(1)).ack("message", 0);
  assert.equal((await sending).id, "run_1");
});

test("a user with another session sees nothing of the one before, and the next user brings no token of it", async (t) => {
  const { chat, sockets, asked } = naming(t, { ana: "ses_1", [null]: "ses_2", bob: "ses_3" });
  chat.connect();
  const server = new Server(await sockets.at(0));
  server.tell(started("run_0"), said("msg_0", "m0", "Before"));
  await chat.identify("ana");
  await chat.identify(null);
  assert.deepEqual([chat.messages, chat.run], [[], null]);
  await chat.identify("bob");
  assert.deepEqual(asked.at(-1), { session_id: "ses_2" });
});

/** A chat whose bearers live for so many seconds; the server takes no ticket request of those that are `old`. */
function expiring(t, expires_in, old = []) {
  const asked = [];
  let named = 0;
  const fetch = async (url, { headers }) => {
    const { authorization } = headers;
    asked.push(url.endsWith("/identify") ? "identify" : authorization);
    if (url.endsWith("/identify")) return Response.json({ token: `b${(named += 1)}`, user: "ana", session_id: "ses_1", expires_in });
    if (old.includes(authorization)) return Response.json({ code: "unauthorized", message: "Too old." }, { status: 401 });
    return Response.json({ ticket: "ticket_1", session_id: "ses_1" });
  };
  return { ...begun(t, { ticket: undefined, fetch }), asked };
}

test("a bearer of less than two minutes is renewed halfway, and the one after it too", async (t) => {
  const { chat, asked } = expiring(t, 100);
  await chat.identify(async () => "token");
  for (let renewals = 1; renewals < 3; renewals += 1) {
    t.mock.timers.tick(49_999);
    await turn();
    assert.equal(asked.filter((each) => each === "identify").length, renewals);
    t.mock.timers.tick(1);
    await turn();
    assert.equal(asked.filter((each) => each === "identify").length, renewals + 1);
  }
});

test("a bearer that is no function's is not renewed", async (t) => {
  const { chat, asked } = expiring(t, 100);
  await chat.identify("token");
  t.mock.timers.tick(600_000);
  await turn();
  assert.equal(asked.filter((each) => each === "identify").length, 1);
});

test("a bearer that is too old is renewed for the ticket, where the page gave a function", async (t) => {
  const { chat, sockets, asked } = expiring(t, 600, ["Bearer b1"]);
  await chat.identify(async () => "token");
  await sockets.at(0);
  assert.deepEqual(asked, ["identify", "Bearer b1", "identify", "Bearer b2"]);
  const given = expiring(t, 600, ["Bearer b1"]);
  await given.chat.identify("token");
  await turn();
  assert.deepEqual([given.asked, given.chat.connection.message, given.chat.connection.next], [["identify", "Bearer b1"], "Too old.", "stop"]);
});

/** A chat whose server refuses some of its identities, by their number; `refuse` has the server take no ticket request either. */
function refusing(t, refused, code) {
  const asked = [];
  let named = 0;
  const told = { user: "ana", session_id: "ses_1", expires_in: 600 };
  const fetch = async (url, { headers }) => {
    const isTicket = url.endsWith("/tickets");
    asked.push(isTicket ? headers.authorization : "identify");
    if (isTicket ? made.refuse : refused.includes((named += 1))) return Response.json({ code, message: "No." }, { status: 401 });
    return Response.json(isTicket ? { ticket: "ticket_1", session_id: "ses_1" } : { ...told, token: `b${named}` });
  };
  const made = { ...begun(t, { ticket: undefined, fetch }), asked, refuse: false };
  return made;
}

test("a renewal that fails is tried again, until it succeeds", async (t) => {
  const { chat, sockets, asked } = refusing(t, [2, 3], "unauthorized");
  await chat.identify(async () => "token");
  new Server(await sockets.at(0));
  for (const pause of [540_000, 30_000, 30_000, 540_000]) {
    const before = asked.filter((each) => each === "identify").length;
    t.mock.timers.tick(pause - 1);
    await turn();
    assert.equal(asked.filter((each) => each === "identify").length, before);
    t.mock.timers.tick(1);
    await turn();
    assert.equal(asked.filter((each) => each === "identify").length, before + 1);
  }
  assert.equal(asked.at(-1), "Bearer b5");
});

test("another token that is refused leaves the user, whose bearer is renewed as before", async (t) => {
  const { chat, sockets, asked } = refusing(t, [2], "identity_malformed");
  await chat.identify(async () => "token");
  new Server(await sockets.at(0));
  await assert.rejects(chat.identify("no token"), { code: "identity_malformed" });
  t.mock.timers.tick(30_000);
  await turn();
  assert.deepEqual(asked.filter((each) => each === "identify").length, 3);
});

test("a chat whose bearer and next token are refused is opened again by a later token of the page's function", async (t) => {
  const made = refusing(t, [2], "identity_revoked");
  const { chat, sockets } = made;
  await chat.identify(async () => "token");
  new Server(await sockets.at(0));
  made.refuse = true;
  sockets.all[0].close(4401);
  t.mock.timers.tick(1_000);
  await turn();
  assert.deepEqual([chat.connection.state, chat.connection.code], ["closed", "identity_revoked"]);
  made.refuse = false;
  t.mock.timers.tick(30_000);
  await turn();
  new Server(await sockets.at(1));
  assert.equal(chat.connection.state, "open");
});

test("a token that cannot be fetched is the page's error, and leaves who was named", async (t) => {
  const { chat, sockets, asked } = expiring(t, 600);
  await chat.identify("token");
  await sockets.at(0);
  await assert.rejects(chat.identify(async () => { throw new Error("no token"); }), /no token/);
  assert.deepEqual(await chat.identify("token"), { user: "ana", session_id: "ses_1" });
  await sockets.at(1);
  assert.deepEqual(asked, ["identify", "Bearer b1", "identify", "Bearer b2"]);
});

test("a visitor who signs out of nothing keeps the conversation", async (t) => {
  const { chat, sockets, asked } = expiring(t, 600);
  chat.connect();
  new Server(await sockets.at(0));
  assert.deepEqual(await chat.identify(null), { user: null, session_id: "ses_1" });
  assert.deepEqual([asked, sockets.all.length], [[undefined], 1]);
});

test("a ticket waits for the exchange of a token that is under way", async (t) => {
  const { chat, sockets, asked, answer } = refreshing(t);
  const named = chat.identify("token");
  chat.connect();
  await turn();
  assert.deepEqual([asked, sockets.all.length], [["identify"], 0]);
  await answer();
  await named;
  await sockets.at(0);
  assert.equal(asked[1], "tickets");
});

test("the user who was set last is not replaced by the renewal of the one before", async (t) => {
  const { chat, asked, answer } = refreshing(t);
  const first = chat.identify(async () => "ana");
  await answer();
  await first;
  t.mock.timers.tick(539_999);
  const second = chat.identify("bob");
  t.mock.timers.tick(1);
  await answer();
  await second;
  t.mock.timers.tick(3_600_000);
  await turn();
  const identified = () => asked.filter((each) => each === "identify").length;
  assert.equal(identified(), 2);
  const [third, fourth] = [chat.identify(async () => "ana"), chat.identify("bob")];
  await answer();
  await answer();
  await Promise.all([third, fourth]);
  t.mock.timers.tick(3_600_000);
  await turn();
  assert.equal(identified(), 4);
});

test("a process ends though a bearer would be renewed", () => {
  const script = `
    import { loopwire } from "${new URL("../chat.js", import.meta.url)}";
    const fetch = async () => Response.json({ token: "b", user: "ana", session_id: null, expires_in: 600 });
    await loopwire({ url: "http://host", fetch }).identify(async () => "token");
  `;
  const { status, signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 60_000 });
  assert.deepEqual([status, signal], [0, null]);
});
