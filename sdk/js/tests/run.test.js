import assert from "node:assert/strict";
import test from "node:test";
import {
  Server, activity, asks, begins, call, ends, failed, finished, messages, opened, partsOf, result, said, sent, started, stored, text, thought, turn,
} from "./chat_server.js";

const mine = [started("run_1"), said("msg_1", "m1", "Hello")];
const words = (parts) => parts.map((part) => part.delta ?? part.type).join("|");

test("a run gives its parts in order, and its end with what it used", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  const usage = [{ model: "demo", inputTokens: 3 }];
  server.tell(mine, begins("msg_2"), text("msg_2", "Good "), text("msg_2", "day"), ends("msg_2"));
  server.tell(call("cal_1", "search", '{"q":"a"}'), activity("prg_cal_1", "tool_progress", { tool_call_id: "cal_1", progress: 0.5, label: "Half" }));
  server.tell(result("cal_1", "3 items"), activity("msg_3", "handoff", { from: "ana", to: "bob", reason: "", status: "done" }));
  server.tell(activity("blk_1", "block", { kind: "choices", name: "product" }), finished("run_1", undefined, { usage }));
  const tool = { type: "tool", id: "cal_1", name: "search", arguments: '{"q":"a"}' };
  assert.deepEqual(await partsOf(run), [
    { type: "text", id: "msg_2", agent: "ana", delta: "Good " },
    { type: "text", id: "msg_2", agent: "ana", delta: "day" },
    { ...tool, status: "running" },
    { ...tool, status: "running", progress: 0.5, label: "Half" },
    { ...tool, status: "done", result: "3 items" },
    { type: "handoff", id: "msg_3", from: "ana", to: "bob", reason: "", status: "done" },
    { type: "block", id: "blk_1", kind: "choices", name: "product" },
  ]);
  const { status, outcome, usage: used } = await run.done;
  assert.deepEqual([status, outcome, used], ["finished", { type: "success" }, usage]);
});

test("a summary of reasoning is a part of its own, which grows by its deltas", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  server.tell(mine, thought("msg_2", "It may ", "be a phone."), begins("msg_3"), text("msg_3", "A phone."), finished("run_1"));
  assert.deepEqual(await partsOf(run), [
    { type: "reasoning", id: "msg_2", agent: "ana", delta: "It may " },
    { type: "reasoning", id: "msg_2", agent: "ana", delta: "be a phone." },
    { type: "text", id: "msg_3", agent: "ana", delta: "A phone." },
  ]);
  const { metadata, ...message } = chat.messages[1];
  assert.deepEqual(message, { id: "msg_2", role: "reasoning", content: "It may be a phone." });
  assert.deepEqual(metadata.loopwire, { agent: "ana", run_id: "run_1", duration_ms: 40 });
});

test("parts are heard while they come, by several readers, and leaving the loop stops nothing", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  server.tell(mine, begins("msg_2"), text("msg_2", "one "));
  for await (const part of run) {
    assert.equal(part.delta, "one ");
    break;
  }
  const [first, second] = [partsOf(run), partsOf(run)];
  await turn();
  server.tell(text("msg_2", "two"), finished("run_1"));
  assert.equal(words(await first), "one |two");
  assert.deepEqual(await first, await second);
  assert.deepEqual(server.sent("cancel"), []);
});

test("calls side by side have each their own progress, result and status", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  const progress = (id, label) => activity(`prg_${id}`, "tool_progress", { tool_call_id: id, progress: 0.5, label });
  const failed = { ...result("cal_1", "It broke."), metadata: { loopwire: { status: "failed" } } };
  const unsaid = { ...result("cal_2", "2"), metadata: undefined };
  server.tell(mine, { type: "TOOL_CALL_START", toolCallId: "cal_1", toolCallName: "one" });
  server.tell(call("cal_2", "two"), progress("cal_2", "Two"));
  server.tell({ type: "TOOL_CALL_END", toolCallId: "cal_1" }, progress("cal_1", "One"), failed, unsaid, finished("run_1"));
  const seen = (await partsOf(run)).map(({ id, name, status, label, result: given }) => [id, name, status, label, given]);
  assert.deepEqual(seen, [
    ["cal_2", "two", "running", undefined, undefined],
    ["cal_2", "two", "running", "Two", undefined],
    ["cal_1", "one", "running", undefined, undefined],
    ["cal_1", "one", "running", "One", undefined],
    ["cal_1", "one", "failed", undefined, "It broke."],
    ["cal_2", "two", "done", undefined, "2"],
  ]);
});

test("a reader has each part when it comes, not at the end", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  const reader = run[Symbol.asyncIterator]();
  for (const delta of ["one ", "two "]) {
    const next = reader.next();
    await turn();
    server.tell(delta === "one " ? [mine, begins("msg_2")] : [], text("msg_2", delta));
    assert.equal((await next).value.delta, delta);
  }
  assert.equal(run.ended, false);
  const last = reader.next();
  await turn();
  server.tell(finished("run_1"));
  assert.equal((await last).done, true);
});

test("a run that has said nothing ends when the next one begins", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  server.tell(started("run_1"), started("run_2"));
  assert.deepEqual(await run.done, { id: "run_1", status: "finished" });
});

test("a run gives the parts that came before its ack", async (t) => {
  const { chat, server } = await opened(t);
  const sending = chat.send("Hello", { id: "m1" });
  server.tell(mine, begins("msg_2"), text("msg_2", "Good day"), finished("run_1", undefined, { usage: [{ model: "demo" }] }));
  await server.ack("message", 0);
  const run = await sending;
  assert.equal(words(await partsOf(run)), "Good day");
  assert.deepEqual((await run.done).usage, [{ model: "demo" }]);
});

test("a snapshot in the middle repeats nothing and leaves nothing out", async (t) => {
  const { chat, server, sockets } = await opened(t);
  const run = await sent(chat, server);
  server.tell(mine, begins("msg_2"), text("msg_2", "Good "), call("cal_1", "search"));
  server.socket.close(1006);
  t.mock.timers.tick(20_000);
  const again = new Server(await sockets.at(1), 40, { resumed: true });
  const { arguments: args, ...named } = { name: "search", arguments: "{}" };
  again.snapshot([
    started("run_1"),
    messages(
      stored("msg_1", "user", "Hello", { run_id: "run_1", client_id: "m1" }),
      stored("msg_2", "assistant", "Good day", { run_id: "run_1" }),
      { ...stored("cal_1", "assistant", undefined, { run_id: "run_1" }), toolCalls: [{ id: "cal_1", type: "function", function: { ...named, arguments: args } }] },
      { ...stored("res_cal_1", "tool", "3", { run_id: "run_1", status: "done" }), toolCallId: "cal_1" },
    ),
    begins("msg_3"),
    text("msg_3", "There "),
  ]);
  again.tell(text("msg_3", "are 3."), finished("run_1"));
  const parts = await partsOf(run);
  assert.equal(words(parts), "Good |tool|day|tool|There |are 3.");
  assert.deepEqual(parts.filter((part) => part.type === "tool").map((part) => part.status), ["running", "done"]);
});

test("a take-over takes back what it does not keep", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  server.tell(mine, begins("msg_2"), text("msg_2", "Kept. "), ends("msg_2"), begins("msg_3"), text("msg_3", "Los"));
  const own = { run_id: "run_1" };
  server.tell({
    ...messages(stored("msg_1", "user", "Hello", { ...own, client_id: "m1" }), stored("msg_2", "assistant", "Kept. ", own)),
    metadata: { loopwire: { scope: "run", attempt: 2 } },
  });
  server.tell(begins("msg_4"), text("msg_4", "Told anew."), finished("run_1"));
  const parts = await partsOf(run);
  assert.equal(words(parts), "Kept. |Los|retract|Told anew.");
  assert.equal(parts[2].id, "msg_3");
});

test("a take-over that keeps nothing takes all back, once", async (t) => {
  const { chat, server } = await opened(t);
  server.tell(mine, call("cal_1", "publish"), asks("run_1", "approval"));
  const answering = chat.answer("int_1", { approved: true });
  await server.ack("resume", 0, { run_id: "run_2" });
  const run = await answering;
  const nothing = (attempt) => ({ ...messages(), metadata: { loopwire: { scope: "run", attempt } } });
  server.tell(started("run_2", { parentRunId: "run_1" }), begins("msg_2"), text("msg_2", "Los"), ends("msg_2"), begins("msg_3"), text("msg_3", "t"));
  server.tell(nothing(2), begins("msg_4"), text("msg_4", "Anew"), nothing(3), finished("run_2"));
  const parts = await partsOf(run);
  assert.equal(words(parts), "Los|t|retract|retract|Anew|retract");
  assert.deepEqual(parts.filter(({ type }) => type === "retract").map(({ id }) => id), ["msg_2", "msg_3", "msg_4"]);
});

test("a text that a snapshot has otherwise is taken back and told as it is", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  server.tell(mine, begins("msg_2"), text("msg_2", "Good d"));
  const own = { run_id: "run_1" };
  const told = [stored("msg_1", "user", "Hello", { ...own, client_id: "m1" }), stored("msg_2", "assistant", "Bad day", own)];
  server.snapshot([started("run_1"), messages(...told)]);
  server.tell(finished("run_1"));
  assert.equal(words(await partsOf(run)), "Good d|retract|Bad day");
});

test("parts before the first message of a snapshot are not taken back", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  server.tell(mine, begins("msg_2"), text("msg_2", "First. "), ends("msg_2"), begins("msg_3"), text("msg_3", "Second. "), ends("msg_3"));
  server.snapshot([started("run_1"), messages(stored("msg_3", "assistant", "Second. ", { run_id: "run_1" }))], { before: "cursor" });
  server.tell(finished("run_1"));
  assert.equal(words(await partsOf(run)), "First. |Second. ");
});

for (const [own, expected] of [
  [{}, { status: "finished" }],
  [{ ended: { outcome: "cancelled" } }, { status: "finished", outcome: { type: "cancelled" } }],
  [{ ended: { outcome: "error", code: "limit" } }, { status: "error", code: "limit" }],
])
  test(`a run that ended while nobody heard it: ${JSON.stringify(own)}`, async (t) => {
    const { chat, server } = await opened(t);
    const run = await sent(chat, server);
    const told = [stored("msg_1", "user", "Hello", { run_id: "run_1", client_id: "m1" }), stored("msg_2", "assistant", "Bye", { run_id: "run_1", ...own })];
    server.snapshot([started("run_2"), messages(...told)]);
    assert.equal(words(await partsOf(run)), "Bye");
    assert.deepEqual(await run.done, { id: "run_1", ...expected });
  });

test("a run that is neither shown nor queued after a snapshot is given up, one that begins just then is not", async (t) => {
  const { chat, server } = await opened(t);
  const gone = await sent(chat, server);
  const queued = await sent(chat, server, "Two", 1);
  const late = await sent(chat, server, "Three", 2);
  server.socket.say({ type: "snapshot", seq: 0, epoch: "1.1", events: [], before: "cursor" });
  server.queue({ id: "m2", run_id: "run_2", message_id: "msg_9", text: "Two" });
  t.mock.timers.tick(4_000);
  server.tell(started("run_3"), said("msg_5", "m3", "Three"));
  t.mock.timers.tick(1_000);
  assert.equal(gone.ended, false, "it may wait behind the one that runs");
  server.tell(finished("run_3"));
  t.mock.timers.tick(5_000);
  assert.deepEqual(await gone.done, { id: "run_1", status: "unknown" });
  assert.deepEqual([queued.ended, (await late.done).status], [false, "finished"]);
});

test("a run that a queue alone does not name is not given up, and each snapshot gives it five seconds", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  server.queue();
  t.mock.timers.tick(60_000);
  assert.equal(run.ended, false, "it may begin at any moment");
  server.snapshot();
  t.mock.timers.tick(4_999);
  server.snapshot();
  t.mock.timers.tick(4_999);
  assert.equal(run.ended, false);
  t.mock.timers.tick(1);
  assert.deepEqual(await run.done, { id: "run_1", status: "unknown" });
});

test("a run that fails is no exception", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  server.tell(mine, failed("run_1", "model_error"));
  const { status, code, message } = await run.done;
  assert.deepEqual([status, code, message], ["error", "model_error", "It failed."]);
});

test("a question is the last part; its answer is a run of its own", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  server.tell(mine, call("cal_1", "publish"), asks("run_1", "approval"));
  const parts = await partsOf(run);
  assert.deepEqual([parts.at(-1).type, parts.at(-1).id, parts.at(-1).kind, parts.at(-1).message], ["ask", "int_1", "approval", "May I?"]);
  assert.equal((await run.done).outcome.type, "interrupt");
  const answering = chat.answer(parts.at(-1).id, { approved: true });
  const { entries } = await server.take("resume");
  assert.deepEqual(entries, [{ interrupt_id: "int_1", status: "resolved", payload: { approved: true } }]);
  await server.ack("resume", 0, { run_id: "run_2" });
  const next = await answering;
  server.tell(started("run_2", { parentRunId: "run_1" }), result("cal_1", "ok"), begins("msg_3"), text("msg_3", "Done."), finished("run_2"));
  assert.equal(words(await partsOf(next)), "tool|Done.");
});

test("an answer that another tab gave first is lost; any other refusal is an error", async (t) => {
  const { chat, server } = await opened(t);
  const [first, second] = [chat.answer("int_1", "yes"), chat.answer("int_1")];
  await server.refuse("resume", 0, "answered");
  await server.refuse("resume", 1, "expired");
  assert.deepEqual(await first, { lost: true });
  await assert.rejects(second, { code: "expired" });
  assert.equal((await server.take("resume", 1)).entries[0].status, "cancelled");
});

test("a tool of this page is answered within the run that asked", async (t) => {
  const { chat, server } = await opened(t);
  chat.tool("page_title", { description: "", parameters: {} }, () => "Shop");
  const run = await sent(chat, server);
  assert.deepEqual((await server.take("message")).tools.map((tool) => tool.name), ["page_title"]);
  server.tell(mine, call("cal_1", "page_title"), asks("run_1", "tool"));
  await server.ack("tool_result", 0, { run_id: "run_2" });
  await turn();
  server.tell(started("run_2", { parentRunId: "run_1" }), result("cal_1", "Shop"), begins("msg_3"), text("msg_3", "You are in the shop."));
  server.tell(finished("run_2", undefined, { usage: [{ model: "demo" }] }));
  assert.equal(words(await partsOf(run)), "tool|tool|tool|You are in the shop.");
  const { status, id, usage } = await run.done;
  assert.deepEqual([status, id, usage], ["finished", "run_2", [{ model: "demo" }]]);
});

test("a tool whose result comes too late ends the run as it stands", async (t) => {
  const { chat, server } = await opened(t);
  chat.tool("page_title", { description: "", parameters: {} }, () => "Shop");
  const run = await sent(chat, server);
  server.tell(mine, call("cal_1", "page_title"), asks("run_1", "tool"));
  await server.refuse("tool_result", 0, "expired");
  assert.equal((await run.done).outcome.type, "interrupt");
  assert.equal((await partsOf(run)).at(-1).type, "ask");
});

test("stop names the run that goes on, and one that begins after it", async (t) => {
  const { chat, server } = await opened(t);
  chat.tool("page_title", { description: "", parameters: {} }, () => "Shop");
  const run = await sent(chat, server);
  const stopping = run.stop();
  assert.equal((await server.take("cancel")).run_id, "run_1");
  await server.ack("cancel", 0);
  await stopping;
  server.tell(mine, call("cal_1", "page_title"), asks("run_1", "tool"));
  await server.ack("tool_result", 0, { run_id: "run_2" });
  assert.equal((await server.take("cancel", 1)).run_id, "run_2");
  server.tell(started("run_2", { parentRunId: "run_1" }), finished("run_2", { type: "cancelled" }));
  assert.deepEqual((await run.done).outcome, { type: "cancelled" });
});

test("a result that the page gives itself is acknowledged to it", async (t) => {
  const { chat, server } = await opened(t);
  const given = chat.client.toolResult("cal_1", "Shop");
  await server.ack("tool_result", 0, { run_id: "run_2" });
  assert.equal((await given).run_id, "run_2");
});

test("the result of a tool whose run is over is nothing of the run that came after it", async (t) => {
  const { chat, server } = await opened(t);
  let act;
  chat.tool("page_title", { description: "", parameters: {} }, () => new Promise((resolve) => (act = resolve)));
  const first = await sent(chat, server);
  server.tell(mine, call("cal_1", "page_title"), asks("run_1", "tool"));
  const next = await sent(chat, server, "Two", 1);
  server.tell(started("run_2"), said("msg_2", "m2", "Two"));
  act("Shop");
  await server.ack("tool_result", 0, { run_id: "run_3" });
  await turn();
  server.tell(begins("msg_3"), text("msg_3", "Two of what?"), finished("run_2"));
  assert.equal(words(await partsOf(next)), "Two of what?");
  assert.equal((await next.done).id, "run_2");
  assert.deepEqual([(await first.done).id, (await first.done).outcome.type], ["run_1", "interrupt"]);
});
