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
  const { socket, sockets, told } = await opened(t);
  socket.say(event(4));
  socket.say(event(6));
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

test("what is not acknowledged is sent again under the same id", async (t) => {
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

test("what is written while there is no wire goes with the next welcome", async (t) => {
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

for (const [code, next] of [[4403, "stop"], [4409, "stop"], [4404, "session"], [4410, "reload"]])
  test(`after ${code} the client does not come back: ${next}`, async (t) => {
    const { client, socket, sockets, told } = await opened(t);
    socket.close(code);
    t.mock.timers.tick(60_000);
    assert.equal(told.states.at(-1), next);
    assert.equal(client.wanted, false);
    assert.equal(sockets.all.length, 1);
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
  const { socket, sockets, told } = await opened(t);
  t.mock.timers.tick(3_600_000);
  assert.equal(told.states.at(-1), "open");
  assert.deepEqual([socket.readyState, sockets.all.length], [1, 1]);
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

test("no ticket to be had: a passing failure is tried again, a refusal is not", async (t) => {
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

test("hurrying opens at once, and only when there is something to hurry", async (t) => {
  const { client, socket, sockets } = await opened(t);
  client.hurry();
  assert.equal(sockets.all.length, 1);
  socket.close(1006);
  client.hurry();
  assert.equal((await sockets.at(1)).readyState, 0);
});

test("a closed client stays away", async (t) => {
  const { client, sockets, told } = await opened(t);
  client.close();
  t.mock.timers.tick(60_000);
  assert.equal(sockets.all.length, 1);
  assert.equal(told.states.at(-1), "closed");
});
