import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { Conversation, LoopwireClient } from "../index.js";
import { Sockets } from "./socket_server.js";

const FOLDER = new URL("../../python/src/loopwire/conformance/transcripts/", import.meta.url);
const RECORDED = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

const recorded = (name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
const stamp = (own) => ({ metadata: { loopwire: own } });
const started = (runId, own) => ({ type: "RUN_STARTED", threadId: "ses_1", runId, ...stamp(own) });
const snapshot = (events, more) => ({ type: "snapshot", seq: 3, epoch: "1.1", events, ...more });
const said = (id, role = "assistant") => ({ type: "TEXT_MESSAGE_START", messageId: id, role });
const delta = (messageId, text) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: text });

/** A conversation with a run, and the changes that it reported. */
function begun(...events) {
  const conversation = new Conversation();
  const changes = [];
  conversation.addEventListener("change", ({ detail }) => changes.push(detail));
  conversation.take(snapshot([started("run_1", { attempt: 1, kind: "agent" }), ...events]));
  return { conversation, changes };
}

test("there are sessions of every kind", () => {
  for (const kind of ["submission", "handoff", "error", "cancel", "take-over", "interrupt", "operator"])
    assert.ok(RECORDED.includes(`${kind}.json`), kind);
});

for (const name of RECORDED) {
  test(`the recorded session ${name} comes to what was stored`, () => {
    const { frames, stored, state } = recorded(name);
    const conversation = new Conversation();
    for (const frame of frames) conversation.take(frame);
    assert.deepEqual(conversation.messages, stored);
    assert.deepEqual(conversation.state, state);
    assert.deepEqual(conversation.steps, []);
    assert.notEqual(conversation.run.status, "running");
  });

  test(`the recorded session ${name} comes to the same through a client that is told things twice`, async () => {
    const { frames, stored } = recorded(name);
    const sockets = new Sockets();
    const ticket = async () => ({ ticket: "ticket_1", session_id: "ses_1" });
    const client = new LoopwireClient({ url: "ws://host/ws", ticket, WebSocket: sockets.WebSocket });
    const conversation = new Conversation(client);
    client.connect();
    const socket = await sockets.at(0);
    socket.welcome();
    frames.forEach((frame, at) => {
      socket.say(frame);
      const before = frames.slice(0, at + 1).flatMap((each) => each.batch ?? (each.event ? [each] : []));
      if (at % 7 === 0 && before.length) socket.say({ batch: before });
    });
    client.close();
    assert.deepEqual(conversation.messages, stored);
  });
}

test("a text grows, and what was seen of it before stays as it was", () => {
  const { conversation, changes } = begun(said("msg_1"));
  const [before] = conversation.messages;
  conversation.take({ seq: 4, event: delta("msg_1", "Hel") });
  conversation.take({ batch: [{ seq: 4, event: delta("msg_1", "Hel") }, { seq: 6, from: 5, event: delta("msg_1", "lo") }] });
  const [now] = conversation.messages;
  assert.deepEqual([before.content, now.content], ["", "Hello"]);
  assert.deepEqual(now.metadata.loopwire, { run_id: "run_1", open: true });
  assert.deepEqual(changes, [{ ids: ["msg_1"], snapshot: true }, { ids: ["msg_1"] }, { ids: ["msg_1"] }]);
});

test("an event after a missing one is refused and changes nothing", () => {
  const { conversation } = begun(said("msg_1"));
  assert.throws(() => conversation.take({ seq: 5, event: delta("msg_1", "lo") }), /missing before 5/);
  assert.throws(() => new Conversation().take({ seq: 1, event: said("msg_1") }), /missing before 1/);
  assert.equal(conversation.messages[0].content, "");
});

test("a snapshot replaces everything, and tells what went with it", () => {
  const { conversation, changes } = begun(said("msg_1"));
  const messages = [{ id: "msg_9", role: "user", content: "Hi" }];
  conversation.take(snapshot([started("run_none", { kind: "snapshot" }), { type: "MESSAGES_SNAPSHOT", messages }], { before: "msg_9" }));
  assert.deepEqual(conversation.messages, messages);
  assert.deepEqual([conversation.run, conversation.before], [null, "msg_9"]);
  assert.deepEqual(changes.at(-1), { ids: ["msg_1", "msg_9"], snapshot: true });
});

test("a step is open from its start until its run ends, however that ends", () => {
  assert.deepEqual([new Conversation().steps, new Conversation().before], [[], null]);
  const { conversation } = begun({ type: "STEP_STARTED", stepName: "identification" });
  assert.deepEqual(conversation.steps, ["identification"]);
  conversation.take({ seq: 4, event: { type: "RUN_ERROR", message: "", code: "internal", ...stamp({ run_id: "run_1" }) } });
  assert.deepEqual(conversation.steps, []);
});

test("earlier messages come before what there is, once", () => {
  const { conversation, changes } = begun(said("msg_2"));
  const page = { messages: [{ id: "msg_1", role: "user", content: "Hi" }, conversation.messages[0]], before: null };
  conversation.take({ seq: 4, event: delta("msg_2", "Hello") });
  conversation.earlier(page);
  assert.deepEqual(conversation.messages.map(({ id, content }) => [id, content]), [["msg_1", "Hi"], ["msg_2", "Hello"]]);
  assert.deepEqual(changes.at(-1), { ids: ["msg_1"] });
});

test("an earlier page says where the one before it is", () => {
  const { conversation } = begun(said("msg_2"));
  for (const [before, known] of [["msg_0", "msg_0"], [undefined, null]]) {
    conversation.earlier({ messages: [], before });
    assert.equal(conversation.before, known);
  }
});

test("a result goes to its call, which may come with an earlier page", () => {
  const { conversation } = begun(said("msg_2"));
  conversation.take({ seq: 4, event: { type: "TOOL_CALL_RESULT", messageId: "res_1", toolCallId: "cal_1", content: "{}" } });
  const [text, result] = conversation.messages;
  const call = { id: "cal_1", role: "assistant", toolCalls: [{ id: "cal_1" }] };
  conversation.earlier({ messages: [call, result, { id: "msg_1", role: "user", content: "Hi" }], before: null });
  assert.deepEqual(conversation.messages.map(({ id }) => id), ["cal_1", "res_1", "msg_1", text.id]);
});

test("a conversation has to be made before its client gets an event", () => {
  const client = new LoopwireClient({ url: "ws://host/ws" });
  client.position.set(3, "1.1");
  assert.throws(() => new Conversation(client), /before its client connects/);
});

test("no event reaches what is not an event's", () => {
  const { conversation } = begun();
  ["constructor", "__proto__", "apply", "CUSTOM"].forEach((type, at) => conversation.take({ seq: 4 + at, event: { type } }));
  conversation.take({ seq: 8, event: said("msg_1") });
  assert.deepEqual(conversation.messages.map(({ id }) => id), ["msg_1"]);
});
