import assert from "node:assert/strict";
import test from "node:test";
import { Transcript } from "../transcript.js";

const stamp = (own) => ({ metadata: { loopwire: own } });
const started = (runId, own = {}, more = {}) => ({ type: "RUN_STARTED", runId, ...stamp(own), ...more });
const begins = (messageId, more = {}) => ({ type: "TEXT_MESSAGE_START", messageId, ...more });
const text = (messageId, delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
const ends = (messageId) => ({ type: "TEXT_MESSAGE_END", messageId });
const call = (toolCallId) => ({ type: "TOOL_CALL_START", toolCallId, toolCallName: "search" });
const args = (toolCallId, delta) => ({ type: "TOOL_CALL_ARGS", toolCallId, delta });
const called = (toolCallId) => ({ type: "TOOL_CALL_END", toolCallId });
const result = (messageId, toolCallId, more = {}) => ({ type: "TOOL_CALL_RESULT", messageId, toolCallId, content: "ok", ...more });
const finished = (runId, outcome) => ({ type: "RUN_FINISHED", runId, outcome });
const said = (id, own = {}) => ({ id, role: "assistant", content: id, ...stamp(own) });

/** A transcript after these events, and the ids that the last one changed. */
function after(...events) {
  const transcript = new Transcript();
  const changed = events.map((event) => transcript.apply(event)).at(-1);
  return { transcript, changed, own: (id) => transcript.find(id).metadata.loopwire };
}

test("a run begins with what its event says of it", () => {
  assert.deepEqual(after(started("run_1")).transcript.run, { id: "run_1", status: "running", attempt: 1, kind: "agent" });
  const { run } = after(started("run_2", { attempt: 3, kind: "operator" }, { parentRunId: "run_1", timestamp: 0 })).transcript;
  assert.deepEqual(run, { id: "run_2", status: "running", attempt: 3, kind: "operator", parentRunId: "run_1", at: 0 });
  assert.equal(after(started("run_1"), started("run_1", { kind: "snapshot" })).transcript.run, null);
});

test("a run that begins closes what was open, one that another process takes over does not", () => {
  const open = [started("run_1"), begins("msg_1"), call("cal_1"), { type: "STEP_STARTED", stepName: "ana" }];
  const next = after(...open, started("run_2"));
  assert.deepEqual(next.changed, ["msg_1", "cal_1"]);
  assert.deepEqual([next.own("msg_1"), next.own("cal_1"), next.transcript.steps], [{ run_id: "run_1" }, { run_id: "run_1" }, []]);
  const again = after(...open, started("run_1", { attempt: 2, kind: "operator" }));
  assert.deepEqual(again.changed, []);
  assert.deepEqual(again.transcript.run, { id: "run_1", status: "running", attempt: 2, kind: "agent" });
  assert.deepEqual([again.own("msg_1"), again.transcript.steps], [{ run_id: "run_1", open: true }, ["ana"]]);
  assert.equal(after(...open, started("run_1", { attempt: 2 }), started("run_1")).transcript.run.attempt, 2);
});

for (const [outcome, own] of [
  [undefined, { run_id: "run_1" }],
  [{ type: "success" }, { run_id: "run_1" }],
  [{ type: "cancelled" }, { run_id: "run_1", ended: { outcome: "cancelled" } }],
])
  test(`a run ends once, and its last message says how: ${outcome?.type}`, () => {
    const end = after(started("run_1"), begins("msg_1"), text("msg_1", "Hi"), finished("run_1", outcome));
    assert.deepEqual(end.changed, ["msg_1"]);
    assert.deepEqual(end.own("msg_1"), own);
    assert.deepEqual(end.transcript.run, { id: "run_1", status: "finished", attempt: 1, kind: "agent", outcome: outcome ?? { type: "success" } });
    const before = end.transcript.run;
    assert.deepEqual(end.transcript.apply(finished("run_1", { type: "cancelled" })), []);
    assert.deepEqual(end.transcript.apply({ type: "RUN_ERROR", code: "x", message: "", ...stamp({ run_id: "run_1" }) }), []);
    assert.equal(end.transcript.run, before);
  });

test("an error ends the run that it names, else the latest, and has the code internal where it has none", () => {
  const error = (own, more = {}) => ({ type: "RUN_ERROR", message: "It failed.", ...stamp(own), ...more });
  const one = after(started("run_1"), begins("msg_1"), begins("msg_2"), error({}, { code: "limit" }));
  assert.deepEqual(one.transcript.run, { id: "run_1", status: "error", attempt: 1, kind: "agent", code: "limit", message: "It failed." });
  assert.deepEqual([one.own("msg_1"), one.own("msg_2")], [{ run_id: "run_1" }, { run_id: "run_1", ended: { outcome: "error", code: "limit" } }]);
  assert.deepEqual(after(started("run_1"), error({ run_id: "run_1" })).transcript.run.code, "internal");
  assert.equal(after(started("run_1"), error({ run_id: "run_0" })).transcript.run.status, "running");
  assert.deepEqual(after(error({ run_id: "run_0" })).transcript.run, { id: "run_0", status: "error", attempt: 1, kind: "agent", code: "internal", message: "It failed." });
  assert.equal(after(error({})).transcript.run, null);
  assert.equal(after(error({ run_id: "run_none" })).transcript.run, null);
});

test("a text has its name, its role and its time, and is open until its end", () => {
  const user = after(begins("msg_1", { role: "user", timestamp: 0, ...stamp({ client_id: "m1" }) })).transcript.messages;
  assert.deepEqual(user, [{ id: "msg_1", role: "user", content: "", ...stamp({ client_id: "m1", at: 0, open: true }) }]);
  const named = after(started("run_1"), begins("msg_1", { name: "ana" }), text("msg_1", "Good "), text("msg_1", "day"));
  assert.deepEqual(named.changed, ["msg_1"]);
  assert.deepEqual(named.transcript.messages, [{ id: "msg_1", role: "assistant", content: "Good day", name: "ana", ...stamp({ run_id: "run_1", open: true }) }]);
  assert.deepEqual(named.transcript.apply(ends("msg_1")), ["msg_1"]);
  assert.deepEqual(named.own("msg_1"), { run_id: "run_1" });
  for (const event of [text("msg_1", "!"), ends("msg_1"), text("msg_9", "!"), ends("msg_9")]) assert.deepEqual(named.transcript.apply(event), []);
  assert.equal(named.transcript.find("msg_1").content, "Good day");
  named.transcript.apply(begins("msg_1", { name: "ana" }));
  assert.deepEqual([named.transcript.messages.length, named.transcript.find("msg_1").content], [1, "Good day"]);
});

test("a call grows by its arguments until its end, and its results stand behind it", () => {
  const one = after(started("run_1"), call("cal_1"), args("cal_1", '{"q":'), begins("msg_1"), args("cal_1", "1}"), called("cal_1"));
  assert.deepEqual(one.changed, ["cal_1"]);
  const toolCalls = [{ id: "cal_1", type: "function", function: { name: "search", arguments: '{"q":1}' } }];
  assert.deepEqual(one.transcript.messages[0], { id: "cal_1", role: "assistant", toolCalls, ...stamp({ run_id: "run_1" }) });
  for (const event of [args("cal_1", "!"), called("cal_1"), args("cal_9", "!"), called("cal_9")]) assert.deepEqual(one.transcript.apply(event), []);
  assert.deepEqual(one.transcript.apply(result("res_1", "cal_1", { timestamp: 5, ...stamp({ status: "done" }) })), ["res_1"]);
  one.transcript.apply(result("res_2", "cal_1"));
  assert.deepEqual(one.transcript.messages.map(({ id }) => id), ["cal_1", "res_1", "res_2", "msg_1"]);
  assert.deepEqual(one.transcript.messages[1], { id: "res_1", role: "tool", toolCallId: "cal_1", content: "ok", ...stamp({ status: "done", run_id: "run_1", at: 5 }) });
  one.transcript.apply(result("res_1", "cal_1", { content: "better" }));
  one.transcript.apply(result("res_9", "cal_9"));
  assert.deepEqual(one.transcript.messages.map(({ id, content }) => [id, content]).slice(1), [["res_1", "better"], ["res_2", "ok"], ["msg_1", ""], ["res_9", "ok"]]);
});

test("a call that waits says so once, and until the next run", () => {
  const interrupt = (kind) => ({ toolCallId: "cal_1", ...stamp({ kind }) });
  const waits = (...interrupts) => finished("run_1", { type: "interrupt", interrupts });
  const one = after(started("run_1"), call("cal_1"), called("cal_1"), waits(interrupt("approval"), interrupt("tool"), { toolCallId: "cal_9" }));
  assert.deepEqual(one.changed, ["cal_1"]);
  assert.deepEqual(one.own("cal_1"), { run_id: "run_1", waits: { kind: "approval" } });
  const other = after(started("run_2"), call("cal_1"), waits(interrupt("approval")));
  assert.deepEqual([other.changed, "waits" in other.own("cal_1")], [[], false]);
});

test("steps are open by name, the newest of two of one name ends first", () => {
  const step = (type, stepName) => ({ type, stepName });
  const steps = ["ana", "bob", "ana"].map((name) => step("STEP_STARTED", name));
  const one = after(...steps, step("STEP_FINISHED", "ana"), step("STEP_FINISHED", "nobody"));
  assert.deepEqual([one.transcript.steps, one.changed], [["ana", "bob"], []]);
  assert.deepEqual(after(step("STEP_STARTED", "ana"), step("STEP_FINISHED", "ana")).transcript.steps, []);
});

test("a state is replaced, or changed by a patch that fits", () => {
  const delta = (...patch) => ({ type: "STATE_DELTA", delta: patch });
  const one = after({ type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, delta({ op: "add", path: "/b", value: 2 }), delta({ op: "remove", path: "/c" }));
  assert.deepEqual([one.transcript.state, one.changed], [{ a: 1, b: 2 }, []]);
  assert.throws(() => after({ type: "STATE_DELTA", delta: null }), TypeError);
});

test("an activity stands where it began, and is replaced or changed there", () => {
  const activity = (content, more = {}) => ({ type: "ACTIVITY_SNAPSHOT", messageId: "blk_1", activityType: "block", content, ...more });
  const one = after(started("run_1"), activity({ kind: "form" }, { timestamp: 5 }), begins("msg_1"), activity({ kind: "card" }));
  assert.deepEqual(one.changed, ["blk_1"]);
  assert.deepEqual(one.transcript.messages[0], { id: "blk_1", role: "activity", activityType: "block", content: { kind: "card" }, ...stamp({ run_id: "run_1", at: 5 }) });
  assert.deepEqual(one.transcript.apply(activity({}, { replace: false })), []);
  const patch = (messageId, path) => ({ type: "ACTIVITY_DELTA", messageId, patch: [{ op: "add", path, value: "closed" }] });
  assert.deepEqual(one.transcript.apply(patch("blk_1", "/status")), ["blk_1"]);
  assert.deepEqual(one.transcript.apply(patch("blk_9", "/status")), []);
  one.transcript.apply(patch("blk_1", "/a/b"));
  assert.deepEqual(one.transcript.messages[0].content, { kind: "card", status: "closed" });
});

test("a snapshot replaces everything, or what a run has said, in its place", () => {
  const replaced = (messages, own = {}) => ({ type: "MESSAGES_SNAPSHOT", messages, ...stamp(own) });
  const ids = ({ transcript }) => transcript.messages.map(({ id }) => id);
  const whole = after(started("run_1"), begins("msg_1"), replaced([said("msg_2")]), text("msg_1", "late"));
  assert.deepEqual([ids(whole), whole.transcript.find("msg_2").content], [["msg_2"], "msg_2"]);
  const told = [started("run_1"), begins("msg_1"), started("run_2"), begins("msg_2"), call("cal_2"), result("res_1", "cal_1")];
  const own = after(...told, begins("msg_3"), replaced([said("msg_2", { run_id: "run_2" }), said("msg_4", { run_id: "run_2" })], { scope: "run", attempt: 2 }));
  assert.deepEqual(ids(own), ["msg_1", "msg_2", "msg_4"]);
  assert.deepEqual(own.changed, ["msg_2", "cal_2", "res_1", "msg_3", "msg_4"]);
  assert.equal(own.transcript.run.attempt, 2);
  for (const event of [text("msg_2", "!"), args("cal_2", "!")]) assert.deepEqual(own.transcript.apply(event), [], "nothing is open behind it");
  const same = after(started("run_1", { attempt: 3 }), replaced([said("msg_1", { run_id: "run_1" })], { scope: "run" }));
  assert.deepEqual([ids(same), same.transcript.run.attempt], [["msg_1"], 3]);
  assert.deepEqual(ids(after(begins("msg_1"), replaced([said("msg_2")], { scope: "run" }))), ["msg_2"], "without a run it is whole");
});

test("the replaced messages of a run stand before the messages of others since it began", () => {
  const replaced = { type: "MESSAGES_SNAPSHOT", messages: [said("msg_1", { run_id: "run_1" })], ...stamp({ scope: "run" }) };
  const note = { type: "MESSAGES_SNAPSHOT", messages: [said("msg_1", { run_id: "run_1" }), said("msg_9", { run_id: "run_0" })] };
  const { transcript } = after(started("run_1"), note, replaced);
  assert.deepEqual(transcript.messages.map(({ id }) => id), ["msg_1", "msg_9"]);
});

test("a result whose call is not there keeps its place", () => {
  const orphan = { id: "res_1", role: "tool", toolCallId: "cal_9", content: "ok", ...stamp({}) };
  const { transcript } = after({ type: "MESSAGES_SNAPSHOT", messages: [said("msg_1"), orphan, said("msg_2")] });
  assert.deepEqual(transcript.messages.map(({ id }) => id), ["msg_1", "res_1", "msg_2"]);
});
