import assert from "node:assert/strict";
import test from "node:test";
import { LoopwireClient } from "../client.js";
import { Sockets } from "./socket_server.js";

const TOOL = { name: "where", description: "Where the person is.", parameters: { type: "object", properties: {} } };
const settled = () => new Promise(setImmediate);

function interrupted(runId, kind = "tool", id = "int_1") {
  const metadata = { loopwire: { kind } };
  const interrupts = [{ id, reason: "tool_call", message: "", toolCallId: "cal_1", metadata }];
  return { type: "RUN_FINISHED", runId, outcome: { type: "interrupt", interrupts } };
}

const called = [
  { type: "TOOL_CALL_START", toolCallId: "cal_1", toolCallName: "where" },
  { type: "TOOL_CALL_ARGS", toolCallId: "cal_1", delta: '{"exact"' },
  { type: "TOOL_CALL_ARGS", toolCallId: "cal_1", delta: ":true}" },
  { type: "TOOL_CALL_END", toolCallId: "cal_1" },
];

function begun(runId, clientId, parentRunId) {
  const metadata = { loopwire: { client_id: clientId } };
  return [{ type: "RUN_STARTED", runId, parentRunId }, { type: "TEXT_MESSAGE_START", messageId: "m", metadata }];
}

/** A connected client with a tool, and what its socket says event by event. */
async function connected(t, act = async (args) => args, tool = TOOL) {
  const sockets = new Sockets();
  const ticket = async () => ({ ticket: "ticket", session_id: "ses_1" });
  const client = new LoopwireClient({ url: "ws://host/ws", ticket, WebSocket: sockets.WebSocket });
  if (tool) client.tool(tool, act);
  client.connect();
  t.after(() => client.close());
  const socket = await sockets.at(0);
  socket.welcome();
  let seq = 0;
  const tell = (...events) => events.forEach((event) => socket.say({ seq: ++seq, event }));
  const snapshot = (...events) => socket.say({ type: "snapshot", seq, epoch: "1.1", events });
  const results = () => socket.sent.filter(({ type }) => type === "tool_result");
  return { client, socket, tell, snapshot, results };
}

test("tools travel with every message, and only what the server needs of them", async (t) => {
  const { client, socket } = await connected(t);
  client.message("olá", "m1");
  assert.deepEqual(socket.sent.at(-1).tools, [TOOL]);
  const bare = await connected(t, null, null);
  bare.client.message("olá", "m1");
  assert.equal("tools" in bare.socket.sent.at(-1), false);
});

test("a tool that the service has already is offered no more, and the console says so once", async (t) => {
  const said = t.mock.method(console, "error", () => {});
  const { client, socket } = await connected(t);
  const acked = client.message("olá", "m1");
  for (const dup of [false, true]) {
    socket.say({ type: "ack", id: "m1", run_id: "run_1", ignored_tools: ["where"], dup });
    assert.equal(said.mock.callCount(), 1);
  }
  assert.equal((await acked).run_id, "run_1");
  client.message("olá", "m2");
  assert.equal("tools" in socket.sent.at(-1), false);
  assert.deepEqual(said.mock.calls.map(({ arguments: [words] }) => words), ['Loopwire has a tool "where" already: yours is ignored.']);
});

test("a call of one's own message is run once, and its result goes back", async (t) => {
  const { client, tell, snapshot, results } = await connected(t, async ({ exact }) => ({ exact, city: "Porto" }));
  snapshot();
  client.message("olá", "m1");
  tell(...begun("run_1", "m1"), ...called, interrupted("run_1"));
  await settled();
  snapshot(...begun("run_1", "m1"), ...called, interrupted("run_1"));
  await settled();
  const [result, ...more] = results();
  assert.deepEqual([result.tool_call_id, JSON.parse(result.content)], ["cal_1", { exact: true, city: "Porto" }]);
  assert.deepEqual(more, []);
});

test("a run that goes on after one's own may ask again", async (t) => {
  const { client, tell, snapshot, results } = await connected(t, async () => "Porto");
  snapshot();
  client.message("olá", "m1");
  tell(...begun("run_1", "m1"), interrupted("run_1", "approval"), { type: "RUN_STARTED", runId: "run_2", parentRunId: "run_1" });
  tell(...called, interrupted("run_2", "tool", "int_2"));
  await settled();
  assert.deepEqual(results().map(({ content }) => content), ["Porto"]);
});

for (const [what, runId, parentRunId] of [["its run", "run_1"], ["the run that goes on after it", "run_2", "run_1"]])
  test(`a message that is known from a snapshot alone is one's own: ${what}`, async (t) => {
    const { client, snapshot, results } = await connected(t, async () => "Porto");
    snapshot();
    client.message("olá", "m1");
    const said = { id: "m", role: "user", content: "olá", metadata: { loopwire: { client_id: "m1", run_id: "run_1" } } };
    const call = { id: "cal_1", function: { name: "where", arguments: "{}" } };
    const messages = [said, { id: "cal_1", role: "assistant", toolCalls: [call] }];
    snapshot({ type: "RUN_STARTED", runId, parentRunId }, { type: "MESSAGES_SNAPSHOT", messages }, interrupted(runId));
    await settled();
    assert.deepEqual(results().map(({ content }) => content), ["Porto"]);
  });

test("another tab's call, another tool's and an approval are left alone", async (t) => {
  const { client, tell, snapshot, results } = await connected(t);
  snapshot();
  client.message("olá", "m1");
  tell(...begun("run_1", "another"), ...called, interrupted("run_1"));
  tell(...begun("run_2", "m1"), ...called, interrupted("run_2", "approval"));
  tell({ type: "TOOL_CALL_START", toolCallId: "cal_1", toolCallName: "unknown" }, interrupted("run_2"));
  await settled();
  assert.deepEqual(results(), []);
});

test("another tab's call is left alone in a snapshot that follows the first", async (t) => {
  const { snapshot, results } = await connected(t);
  snapshot();
  for (const run of ["run_1", "run_2"]) snapshot(...begun(run, "another"), ...called, interrupted(run, "tool", `int_${run}`));
  await settled();
  assert.deepEqual(results(), []);
});

test("a tool that is offered late answers what the first snapshot left open, whatever stands behind it", async (t) => {
  const { client, snapshot, results } = await connected(t, null, null);
  snapshot({ type: "RUN_STARTED", runId: "run_1" }, ...called, interrupted("run_1"), { type: "STATE_SNAPSHOT", snapshot: {} });
  client.tool(TOOL, async () => "Porto");
  await settled();
  assert.deepEqual(results().map(({ content }) => content), ["Porto"]);
});

for (const [what, given, told] of [
  ["32768 characters", "x".repeat(32_768), "x".repeat(32_768)],
  ["more characters", "x".repeat(32_769), '{"error":"The result is too long."}'],
  ["60000 bytes", "é".repeat(29_999), "é".repeat(29_999)],
  ["more bytes", "é".repeat(30_000), '{"error":"The result is too long."}'],
  ["nothing", undefined, "null"],
])
  test(`a result of ${what}`, async (t) => {
    const { client, tell, snapshot, results } = await connected(t, async () => given);
    snapshot();
    client.message("olá", "m1");
    tell(...begun("run_1", "m1"), ...called, interrupted("run_1"));
    await settled();
    assert.deepEqual(results().map(({ content }) => content), [told]);
  });

for (const [thrown, told] of [[new Error("n".repeat(501)), "n".repeat(500)], ["no signal", "no signal"]])
  test(`the failure of a tool is told in at most 500 characters: ${typeof thrown}`, async (t) => {
    const { client, tell, snapshot, results } = await connected(t, async () => { throw thrown; });
    snapshot();
    client.message("olá", "m1");
    tell(...begun("run_1", "m1"), ...called, interrupted("run_1"));
    await settled();
    assert.deepEqual(results().map(({ content }) => JSON.parse(content)), [{ error: told }]);
  });

test("a tool that does not answer within a minute has failed, and one that does leaves no timer", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, tell, snapshot, results } = await connected(t, () => new Promise(() => {}));
  snapshot();
  client.message("olá", "m1");
  tell(...begun("run_1", "m1"), ...called, interrupted("run_1"));
  t.mock.timers.tick(59_999);
  await settled();
  assert.deepEqual(results(), []);
  t.mock.timers.tick(1);
  await settled();
  assert.deepEqual(results().map(({ content }) => content), ['{"error":"The page did not answer in time."}']);
  t.mock.timers.reset();
  const quick = await connected(t, async () => "Porto");
  quick.snapshot();
  quick.client.message("olá", "m1");
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
  const before = timers();
  quick.tell(...begun("run_1", "m1"), ...called, interrupted("run_1"));
  await settled();
  assert.equal(quick.results().length, 1);
  assert.equal(timers(), before);
});

test("a failure is a result too", async (t) => {
  const { client, tell, snapshot, results } = await connected(t, async () => { throw new Error("no signal"); });
  snapshot();
  client.message("olá", "m1");
  tell(...begun("run_1", "m1"), ...called, interrupted("run_1"));
  await settled();
  assert.deepEqual(results().map(({ content }) => content), ['{"error":"no signal"}']);
});

test("a call that a reload left open is answered once, even by a tool that is offered later", async (t) => {
  const message = { id: "m", role: "assistant", toolCalls: [{ id: "cal_1", function: { name: "where", arguments: "{}" } }] };
  const open = [{ type: "RUN_STARTED", runId: "run_1" }, { type: "MESSAGES_SNAPSHOT", messages: [message] }, interrupted("run_1")];
  for (const late of [false, true]) {
    const { client, snapshot, results } = await connected(t, async () => "Porto", late ? null : TOOL);
    snapshot(...open);
    if (late) client.tool(TOOL, async () => "Porto");
    await settled();
    snapshot(...open);
    await settled();
    assert.deepEqual(results().map(({ content }) => content), ["Porto"]);
  }
});

test("an answer to what a run waits for is a command as any other", async (t) => {
  const { client, socket } = await connected(t);
  const entries = [{ interrupt_id: "int_1", status: "resolved", payload: { approved: true } }];
  const acked = client.resume(entries, "r1");
  assert.deepEqual(socket.sent.at(-1), { type: "resume", id: "r1", entries });
  socket.say({ type: "ack", id: "r1", run_id: "run_2" });
  assert.equal((await acked).run_id, "run_2");
});

test("an answer that is faster than its question is sent again by itself", async (t) => {
  const { client, socket } = await connected(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const entries = [{ interrupt_id: "int_1", status: "resolved", payload: { approved: true } }];
  const acked = client.resume(entries, "r1");
  socket.say({ type: "error", id: "r1", code: "busy", message: "full", retry: true, retry_after: 0.25 });
  t.mock.timers.tick(249);
  assert.equal(socket.sent.filter(({ id }) => id === "r1").length, 1);
  t.mock.timers.tick(1);
  assert.deepEqual(socket.sent.filter(({ id }) => id === "r1"), Array(2).fill({ type: "resume", id: "r1", entries }));
  socket.say({ type: "ack", id: "r1", run_id: "run_2" });
  assert.equal((await acked).run_id, "run_2");
});
