import assert from "node:assert/strict";
import test from "node:test";
import { LoopwireTransport } from "../ai-sdk.js";
import {
  activity, asks, begins, call, ends, failed, finished, messages, opened, result, said, started, stored, text, thought, turn,
} from "./chat_server.js";

const user = (words, id = "m1") => ({ id, role: "user", parts: [{ type: "text", text: words }] });
const mine = [started("run_1"), said("msg_1", "m1", "Hello")];

async function begun(t, options) {
  const { chat, server } = await opened(t, options);
  return { chat, server, transport: new LoopwireTransport(chat) };
}

/** Send the first message; gives the stream of its answer. */
async function asked(transport, server, more = {}) {
  const sending = transport.sendMessages({ trigger: "submit-message", messages: [user("Hello")], ...more });
  await server.ack("message", 0);
  return sending;
}

async function chunksOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** A stream in short: its types, with the words of texts. */
const short = (chunks) => chunks.map(({ type, delta }) => (delta ? `“${delta}”` : type)).join(" ");

test("a run is a stream of chunks: texts, calls, handoffs, blocks, and its end", async (t) => {
  const { server, transport } = await begun(t);
  const stream = await asked(transport, server);
  assert.deepEqual((await server.take("message")).content, [{ type: "text", text: "Hello" }]);
  server.tell(mine, begins("msg_2"), text("msg_2", "Good "), text("msg_2", "day"), ends("msg_2"), call("cal_1", "search", '{"q":"a"}'));
  server.tell(activity("prg_cal_1", "tool_progress", { tool_call_id: "cal_1", progress: 0.5, label: "Half" }), result("cal_1", '{"total":3}'));
  server.tell(activity("msg_3", "handoff", { from: "ana", to: "bob", reason: "", status: "done" }), activity("blk_1", "block", { kind: "form" }));
  server.tell(begins("msg_4"), text("msg_4", "Bye"), finished("run_1", undefined, { usage: [{ model: "demo" }] }));
  const chunks = await chunksOf(stream);
  const tools = "tool-input-available data-progress tool-output-available data-handoff data-block";
  assert.equal(short(chunks), `start start-step text-start “Good ” “day” text-end ${tools} text-start “Bye” text-end finish-step finish`);
  const tool = { toolCallId: "cal_1", toolName: "search", dynamic: true, providerExecuted: true };
  assert.deepEqual(chunks[0], { type: "start", messageId: "run_1" });
  assert.deepEqual(chunks[6], { ...tool, type: "tool-input-available", input: { q: "a" } });
  assert.deepEqual(chunks[7], { type: "data-progress", id: "cal_1", data: { progress: 0.5, label: "Half" } });
  assert.deepEqual([server.sent("cancel"), transport.resumeStreamIsReplay], [[], true]);
  assert.deepEqual(chunks[8], { ...tool, type: "tool-output-available", output: { total: 3 } });
  assert.deepEqual(chunks.at(-1), { type: "finish", finishReason: "stop", messageMetadata: { usage: [{ model: "demo" }] } });
});

test("a summary of reasoning is the AI SDK's own part, while it comes and after a reload", async (t) => {
  const { chat, server, transport } = await begun(t);
  const stream = await asked(transport, server);
  server.tell(mine, thought("msg_2", "It may ", "be."), thought("msg_3", "Or not."), begins("msg_4"), text("msg_4", "Yes."), finished("run_1"));
  const chunks = await chunksOf(stream);
  const thoughts = "reasoning-start “It may ” “be.” reasoning-end reasoning-start “Or not.” reasoning-end";
  assert.equal(short(chunks), `start start-step ${thoughts} text-start “Yes.” text-end finish-step finish`);
  assert.deepEqual(chunks[3], { type: "reasoning-delta", id: "msg_2", delta: "It may " });
  const [, { parts }] = await new LoopwireTransport(chat).load();
  assert.deepEqual(parts.slice(1), [
    { type: "reasoning", text: "Or not.", state: "done" },
    { type: "text", text: "Yes.", state: "done" },
  ]);
});

test("parts that a take-over withdraws leave the step, and the parts that it keeps are sent again", async (t) => {
  const { server, transport } = await begun(t);
  const stream = await asked(transport, server);
  server.tell(mine, begins("msg_2"), text("msg_2", "Kept."), ends("msg_2"), begins("msg_3"), text("msg_3", "Los"));
  const own = { run_id: "run_1" };
  const left = [stored("msg_1", "user", "Hello", { ...own, client_id: "m1" }), stored("msg_2", "assistant", "Kept.", own)];
  server.tell({ ...messages(...left), metadata: { loopwire: { scope: "run", attempt: 2 } } });
  server.tell(begins("msg_4"), text("msg_4", "Anew."), finished("run_1"));
  const chunks = short(await chunksOf(stream));
  assert.equal(chunks.split("reset-step ")[1], "text-start “Kept.” text-end text-start “Anew.” text-end finish-step finish");
});

test("a failed run is an error, a stopped one an end", async (t) => {
  const { server, transport } = await begun(t);
  const leaving = new AbortController();
  const stream = await asked(transport, server, { abortSignal: leaving.signal });
  leaving.abort();
  assert.equal((await server.take("cancel")).run_id, "run_1");
  server.tell(mine, finished("run_1", { type: "cancelled" }));
  assert.equal((await chunksOf(stream)).at(-1).finishReason, "other");
  const sending = transport.sendMessages({ trigger: "submit-message", messages: [user("Two", "m2")] });
  await server.ack("message", 1);
  const second = await sending;
  server.tell(started("run_2"), said("msg_2", "m2", "Two"), failed("run_2", "model_error"));
  assert.deepEqual((await chunksOf(second)).slice(-2), [{ type: "error", errorText: "It failed." }, { type: "finish", finishReason: "other" }]);
});

test("a call that waits is an approval, whose answer goes on in the same message", async (t) => {
  const { server, transport } = await begun(t);
  const stream = await asked(transport, server);
  server.tell(mine, call("cal_1", "publish"), asks("run_1", "approval"));
  const chunks = await chunksOf(stream);
  assert.deepEqual(chunks.find(({ type }) => type === "tool-approval-request"), {
    type: "tool-approval-request", approvalId: "int_1", toolCallId: "cal_1", reason: "May I?",
  });
  const [asking] = (await transport.load()).slice(-1);
  assert.deepEqual(asking.parts.map(({ state, approval }) => [state, approval]), [["approval-requested", { id: "int_1" }]]);
  const decided = { role: "assistant", parts: [{ type: "dynamic-tool", toolCallId: "cal_1", state: "approval-responded", approval: { id: "int_1", approved: true } }] };
  const answering = transport.sendMessages({ trigger: "submit-message", messages: [user("Hello"), decided] });
  assert.deepEqual((await server.take("resume")).entries[0], { interrupt_id: "int_1", status: "resolved", payload: { approved: true } });
  await server.ack("resume", 0, { run_id: "run_2" });
  const next = await answering;
  server.tell(started("run_2", { parentRunId: "run_1" }), result("cal_1", '"ok"'), begins("msg_3"), text("msg_3", "Done."), finished("run_2"));
  const more = await chunksOf(next);
  assert.deepEqual([more[0], short(more)], [{ type: "start" }, "start start-step tool-output-available text-start “Done.” text-end finish-step finish"]);
});

test("an approval that another tab gave first goes on with its run", async (t) => {
  const { server, transport } = await begun(t);
  server.tell(mine, call("cal_1", "publish"), asks("run_1", "approval"), started("run_2", { parentRunId: "run_1" }), begins("msg_3"), text("msg_3", "Done."));
  const decided = { role: "assistant", parts: [{ toolCallId: "cal_1", state: "approval-responded", approval: { id: "int_1", approved: true } }] };
  const answering = transport.sendMessages({ trigger: "submit-message", messages: [decided] });
  await server.refuse("resume", 0, "answered");
  const stream = await answering;
  server.tell(finished("run_2"));
  assert.match(short(await chunksOf(stream)), /“Done.”/);
});

test("a reload has the conversation, and the run that still writes from its beginning", async (t) => {
  const { server, transport } = await begun(t);
  const loading = transport.load();
  server.tell(mine, begins("msg_2"), text("msg_2", "Good "));
  const [first, second] = await loading.then(() => transport.load());
  assert.deepEqual([first.id, first.parts[0].text, second.id, second.parts[0].text], ["m1", "Hello", "run_1", "Good "]);
  const stream = await transport.reconnectToStream();
  server.tell(text("msg_2", "day"), finished("run_1"));
  assert.equal(short(await chunksOf(stream)), "start start-step text-start “Good ” “day” text-end finish-step finish");
  assert.equal(await transport.reconnectToStream(), null);
});

test("a picture is uploaded and sent", async (t) => {
  const { server, transport } = await begun(t, { fetch: async () => Response.json({ blob_id: "blb_1" }, { status: 201 }) });
  const url = "data:image/png;base64,AAAA";
  const message = { id: "m1", role: "user", parts: [{ type: "text", text: "This" }, { type: "file", mediaType: "image/png", url }, { type: "data-x" }] };
  transport.sendMessages({ trigger: "submit-message", messages: [message] }).catch(() => {});
  assert.deepEqual((await server.take("message")).content, [{ type: "text", text: "This" }, { type: "image", blob_id: "blb_1" }]);
  await assert.rejects(transport.sendMessages({ trigger: "regenerate-message", messages: [] }), /nothing to answer/);
  await assert.rejects(transport.sendMessages({ trigger: "submit-message", messages: [{ role: "assistant", parts: [] }] }), /nothing to answer/);
  transport.close();
  await turn();
  assert.equal(transport.chat.connection.state, "closed");
});

test("a message is answered again, and again with other words: each time the version that is shown", async (t) => {
  const { server, transport } = await begun(t);
  const first = await asked(transport, server);
  server.tell(mine, begins("msg_2"), text("msg_2", "Good "), finished("run_1"));
  await chunksOf(first);
  const answer = { id: "run_1", role: "assistant", parts: [] };
  const again = transport.sendMessages({ trigger: "regenerate-message", messageId: "run_1", messages: [user("Hello"), answer] });
  assert.equal((await server.take("regenerate")).message_id, "run_1");
  await server.ack("regenerate", 0, { run_id: "run_2" });
  const path = { ...messages(), metadata: { loopwire: { scope: "path" } } };
  server.tell(started("run_2"), path, said("msg_3", "other", "Hello"), begins("msg_4"), text("msg_4", "Better"), finished("run_2"));
  const chunks = await chunksOf(await again);
  assert.deepEqual([chunks[0].messageId, short(chunks)], ["run_2", "start start-step text-start “Better” text-end finish-step finish"]);
  const edit = transport.sendMessages({ trigger: "submit-message", messageId: "m1", messages: [user("Bye")] });
  const { message_id, content } = await server.take("edit");
  assert.deepEqual([message_id, content], ["run_2", [{ type: "text", text: "Bye" }]]);
  await server.ack("edit", 0, { run_id: "run_3" });
  server.tell(started("run_3"), path, said("msg_5", "another", "Bye"), finished("run_3"));
  assert.equal(short(await chunksOf(await edit)), "start start-step finish-step finish");
  transport.sendMessages({ trigger: "regenerate-message", messages: [user("Bye")] }).catch(() => {});
  assert.equal((await server.take("regenerate", 1)).message_id, "run_3");
});

test("a message that was never stored is sent when it is to be answered again; any other refusal is told", async (t) => {
  const { server, transport } = await begun(t);
  const again = transport.sendMessages({ trigger: "regenerate-message", messages: [user("Hello")] });
  await server.refuse("regenerate", 0, "not_found");
  assert.equal((await server.take("message")).id, "m1");
  await server.ack("message", 0);
  server.tell(mine, finished("run_1"));
  assert.equal((await chunksOf(await again)).at(-1).finishReason, "stop");
  const refused = transport.sendMessages({ trigger: "regenerate-message", messages: [user("Hello")] });
  await server.refuse("regenerate", 1, "too_many_versions");
  await assert.rejects(refused, { code: "too_many_versions" });
});

test("a call that is taken back and made again is told again, and a question is data", async (t) => {
  const { server, transport } = await begun(t);
  const stream = await asked(transport, server);
  server.tell(mine, call("cal_1", "search"));
  const left = stored("msg_1", "user", "Hello", { run_id: "run_1", client_id: "m1" });
  server.tell({ ...messages(left), metadata: { loopwire: { scope: "run", attempt: 2 } } });
  server.tell(call("cal_1", "search"), asks("run_1", "form"));
  const chunks = await chunksOf(stream);
  assert.equal(short(chunks), "start start-step tool-input-available reset-step tool-input-available data-ask finish-step finish");
  assert.deepEqual([chunks.at(-3).id, chunks.at(-3).data.kind, chunks.at(-1).finishReason], ["int_1", "form", "tool-calls"]);
});

test("an answer that was given up before it began is stopped", async (t) => {
  const { server, transport } = await begun(t);
  const first = await asked(transport, server);
  server.tell(mine, finished("run_1"));
  await chunksOf(first);
  const again = { trigger: "regenerate-message", messages: [user("Hello")], abortSignal: AbortSignal.abort() };
  const sending = transport.sendMessages(again);
  await server.ack("regenerate", 0, { run_id: "run_2" });
  await sending;
  assert.equal((await server.take("cancel")).run_id, "run_2");
});

test("a reload shows what was said, called, asked and answered, in the order of its runs", async (t) => {
  const { server, transport } = await begun(t);
  const own = { run_id: "run_1" };
  const called = (id, args, more = {}) => ({ ...stored(id, "assistant", undefined, { ...own, ...more }), toolCalls: [{ id, type: "function", function: { name: "search", arguments: args } }] });
  const answered = (id, content, status) => ({ ...stored(`res_${id}`, "tool", content, { ...own, ...(status && { status }) }), toolCallId: id });
  server.snapshot([
    started("run_1"),
    messages(
      stored("msg_1", "user", "Hello", { ...own, client_id: "m1" }),
      stored("msg_2", "assistant", "Good day", own),
      called("cal_1", '{"q":1}'), answered("cal_1", '{"total":3}', "done"),
      called("cal_2", ""), answered("cal_2", "3 items"),
      called("cal_3", "{"), answered("cal_3", "It broke.", "failed"),
      called("cal_4", "{}"),
      { ...stored("blk_1", "activity", { kind: "form", status: "open" }, own), activityType: "block" },
      stored("msg_3", "user", "And?", { run_id: "run_2" }),
      stored("msg_4", "assistant", "So.", { run_id: "run_2" }),
    ),
  ]);
  const tool = (toolCallId, input) => ({ type: "dynamic-tool", toolCallId, toolName: "search", input, providerExecuted: true });
  assert.deepEqual(await transport.load(), [
    { id: "m1", role: "user", parts: [{ type: "text", text: "Hello" }] },
    { id: "run_1", role: "assistant", parts: [
      { type: "text", text: "Good day", state: "done" },
      { ...tool("cal_1", { q: 1 }), state: "output-available", output: { total: 3 } },
      { ...tool("cal_2", {}), state: "output-available", output: "3 items" },
      { ...tool("cal_3", "{"), state: "output-error", errorText: "It broke." },
      { ...tool("cal_4", {}), state: "input-available" },
      { type: "data-block", id: "blk_1", data: { kind: "form", status: "open" } },
    ] },
    { id: "msg_3", role: "user", parts: [{ type: "text", text: "And?" }] },
    { id: "run_2", role: "assistant", parts: [{ type: "text", text: "So.", state: "done" }] },
  ]);
});
