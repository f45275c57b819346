import assert from "node:assert/strict";
import test from "node:test";
import { LoopwireClient } from "../client.js";
import { SseParser } from "../sse_parser.js";
import { TransportChoice } from "../transport_choice.js";
import { HttpServer } from "./http_server.js";
import { Sockets } from "./socket_server.js";

const event = (seq, more = {}) => ({ seq, event: { type: "TEXT_MESSAGE_CONTENT" }, ...more });
const settled = () => new Promise(setImmediate);

/** Wait until something is so; the clock of the client stands still meanwhile. */
async function until(probe) {
  for (let turn = 0; turn < 1_000; turn++) {
    if (probe()) return;
    await settled();
  }
  assert.fail(`never: ${probe}`);
}

/** A client in the hands of a test: its clock, its sockets and its HTTP are the test's. */
function begun(t, options = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const [sockets, http, tickets] = [new Sockets(), new HttpServer(), []];
  const ticket = async (session) => {
    tickets.push(session);
    return { ticket: `ticket_${tickets.length}`, session_id: "ses_1" };
  };
  const given = { url: "wss://host/ws", ticket, WebSocket: sockets.WebSocket, fetch: http.fetch };
  const client = new LoopwireClient({ ...given, ...options });
  const told = { frames: [], states: [], snapshots: [] };
  client.addEventListener("frame", ({ detail }) => told.frames.push(detail.seq));
  client.addEventListener("state", ({ detail }) => told.states.push(detail.next ?? detail.state));
  client.addEventListener("snapshot", ({ detail }) => told.snapshots.push(detail.seq));
  t.after(() => client.close());
  client.connect();
  return { client, sockets, http, tickets, told };
}

/** The same where the language has no WebSocket: its streams are its only lines. */
function begunWithoutSockets(t) {
  const known = Object.getOwnPropertyDescriptor(globalThis, "WebSocket");
  delete globalThis.WebSocket;
  t.after(() => known && Object.defineProperty(globalThis, "WebSocket", known));
  return begun(t, { WebSocket: undefined });
}

/** A client whose two sockets were refused, on its stream. */
async function fallen(t, options) {
  const all = begun(t, options);
  (await all.sockets.at(0)).close(1006);
  t.mock.timers.tick(250);
  (await all.sockets.at(1)).close(1006);
  t.mock.timers.tick(500);
  const stream = await all.http.stream(0);
  stream.welcome();
  stream.say({ type: "snapshot", seq: 3, epoch: "1.1", events: [] });
  await until(() => all.told.snapshots.length === 1);
  return { ...all, stream };
}

test("events are cut out of the pieces in which they come", () => {
  const parser = new SseParser();
  assert.deepEqual(parser.take(': hello\n\nid: 1\ndata: {"a"'), []);
  assert.deepEqual(parser.take(":1}\n"), []);
  assert.deepEqual(parser.take("\ndata:x\r\n\r\nretry: 5\n\ndata: y"), ['{"a":1}', "x"]);
  assert.deepEqual(parser.take("\n\n"), ["y"]);
});

test("after two failures the stream, after one of the stream the socket, and a server's own word is no failure", () => {
  const choice = new TransportChoice();
  const tried = [["websocket", 1006], ["websocket", 1005], ["sse", 1006], ["websocket", 1006], ["sse", 1013]];
  const streams = tried.map(([name, code]) => (choice.fail(name, code), choice.streams));
  assert.deepEqual(streams, [false, true, false, true, true]);
  const patient = new TransportChoice();
  ["websocket", "websocket"].forEach((name) => patient.fail(name, 4401));
  assert.equal(patient.streams, false);
  assert.deepEqual([choice.pause(), choice.pause(), choice.pause()], [5_000, 10_000, 20_000]);
  choice.succeed("websocket");
  assert.deepEqual([choice.streams, choice.pause()], [false, 5_000]);
});

test("a welcome forgets the failures before it, and only that of a socket its long pauses", () => {
  const choice = new TransportChoice();
  assert.equal(choice.streams, false);
  choice.fail("websocket", 1010);
  choice.succeed("websocket");
  choice.fail("websocket", 1015);
  assert.equal(choice.streams, false, "one failure is none");
  for (const code of [1011, 1012, 1014]) choice.fail("websocket", code);
  assert.equal(choice.streams, false, "nor is a server's own word");
  choice.fail("websocket", 1015);
  assert.equal(choice.streams, true);
  const pauses = Array.from({ length: 8 }, () => choice.pause());
  assert.deepEqual(pauses.slice(5), [160_000, 300_000, 300_000]);
  choice.succeed("sse");
  assert.deepEqual([choice.streams, choice.pause()], [true, 300_000]);
});

test("a socket and a stream that are never opened are left after half a minute each", async (t) => {
  const { client, sockets, http } = begun(t);
  const socket = await sockets.at(0);
  await settled();
  t.mock.timers.tick(4_000);
  await http.stream(0);
  t.mock.timers.tick(25_999);
  assert.equal(socket.readyState, 0);
  t.mock.timers.tick(1);
  assert.deepEqual([socket.readyState, client.state], [3, "connecting"]);
  t.mock.timers.tick(4_000);
  assert.equal(client.state, "waiting");
});

test("two refused sockets in a row: within a second the conversation goes on over HTTP", async (t) => {
  const { client, stream, told, tickets } = await fallen(t, { html: true });
  assert.equal(client.transport, "sse");
  assert.equal(client.state, "open");
  assert.equal(stream.url, "https://host/v1/sessions/ses_1/events?format=html");
  assert.equal(stream.headers.authorization, `Bearer ticket_${tickets.length}`);
  assert.equal(stream.credentials, "omit");
  stream.say(event(4), 17);
  stream.say(event(4));
  stream.say({ batch: [event(5), event(6, { event: { type: "CUSTOM", value: "olá" } })] }, 60);
  await until(() => told.frames.length === 3);
  assert.deepEqual(told.frames, [4, 5, 6]);
});

test("a socket that hangs gets a stream beside it, and the first welcome wins", async (t) => {
  const { client, sockets, http, told } = begun(t);
  const socket = await sockets.at(0);
  await settled();
  t.mock.timers.tick(4_000);
  const stream = await http.stream(0);
  assert.equal(socket.readyState, 0);
  stream.welcome();
  await until(() => client.transport === "sse");
  assert.equal(socket.readyState, 3);
  assert.deepEqual(told.states, ["connecting", "open"]);
});

test("a socket that is welcomed gets no stream beside it, and its failures before count no more", async (t) => {
  const { client, sockets, http } = begun(t);
  (await sockets.at(0)).close(1006);
  t.mock.timers.tick(250);
  const socket = await sockets.at(1);
  await settled();
  socket.welcome();
  t.mock.timers.tick(60_000);
  await settled();
  assert.equal(sockets.all.length, 2);
  socket.close(1006);
  t.mock.timers.tick(250);
  (await sockets.at(2)).close(1006);
  t.mock.timers.tick(500);
  await sockets.at(3);
  assert.deepEqual([http.streams.length, client.state], [0, "connecting"]);
});

test("while a server starts, the socket is waited for, and opens the moment it may", async (t) => {
  const { client, sockets, http, told } = begun(t);
  const socket = await sockets.at(0);
  await settled();
  t.mock.timers.tick(4_000);
  await http.stream(0);
  t.mock.timers.tick(20_000);
  socket.welcome();
  assert.equal(client.transport, "websocket");
  assert.deepEqual(told.states, ["connecting", "open"]);
  assert.equal(sockets.all.length, 1);
});

test("commands go by POST in their order, and their answers are acks and errors as ever", async (t) => {
  const { client, http } = await fallen(t);
  const [first, second] = [client.message("olá", "m1"), client.message("e isto", "m2")];
  const post = await http.post(0);
  assert.equal(post.url, "https://host/v1/sessions/ses_1/commands");
  assert.equal(post.headers.authorization, "Bearer token");
  assert.deepEqual(post.body, { type: "message", id: "m1", content: [{ type: "text", text: "olá" }] });
  await settled();
  assert.equal(http.posts.length, 1);
  post.answer(200, { type: "ack", id: "m1", run_id: "run_1" });
  assert.equal((await first).run_id, "run_1");
  (await http.post(1)).answer(409, { type: "error", id: "m2", code: "busy", message: "full", retry: true });
  await assert.rejects(second, { code: "busy" });
  assert.equal(client.transport, "sse");
});

test("what was not answered when the line broke is sent again on the next one, from the same place", async (t) => {
  const { client, http, stream, told } = await fallen(t);
  stream.say(event(4));
  const sent = client.message("olá", "m1");
  (await http.post(0)).lose();
  await until(() => client.state === "waiting");
  t.mock.timers.tick(10_000);
  const next = await http.stream(1);
  assert.equal(next.headers["last-event-id"], "1.1-4");
  assert.equal(next.headers.authorization, "Bearer token");
  next.welcome({ resumed: true });
  const again = await http.post(1);
  assert.equal(again.body.id, "m1");
  again.answer(200, { type: "ack", id: "m1", dup: true });
  assert.equal((await sent).dup, true);
  assert.deepEqual(told.frames, [4]);
});

test("the socket is tried again after a growing while, and taken over without a loss or a double", async (t) => {
  const { client, sockets, http, stream, told } = await fallen(t);
  t.mock.timers.tick(5_000);
  (await sockets.at(2)).close(1006);
  assert.equal(client.transport, "sse");
  stream.say(event(4));
  await until(() => told.frames.length === 1);
  t.mock.timers.tick(9_999);
  await settled();
  assert.equal(sockets.all.length, 3);
  t.mock.timers.tick(1);
  const socket = await sockets.at(3);
  stream.say(event(5));
  await until(() => told.frames.length === 2);
  socket.welcome({ resumed: true });
  assert.deepEqual(socket.sent[0], { type: "hello", v: 1, resume_token: "token", last_seq: 4, epoch: "1.1" });
  socket.say({ batch: [event(5), event(6)] });
  assert.equal(client.transport, "websocket");
  assert.deepEqual(told.frames, [4, 5, 6]);
  assert.deepEqual(told.states.filter((state) => state !== "open"), ["connecting", "waiting", "connecting", "waiting", "connecting"]);
  client.message("olá", "m1");
  assert.equal(socket.sent.at(-1).id, "m1");
  assert.equal(http.posts.length, 0);
});

test("nobody comes back to a socket in mid-sentence", async (t) => {
  const { sockets, stream, told } = await fallen(t);
  for (let seq = 4; seq < 10; seq++) {
    t.mock.timers.tick(1_000);
    stream.say(event(seq));
    await until(() => told.frames.at(-1) === seq);
  }
  assert.equal(sockets.all.length, 2);
  t.mock.timers.tick(2_000);
  assert.equal((await sockets.at(2)).readyState, 0);
});

for (const [code, next] of [[4403, "stop"], [4404, "session"], [4410, "reload"], [4409, "stop"]])
  test(`a stream that ends with ${code} is not begun again: ${next}`, async (t) => {
    const { client, stream, told, http } = await fallen(t);
    stream.say({ type: "close", code, reason: "x" });
    await until(() => told.states.at(-1) === next);
    t.mock.timers.tick(60_000);
    assert.equal(client.wanted, false);
    assert.equal(http.streams.length, 1);
  });

for (const [status, next] of [[403, "stop"], [404, "session"], [426, "reload"]])
  test(`a stream that is refused with ${status} ends it with the server's sentence`, async (t) => {
    const { client, sockets, http } = begun(t);
    const ended = [];
    client.addEventListener("state", ({ detail }) => detail.next && ended.push([detail.next, detail.message]));
    (await sockets.at(0)).close(1006);
    t.mock.timers.tick(250);
    (await sockets.at(1)).close(1006);
    t.mock.timers.tick(500);
    (await http.stream(0)).answer(status, { error: { code: "x", message: "Not here." } });
    await until(() => ended.length);
    t.mock.timers.tick(600_000);
    await settled();
    assert.deepEqual([ended, http.streams.length, sockets.all.length], [[[next, "Not here."]], 1, 2]);
  });

test("without a WebSocket a stream that hangs has nothing beside it", async (t) => {
  const { http, tickets } = begunWithoutSockets(t);
  await http.stream(0);
  await settled();
  t.mock.timers.tick(20_000);
  await settled();
  assert.deepEqual([tickets.length, http.streams.length], [1, 1]);
});

test("a refusal whose frame is the whole body ends it with its sentence too", async (t) => {
  const { client, http } = begunWithoutSockets(t);
  const ended = [];
  client.addEventListener("state", ({ detail }) => detail.next && ended.push(detail.message));
  (await http.stream(0)).answer(403, { type: "error", code: "forbidden", message: "Not here." });
  await until(() => ended.length);
  assert.deepEqual(ended, ["Not here."]);
});

for (const [status, code] of [[401, 4401], [429, 4429], [500, 1006], [503, 1013]])
  test(`a stream that is refused with ${status} is begun again, as after ${code}`, async (t) => {
    const { client, http } = begunWithoutSockets(t);
    const told = [];
    client.addEventListener("state", ({ detail }) => detail.in && told.push(detail.code));
    (await http.stream(0)).answer(status, { type: "error", code: "x", message: "Not now." });
    await until(() => told.length);
    assert.deepEqual(told, [code]);
    t.mock.timers.tick(20_000);
    await http.stream(1);
  });

for (const [what, frame, status, answer, state, code] of [
  ["one without an id that comes too often is dropped", { type: "typing" }, 429, { type: "error", code: "rate_limited" }, "open"],
  ["one without an id that fails ends the line", { type: "typing" }, 503, { type: "error", code: "unavailable" }, "waiting", 1013],
  ["one with an id is answered by its id alone", { type: "cancel", id: "c1" }, 429, { type: "error", code: "rate_limited" }, "waiting", 4429],
])
  test(`a command is refused: ${what}`, async (t) => {
    const { client, http } = await fallen(t);
    const codes = [];
    client.addEventListener("state", ({ detail }) => codes.push(detail.code));
    client.transmit(frame);
    (await http.post(0)).answer(status, answer);
    for (let turn = 0; turn < 20; turn++) await settled();
    assert.deepEqual([client.state, codes.at(0)], [state, code]);
  });

test("a command that is not answered within half a minute ends the line, one that is does not", async (t) => {
  const { client, http, stream } = await fallen(t);
  client.message("olá", "m1");
  (await http.post(0)).answer(200, { type: "ack", id: "m1" });
  await settled();
  t.mock.timers.tick(29_999);
  stream.say(event(4));
  client.message("olá", "m2");
  await http.post(1);
  await settled();
  t.mock.timers.tick(29_999);
  await settled();
  assert.equal(client.state, "open");
  t.mock.timers.tick(1);
  assert.equal(client.state, "waiting");
});

test("a character that is cut between two pieces of a stream arrives whole", async (t) => {
  const { client, stream } = await fallen(t);
  const values = [];
  client.addEventListener("frame", ({ detail }) => values.push(detail.event.value));
  const frame = event(4, { event: { type: "CUSTOM", value: "olá" } });
  const length = new TextEncoder().encode(JSON.stringify(frame)).length;
  for (let cut = length - 10; cut < length + 20; cut += 1) {
    stream.say({ ...frame, seq: 4 + values.length }, cut);
    await until(() => values.length === cut - length + 11);
  }
  assert.deepEqual([...new Set(values)], ["olá"]);
});

test("a client that closes ends the requests of its stream", async (t) => {
  const { client, stream } = await fallen(t);
  assert.equal(stream.signal.aborted, false);
  client.close();
  assert.equal(stream.signal.aborted, true);
});

test("where a socket failed again beside a stream, the stream is tried first when it breaks", async (t) => {
  const { client, sockets, http, stream } = await fallen(t);
  t.mock.timers.tick(5_000);
  (await sockets.at(2)).close(1006);
  stream.lose();
  await until(() => client.state === "waiting");
  t.mock.timers.tick(500);
  await http.stream(1);
  assert.equal(sockets.all.length, 3);
});

test("a socket whose token is refused beside a stream is tried next with a ticket", async (t) => {
  const { client, sockets, tickets } = await fallen(t);
  const asked = tickets.length;
  t.mock.timers.tick(5_000);
  (await sockets.at(2)).close(4401);
  assert.equal(client.transport, "sse");
  t.mock.timers.tick(10_000);
  const socket = await sockets.at(3);
  socket.open();
  assert.deepEqual(socket.sent, [{ type: "hello", v: 1, ticket: `ticket_${asked + 1}`, last_seq: 3, epoch: "1.1" }]);
});

test("a leaving server says over a stream too when to come back", async (t) => {
  const { stream, told, http } = await fallen(t);
  stream.say({ type: "reconnect", after_ms: 5_000 });
  stream.say({ type: "close", code: 1012, reason: "drain" });
  await until(() => told.states.at(-1) === "waiting");
  t.mock.timers.tick(4_999);
  await settled();
  assert.equal(http.streams.length, 1);
  t.mock.timers.tick(1);
  await http.stream(1);
});

test("a token that is too old by then is replaced by a ticket", async (t) => {
  const { client, http, told, tickets } = await fallen(t);
  const asked = tickets.length;
  client.message("olá", "m1");
  (await http.post(0)).answer(401, { type: "error", code: "unauthorized", message: "no", retry: false });
  await until(() => told.states.at(-1) === "waiting");
  t.mock.timers.tick(10_000);
  const next = await http.stream(1);
  assert.equal(next.headers.authorization, `Bearer ticket_${asked + 1}`);
});

test("a stream in which nothing comes any more is dead", async (t) => {
  const { told } = await fallen(t);
  t.mock.timers.tick(4_999);
  t.mock.timers.tick(35_000);
  await until(() => told.states.at(-1) === "waiting");
});

test("a stream that says comments and no welcome is left when the welcome is late", async (t) => {
  const { sockets, http, told } = begun(t);
  for (const [index, wait] of [250, 500].entries()) {
    (await sockets.at(index)).close(1006);
    t.mock.timers.tick(wait);
  }
  const stream = await http.stream(0);
  stream.open();
  await settled();
  const tried = told.states.length;
  stream.out.enqueue(new TextEncoder().encode(": nobody is here\n\n"));
  for (let turn = 0; turn < 20; turn++) await settled();
  t.mock.timers.tick(8_000);
  await until(() => told.states.slice(tried).includes("waiting"));
});

test("without a WebSocket in the language the stream is the only line, and takes the first ticket", async (t) => {
  const { http, sockets, tickets, told } = begunWithoutSockets(t);
  const stream = await http.stream(0);
  stream.welcome();
  stream.say({ type: "snapshot", seq: 3, epoch: "1.1", events: [] });
  await until(() => told.snapshots.length === 1);
  t.mock.timers.tick(600_000);
  await settled();
  assert.deepEqual([tickets.length, sockets.all.length], [1, 0]);
});
