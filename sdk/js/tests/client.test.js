import assert from "node:assert/strict";
import test from "node:test";
import { FIRST_MS } from "../backoff.js";
import { LoopwireClient } from "../client.js";
import { Sockets } from "./socket_server.js";

/** A client in the hands of a test: its clock is the test's, and everything it tells is written down. */
function begun(t, options = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sockets = new Sockets();
  const tickets = [];
  const ticket = async (session) => {
    tickets.push(session);
    return { ticket: `ticket_${tickets.length}`, session_id: "ses_1" };
  };
  const client = new LoopwireClient({ url: "ws://host/ws", ticket, WebSocket: sockets.WebSocket, ...options });
  const told = { frames: [], states: [], snapshots: [], controls: [] };
  client.addEventListener("frame", ({ detail }) => told.frames.push(detail.seq));
  client.addEventListener("state", ({ detail }) => told.states.push(detail.next ?? detail.state));
  client.addEventListener("snapshot", ({ detail }) => told.snapshots.push(detail.seq));
  client.addEventListener("control", ({ detail }) => told.controls.push(detail.type));
  t.after(() => client.close());
  return { client, sockets, tickets, told };
}

async function opened(t, options) {
  const all = begun(t, options);
  all.client.connect();
  const socket = await all.sockets.at(0);
  socket.welcome();
  socket.say({ type: "snapshot", seq: 3, epoch: "1.1", events: [] });
  return { ...all, socket };
}

const event = (seq, more = {}) => ({ seq, event: { type: "TEXT_MESSAGE_CONTENT" }, ...more });

const settled = () => new Promise(setImmediate);

/** Come back after a close, and return the new socket. */
async function returned(t, sockets, index) {
  t.mock.timers.tick(20_000);
  return sockets.at(index);
}

test("hello carries the ticket, and no address carries a secret", async (t) => {
  const { sockets, client } = begun(t, { html: true });
  client.connect();
  const socket = await sockets.at(0);
  socket.open();
  assert.deepEqual(socket.sent, [{ type: "hello", v: 1, ticket: "ticket_1" }]);
  assert.equal(socket.url, "ws://host/ws");
  assert.deepEqual(socket.protocols, ["loopwire.v1.html"]);
});

test("missed events are marked as replayed, live events are not", async (t) => {
  const { client, socket } = await opened(t);
  const heard = [];
  client.addEventListener("frame", ({ detail }) => heard.push(detail.replayed));
  socket.say(event(4));
  socket.say({ batch: [event(5)] });
  assert.deepEqual(heard, [undefined, true]);
});

test("a client that nobody asked to connect does not, and has no transport", async (t) => {
  const { client, sockets, tickets } = begun(t);
  client.hurry();
  client.renew("ses_2");
  await settled();
  assert.deepEqual([client.transport, client.state, sockets.all.length, tickets], [null, "closed", 0, []]);
});

test("a client without a WebSocket of its own takes the language's", async (t) => {
  const known = Object.getOwnPropertyDescriptor(globalThis, "WebSocket");
  const own = new Sockets();
  Object.defineProperty(globalThis, "WebSocket", { value: own.WebSocket, configurable: true, writable: true });
  t.after(() => Object.defineProperty(globalThis, "WebSocket", known));
  const { client } = begun(t, { WebSocket: undefined });
  client.connect();
  (await own.at(0)).welcome();
  assert.equal(client.transport, "websocket");
});

test("a client that is closed while its ticket is asked for opens nothing", async (t) => {
  let give;
  let asked = 0;
  const ticket = () => new Promise((resolve) => ([give, asked] = [resolve, asked + 1]));
  const { client, sockets } = begun(t, { ticket });
  client.connect();
  await settled();
  client.close();
  give({ ticket: "ticket_1", session_id: "ses_1" });
  await settled();
  t.mock.timers.tick(60_000);
  await settled();
  assert.deepEqual([sockets.all.length, client.state, asked], [0, "closed", 1]);
});

test("a ticket that is refused after the client connected as another user changes nothing", async (t) => {
  const asked = [];
  const ticket = (session) => new Promise((resolve, reject) => asked.push({ session, resolve, reject }));
  const { client, sockets } = begun(t, { ticket });
  client.connect();
  await settled();
  client.renew("ses_2");
  await settled();
  asked[1].resolve({ ticket: "ticket_2", session_id: "ses_2" });
  const socket = await sockets.at(0);
  asked[0].reject(new Error("Too late."));
  await settled();
  socket.welcome({ session_id: "ses_2" });
  t.mock.timers.tick(60_000);
  await settled();
  assert.deepEqual([asked.map(({ session }) => session), sockets.all.length, client.state], [[null, "ses_2"], 1, "open"]);
});

test("a client that connects as another user closes the connection of the one before", async (t) => {
  const { client, socket, sockets } = await opened(t);
  client.renew("ses_2");
  const next = await sockets.at(1);
  assert.deepEqual([socket.readyState, next.readyState], [3, 0]);
  next.open();
  assert.deepEqual(next.sent, [{ type: "hello", v: 1, ticket: "ticket_2" }]);
});

test("frames apply once and in order, merged and batched ones too", async (t) => {
  const { socket, told } = await opened(t);
  socket.say(event(4));
  socket.say(event(4));
  socket.say(event(7, { from: 5 }));
  socket.say({ batch: [event(6), event(8), event(9)] });
  assert.deepEqual(told.frames, [4, 7, 8, 9]);
  assert.deepEqual(told.snapshots, [3]);
});

test("a hole is never papered over: the client comes back from where it was", async (t) => {
  const { client, socket, sockets, told } = await opened(t);
  const codes = [];
  client.addEventListener("state", ({ detail }) => codes.push(detail.code));
  socket.say(event(4));
  socket.say(event(6));
  assert.deepEqual([codes, client.transport], [[4000], null]);
  const next = await returned(t, sockets, 1);
  next.open();
  assert.deepEqual(next.sent[0], { type: "hello", v: 1, resume_token: "token", last_seq: 4, epoch: "1.1" });
  assert.deepEqual(told.frames, [4]);
});

test("a client that was closed and connects again comes back from a line that fails at once", async (t) => {
  const { client, sockets } = await opened(t);
  client.close();
  client.connect();
  const second = await sockets.at(1);
  second.close(1006);
  await returned(t, sockets, 2);
});

test("an unacknowledged message is sent again under the same id", async (t) => {
  const { client, socket, sockets } = await opened(t);
  const promise = client.message("olá", "m1");
  assert.equal(socket.sent.at(-1).id, "m1");
  socket.close(1006);
  const next = await returned(t, sockets, 1);
  next.welcome({ resumed: true });
  assert.deepEqual(next.sent.at(-1), { type: "message", id: "m1", content: [{ type: "text", text: "olá" }] });
  next.say({ type: "ack", id: "m1", run_id: "run_1" });
  assert.equal((await promise).run_id, "run_1");
  assert.deepEqual(client.outbox.waiting(), []);
});

test("a message written without a connection is sent after the next welcome", async (t) => {
  const { client, sockets } = begun(t);
  client.message("olá", "m1");
  client.connect();
  const socket = await sockets.at(0);
  socket.welcome();
  assert.equal(socket.sent.filter((frame) => frame.id === "m1").length, 1);
});

test("a refused client comes back with a new ticket each time, later and later, until it is known", async (t) => {
  const { client, socket, sockets, tickets, told } = await opened(t);
  const waits = [];
  client.addEventListener("state", ({ detail }) => detail.in && waits.push(detail.in));
  socket.close(4401);
  for (let at = 1; at < 5; at += 1) (await returned(t, sockets, at)).close(4401);
  assert.equal(told.states.at(-1), "waiting");
  (await returned(t, sockets, 5)).welcome();
  assert.equal(told.states.at(-1), "open");
  assert.deepEqual(tickets, [null, ...Array(5).fill("ses_1")]);
  assert.ok(waits.every((wait, at) => at < 2 || wait > waits[at - 2]), String(waits));
});

test("a ticket that nobody gives ends it", async (t) => {
  const gone = Object.assign(new Error("gone"), { code: "not_found", retry: false });
  const given = [{ ticket: "ticket_1", session_id: "ses_1" }];
  const ticket = async () => given.pop() ?? Promise.reject(gone);
  const { client, socket, told } = await opened(t, { ticket });
  socket.close(4401);
  const ended = new Promise((resolve) => client.addEventListener("state", ({ detail }) => detail.next && resolve()));
  t.mock.timers.tick(20_000);
  await ended;
  assert.equal(told.states.at(-1), "stop");
});

for (const [code, next] of [[1009, "stop"], [4403, "stop"], [4409, "stop"], [4404, "session"], [4410, "reload"]])
  test(`after ${code} the client does not come back: ${next}`, async (t) => {
    const { client, socket, sockets, told } = await opened(t);
    socket.close(code);
    t.mock.timers.tick(60_000);
    assert.equal(told.states.at(-1), next);
    assert.equal(client.wanted, false);
    assert.equal(sockets.all.length, 1);
  });

test("a proxy that closes before the welcome does not end it", async (t) => {
  const { client, sockets, told } = begun(t);
  client.connect();
  const socket = await sockets.at(0);
  socket.open();
  socket.close(1009);
  assert.equal(told.states.at(-1), "waiting");
  await returned(t, sockets, 1);
});

test("an end without a sentence has none of an earlier refusal", async (t) => {
  const { client, sockets } = begun(t);
  const ends = [];
  client.addEventListener("state", ({ detail }) => detail.next && ends.push(detail.message));
  client.connect();
  const socket = await sockets.at(0);
  socket.open();
  socket.say({ type: "error", code: "unavailable", message: "Starting …", retry: true });
  socket.close(1013);
  const next = await returned(t, sockets, 1);
  next.welcome();
  client.message("olá", "m1").catch(() => {});
  next.say({ type: "error", id: "m1", code: "empty", message: "Empty.", retry: false });
  next.close(4409);
  assert.deepEqual(ends, [undefined]);
});

test("a client tries no other connection while its server leaves, and its later pauses are short again", async (t) => {
  const { client, sockets, tickets, told } = begun(t);
  const waits = [];
  client.addEventListener("state", ({ detail }) => detail.in && waits.push(detail.in));
  client.connect();
  const socket = await sockets.at(0);
  await settled();
  socket.open();
  socket.say({ type: "reconnect", after_ms: 60_000 });
  socket.close(1012);
  t.mock.timers.tick(59_999);
  await settled();
  assert.deepEqual([told.states.at(-1), tickets.length], ["waiting", 1]);
  t.mock.timers.tick(1);
  (await sockets.at(1)).close(1006);
  assert.equal(waits[0], 60_000);
  assert.ok(waits[1] <= 2 * FIRST_MS, String(waits));
});

test("an origin that is not allowed ends it with the server's sentence", async (t) => {
  const { client, sockets } = begun(t);
  const ended = new Promise((resolve) => client.addEventListener("state", ({ detail }) => detail.next && resolve(detail)));
  client.connect();
  const socket = await sockets.at(0);
  socket.open();
  socket.say({ type: "error", code: "forbidden", message: "Pages of this origin may not …", retry: false });
  socket.close(4403);
  const detail = await ended;
  assert.deepEqual(
    [detail.state, detail.code, detail.next, detail.message],
    ["closed", 4403, "stop", "Pages of this origin may not …"],
  );
  t.mock.timers.tick(600_000);
  assert.equal(sockets.all.length, 1);
});

test("a leaving server says when to come back", async (t) => {
  const { socket, sockets } = await opened(t);
  socket.say({ type: "reconnect", after_ms: 5_000 });
  socket.close(1012);
  t.mock.timers.tick(4_999);
  assert.equal(sockets.all.length, 1);
  t.mock.timers.tick(1);
  assert.equal((await sockets.at(1)).readyState, 0);
});

test("a frame that came too early is sent again when its time has come", async (t) => {
  const { client, socket } = await opened(t);
  client.message("olá", "m1");
  socket.say({ type: "error", id: "m1", code: "rate_limited", message: "slow", retry: true, retry_after: 2 });
  t.mock.timers.tick(1_999);
  assert.equal(socket.sent.filter((frame) => frame.id === "m1").length, 1);
  t.mock.timers.tick(1);
  assert.equal(socket.sent.filter((frame) => frame.id === "m1").length, 2);
});

test("a server that says nothing is left after eight seconds", async (t) => {
  const { client, sockets, told } = begun(t);
  client.connect();
  (await sockets.at(0)).open();
  t.mock.timers.tick(8_000);
  assert.equal(told.states.at(-1), "waiting");
});

test("a server that said its welcome may be silent as long as it likes", async (t) => {
  const { socket, sockets, tickets, told } = await opened(t);
  t.mock.timers.tick(3_600_000);
  await settled();
  assert.equal(told.states.at(-1), "open");
  assert.deepEqual([socket.readyState, sockets.all.length, tickets.length], [1, 1, 1]);
});

test("a welcome makes the next break as short as the first", async (t) => {
  const { client, socket, sockets } = await opened(t);
  const waits = [];
  client.addEventListener("state", ({ detail }) => detail.in && waits.push(detail.in));
  let last = socket;
  for (let at = 1; at < 8; at += 1) {
    last.close(1006);
    last = await returned(t, sockets, at);
    last.welcome({ resumed: true });
  }
  assert.equal(waits.length, 7);
  assert.ok(waits.every((wait) => wait <= FIRST_MS), String(waits));
});

test("a ticket that failed for a while is asked for again, a refused one is not", async (t) => {
  const failures = [Object.assign(new Error("down"), { retry: true }), Object.assign(new Error("no"), { retry: false })];
  const { client, told } = begun(t, { ticket: async () => { throw failures.shift(); } });
  await client.connect();
  assert.equal(told.states.at(-1), "waiting");
  client.hurry();
  await new Promise(setImmediate);
  assert.equal(told.states.at(-1), "stop");
});

test("a ticket that is refused for a while is asked for when that is over, not before", async (t) => {
  const { client } = begun(t, { ticket: async () => { throw Object.assign(new Error("often"), { retry: true, retry_after: 40 }); } });
  let wait = 0;
  client.addEventListener("state", ({ detail }) => (wait = detail.in ?? wait));
  await client.connect();
  assert.equal(wait, 40_000);
});

test("a ticket that fails for no known time is asked for again at once", async (t) => {
  const { client } = begun(t, { ticket: async () => { throw new TypeError("offline"); } });
  let wait = 0;
  client.addEventListener("state", ({ detail }) => (wait = detail.in ?? wait));
  await client.connect();
  assert.ok(wait > 0 && wait <= FIRST_MS, String(wait));
});

test("the session of a ticket that names none is that of the welcome", async (t) => {
  const { client, sockets } = begun(t, { ticket: async () => ({ ticket: "ticket_1" }) });
  client.connect();
  (await sockets.at(0)).welcome();
  assert.equal(client.session, "ses_1");
});

test("the network's return opens at once, its loss is told, and a closed client hears of neither", async (t) => {
  const page = new EventTarget();
  for (const name of ["addEventListener", "removeEventListener"]) globalThis[name] = page[name].bind(page);
  let onLine = true;
  Object.defineProperty(globalThis.navigator, "onLine", { get: () => onLine, configurable: true });
  t.after(() => {
    for (const name of ["addEventListener", "removeEventListener"]) delete globalThis[name];
    delete globalThis.navigator.onLine;
  });
  const { client, socket, sockets, told } = await opened(t);
  onLine = false;
  page.dispatchEvent(new Event("offline"));
  assert.equal(client.state, "offline");
  socket.close(1006);
  assert.equal(client.state, "offline");
  page.dispatchEvent(new Event("online"));
  assert.equal(client.state, "offline", "it tries, and shows that there is no network");
  await sockets.at(1);
  sockets.all[1].close(1006);
  onLine = true;
  page.dispatchEvent(new Event("online"));
  assert.equal(client.state, "connecting");
  (await sockets.at(2)).welcome();
  client.close();
  page.dispatchEvent(new Event("offline"));
  assert.equal(told.states.at(-1), "closed");
});

test("a message carries what its page shows, until the page shows nothing", async (t) => {
  const { client, socket } = await opened(t);
  const carried = (context) => {
    client.setContext(context);
    client.message("olá", `m${socket.sent.length}`);
    return socket.sent.at(-1).context;
  };
  const most = { text: "x".repeat(8_192 - '{"text":""}'.length) };
  assert.deepEqual([{ page: "shop" }, most, null, undefined].map(carried), [{ page: "shop" }, most, undefined, undefined]);
  assert.equal("context" in socket.sent.at(-1), false);
  for (const wrong of [{ text: `${most.text}x` }, ["shop"], "shop", 7, "null"]) assert.throws(() => client.setContext(wrong), RangeError);
});

test("a tool travels with its effect, where it has one", async (t) => {
  const { client, socket } = await opened(t);
  const shown = { description: "d", parameters: {} };
  client.tool({ name: "read", ...shown, effect: "read" }, () => "");
  client.tool({ name: "plain", ...shown }, () => "");
  client.message("olá", "m1");
  assert.deepEqual(socket.sent.at(-1).tools, [{ name: "read", ...shown, effect: "read" }, { name: "plain", ...shown }]);
});

test("hurrying opens at once, and only when there is something to hurry", async (t) => {
  const { client, socket, sockets } = await opened(t);
  client.hurry();
  await settled();
  assert.equal(sockets.all.length, 1);
  socket.close(1006);
  client.hurry();
  assert.equal((await sockets.at(1)).readyState, 0);
  client.hurry();
  t.mock.timers.tick(3_000);
  await settled();
  assert.equal(sockets.all.length, 2);
});

test("a socket that cannot be made is tried again", async (t) => {
  const made = [];
  class Refused {
    constructor(url) {
      made.push(url);
      throw new SyntaxError("no such scheme");
    }
  }
  const { client, told } = begun(t, { WebSocket: Refused });
  client.connect();
  await settled();
  assert.equal(told.states.at(-1), "waiting");
  t.mock.timers.tick(250);
  await settled();
  assert.deepEqual(made, ["ws://host/ws", "ws://host/ws"]);
});

test("a closed client stays away", async (t) => {
  const { client, socket, sockets, told } = await opened(t);
  client.close();
  assert.equal(socket.code, 1000);
  t.mock.timers.tick(60_000);
  assert.equal(sockets.all.length, 1);
  assert.equal(told.states.at(-1), "closed");
});
