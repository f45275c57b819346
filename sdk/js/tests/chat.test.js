import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import test from "node:test";
import { Server, asks, begins, begun, call, finished, messages, opened, partsOf, said, sent, started, stored, text, turn } from "./chat_server.js";

const pendingOf = (chat) => chat.messages.map((each) => each.metadata.loopwire.pending ?? each.id);

test("a chat without a session connects with its first message, by a ticket for its service", async (t) => {
  const asked = [];
  const fetch = async (url, given) => {
    asked.push([url, JSON.parse(given.body)]);
    return Response.json({ ticket: "ticket_1", session_id: "ses_1" });
  };
  const { chat, sockets } = begun(t, { ticket: undefined, fetch, service: "submission", language: "en" });
  await turn();
  assert.deepEqual([sockets.all.length, chat.connection.state], [0, "closed"]);
  chat.send("Hello").catch(() => {});
  const socket = await sockets.at(0);
  assert.equal(socket.url, "ws://host/ws");
  assert.deepEqual(asked, [["http://host/v1/tickets", { service: "submission", language: "en" }]]);
});

test("messages are sent one after the other, in the order in which they were written", async (t) => {
  const { chat, server } = await opened(t);
  const sending = ["one", "two", "three"].map((words, at) => chat.send(words, { id: `m${at + 1}` }));
  await server.ack("message", 0);
  await server.ack("message", 1);
  await server.take("message", 2);
  assert.deepEqual(server.sent("message").map(({ id }) => id), ["m1", "m2", "m3"]);
  await server.ack("message", 2);
  assert.deepEqual((await Promise.all(sending)).map(({ id }) => id), ["run_1", "run_2", "run_3"]);
});

test("a full queue is waited for, with the next one behind it", async (t) => {
  const { chat, server } = await opened(t);
  const first = chat.send("one", { id: "m1" });
  chat.send("two", { id: "m2" }).catch(() => {});
  await server.refuse("message", 0, "busy", { retry: true });
  await turn();
  server.tell(started("run_0"), begins("msg_1"), text("msg_1", "None of this "), text("msg_1", "makes room."));
  await turn();
  assert.equal(server.sent("message").length, 1);
  server.tell(finished("run_0"));
  await server.take("message", 1);
  await server.refuse("message", 1, "unavailable", { retry: true });
  await turn();
  t.mock.timers.tick(10_000);
  await server.ack("message", 2, { run_id: "run_1" });
  await first;
  await turn();
  assert.equal(server.sent("message").length, 3);
  server.tell(started("run_1"), finished("run_1"));
  await server.take("message", 3);
  assert.deepEqual(server.sent("message").map(({ id }) => id), ["m1", "m1", "m1", "m2"]);
});

test("a message that finds the queue full is sent again within a quarter of a second, then later", async (t) => {
  const { chat, server } = await opened(t);
  chat.send("one", { id: "m1" }).catch(() => {});
  await server.refuse("message", 0, "busy", { retry: true });
  await turn();
  t.mock.timers.tick(250);
  await server.refuse("message", 1, "busy", { retry: true });
  await turn();
  t.mock.timers.tick(249);
  assert.equal(server.sent("message").length, 2);
  t.mock.timers.tick(251);
  await server.ack("message", 2);
  for (const id of ["m2", "m3"]) chat.send("Hello", { id }).catch(() => {});
  await server.ack("message", 3);
  await server.refuse("message", 4, "busy", { retry: true });
  await turn();
  t.mock.timers.tick(250);
  assert.deepEqual(server.sent("message").map(({ id }) => id), ["m1", "m1", "m1", "m2", "m3", "m3"], "all begins anew");
});

test("a message that the end of a run hurries waits its whole pause when it is refused again", async (t) => {
  const { chat, server } = await opened(t);
  chat.send("one", { id: "m1" }).catch(() => {});
  await server.refuse("message", 0, "busy", { retry: true });
  await turn();
  server.tell(started("run_0"), finished("run_0"));
  await server.refuse("message", 1, "busy", { retry: true });
  await turn();
  t.mock.timers.tick(249);
  assert.equal(server.sent("message").length, 2);
});

test("behind a full queue the next message waits a second or two where no run ends", async (t) => {
  const { chat, server } = await opened(t);
  for (const id of ["m1", "m2"]) chat.send("Hello", { id }).catch(() => {});
  await server.refuse("message", 0, "busy", { retry: true });
  await turn();
  t.mock.timers.tick(250);
  await server.ack("message", 1);
  await turn();
  t.mock.timers.tick(999);
  assert.equal(server.sent("message").length, 2);
  t.mock.timers.tick(1_001);
  assert.deepEqual(server.sent("message").map(({ id }) => id), ["m1", "m1", "m2"]);
});

test("a refusal is the error of its message alone", async (t) => {
  const { chat, server } = await opened(t);
  const [first, second] = [chat.send("", { id: "m1" }), chat.send("two", { id: "m2" })];
  await server.refuse("message", 0, "empty");
  await assert.rejects(first, { code: "empty", message: "empty." });
  await server.ack("message", 1);
  assert.equal((await second).id, "run_2");
  assert.deepEqual(pendingOf(chat), ["queued"]);
});

test("a sent message is shown at once as unsent, then as queued, then as the server sends it", async (t) => {
  const { chat, server } = await opened(t);
  const sending = chat.send("Hello", { id: "m1" });
  const [unsent] = chat.messages;
  assert.deepEqual([unsent.role, unsent.content, unsent.metadata.loopwire.pending], ["user", "Hello", "unsent"]);
  assert.equal(chat.messages, chat.messages);
  await server.ack("message", 0);
  await sending;
  assert.deepEqual(pendingOf(chat), ["queued"]);
  server.tell(started("run_1"), said("msg_1", "m1", "Hello"));
  assert.deepEqual(pendingOf(chat), ["msg_1"]);
});

test("a queued message of another tab is shown last, and removed when a snapshot has no queue", async (t) => {
  const { chat, server } = await opened(t);
  await sent(chat, server);
  server.queue({ id: "m1", run_id: "run_1", message_id: "msg_1", text: "Hello" }, { id: "x1", run_id: "run_2", message_id: "msg_2", text: "Olá" });
  assert.deepEqual(chat.messages.map(({ content }) => content), ["Hello", "Olá"]);
  server.snapshot([started("run_3"), messages(stored("msg_9", "user", "Later", { run_id: "run_3" }))]);
  assert.deepEqual(pendingOf(chat), ["msg_9"]);
});

test("a message whose ack was lost is not shown for ever", async (t) => {
  const { chat, server, sockets } = await opened(t);
  const sending = chat.send("Hello", { id: "m1" });
  await server.take("message");
  server.socket.close(1006);
  t.mock.timers.tick(20_000);
  const again = new Server(await sockets.at(1), 90);
  again.queue({ id: "x1", run_id: "run_2", message_id: "msg_2", text: "Olá" });
  await again.ack("message", 0, { dup: true });
  await sending;
  assert.deepEqual(chat.messages.map(({ content }) => content), ["Olá"]);
});

test("a message whose ack was lost is queued while the server lists it", async (t) => {
  const { chat, server, sockets } = await opened(t);
  const sending = chat.send("Hello", { id: "m1" });
  await server.take("message");
  server.socket.close(1006);
  t.mock.timers.tick(20_000);
  const again = new Server(await sockets.at(1), 90);
  again.queue({ id: "m1", run_id: "run_1", message_id: "msg_1", text: "Hello" });
  await again.ack("message", 0, { dup: true });
  await sending;
  assert.deepEqual(pendingOf(chat), ["queued"]);
});

test("a message that the conversation has is not listed behind it, and a refused one is shown no more", async (t) => {
  const { chat, server } = await opened(t);
  await sent(chat, server);
  server.tell(started("run_1"), said("msg_1", "m1", "Hello"));
  server.queue({ id: "m1", run_id: "run_1", message_id: "msg_1", text: "Hello" });
  assert.deepEqual(pendingOf(chat), ["msg_1"]);
  const [refused, waiting] = ["m2", "m3"].map((id) => chat.send(id, { id }));
  waiting.catch(() => {});
  assert.deepEqual(pendingOf(chat), ["msg_1", "unsent", "unsent"]);
  await server.refuse("message", 1, "empty");
  await assert.rejects(refused, { code: "empty" });
  assert.deepEqual(chat.messages.map(({ content }) => content), ["Hello", "m3"]);
});

test("a message is taken back before it is stored: unsent ones never leave, one on its way is stopped", async (t) => {
  const { chat, server } = await opened(t);
  const [first, second] = [new AbortController(), new AbortController()];
  const sending = [chat.send("one", { id: "m1", signal: first.signal }), chat.send("two", { id: "m2", signal: second.signal })];
  await server.take("message");
  second.abort();
  await assert.rejects(sending[1], { name: "AbortError" });
  first.abort(new Error("Never mind."));
  await assert.rejects(sending[0], /Never mind/);
  assert.equal((await server.take("cancel")).message_id, "m1");
  assert.deepEqual([server.sent("message").length, server.sent("cancel").length, chat.messages.length], [1, 1, 0]);
  await assert.rejects(chat.send("three", { signal: second.signal }), { name: "AbortError" });
});

test("a message that is stored is not taken back any more, and its signal is let go of", async (t) => {
  const { chat, server } = await opened(t);
  const leaving = new AbortController();
  const sending = chat.send("Hello", { id: "m1", signal: leaving.signal });
  assert.equal(getEventListeners(leaving.signal, "abort").length, 1);
  await server.ack("message", 0);
  await sending;
  assert.equal(getEventListeners(leaving.signal, "abort").length, 0);
  leaving.abort();
  await turn();
  assert.deepEqual(server.sent("cancel"), []);
});

test("a run is stopped while it is queued", async (t) => {
  const { chat, server } = await opened(t);
  const run = await sent(chat, server);
  run.stop();
  assert.equal((await server.take("cancel")).run_id, "run_1");
  server.tell(started("run_1"), said("msg_1", "m1", "Hello"), finished("run_1", { type: "cancelled" }));
  assert.deepEqual((await run.done).outcome, { type: "cancelled" });
});

test("stop without a run stops what runs; a thumb names its message", async (t) => {
  const { chat, server } = await opened(t);
  const stopping = chat.stop();
  const { id, ...stop } = await server.take("cancel");
  assert.deepEqual(stop, { type: "cancel" });
  await server.ack("cancel", 0);
  await stopping;
  const why = chat.feedback("msg_2", "down", { reason: "wrong", comment: "3 pieces" });
  const { reason, comment } = await server.take("feedback");
  assert.deepEqual([reason, comment], ["wrong", "3 pieces"]);
  await server.ack("feedback", 0);
  await why;
  const judged = chat.feedback("msg_2", null);
  assert.equal((await server.take("feedback", 1)).value, null);
  await server.refuse("feedback", 1, "not_found");
  await assert.rejects(judged, { code: "not_found" });
});

test("subscribers hear when a message is written, stored and listed", async (t) => {
  const { chat, server } = await opened(t);
  await turn();
  const seen = [];
  chat.subscribe(() => seen.push(pendingOf(chat).join()));
  const sending = chat.send("Hello", { id: "m1" });
  await turn();
  await server.ack("message", 0);
  await sending;
  await turn();
  server.queue({ id: "x1", run_id: "run_2", message_id: "msg_2", text: "Olá" });
  await turn();
  assert.deepEqual(seen, ["unsent", "queued", "queued,queued"]);
});

for (const [what, act] of Object.entries({
  edit: (chat) => chat.edit("msg_1", "Hi"),
  regenerate: (chat) => chat.regenerate("msg_1"),
  switch: (chat) => chat.switch("msg_1"),
  resume: (chat) => chat.answer("int_1", "yes"),
  cancel: (chat) => chat.stop(),
  feedback: (chat) => chat.feedback("msg_1", "up"),
}))
  test(`a chat connects to send a frame: ${what}`, async (t) => {
    const fetch = async () => Response.json({ ticket: "ticket_1", session_id: "ses_1" });
    const { chat, sockets } = begun(t, { ticket: undefined, fetch });
    act(chat).catch(() => {});
    await new Server(await sockets.at(0)).take(what);
  });

test("the page context goes with each message and each version of one", async (t) => {
  const { chat, server } = await opened(t);
  chat.setContext({ page: "shop" });
  chat.send("Hello", { id: "m1" }).catch(() => {});
  chat.edit("msg_1", "Hi", { id: "e1" }).catch(() => {});
  const carried = [await server.take("message"), await server.take("edit")].map(({ context }) => context);
  assert.deepEqual(carried, [{ page: "shop" }, { page: "shop" }]);
});

test("a chat that is asked for its run connects", async (t) => {
  const fetch = async () => Response.json({ ticket: "ticket_1", session_id: "ses_1" });
  const { chat, sockets } = begun(t, { ticket: undefined, fetch });
  const following = chat.follow();
  new Server(await sockets.at(0));
  assert.equal(await following, null);
});

test("subscribers hear when the connection breaks, and what is asked then waits for the next one", async (t) => {
  const { chat, server, sockets } = await opened(t);
  server.tell(started("run_1"), finished("run_1"));
  await turn();
  const states = [];
  chat.subscribe(() => states.push(chat.connection.state));
  server.socket.close(1006);
  await turn();
  assert.deepEqual(states, ["waiting"]);
  const following = chat.follow();
  t.mock.timers.tick(20_000);
  const again = new Server(await sockets.at(1), 9, { resumed: true });
  again.snapshot([started("run_2")]);
  assert.equal((await following).id, "run_2");
});

test("older messages are read after a close too", async (t) => {
  const fetch = async (_, { signal }) => {
    signal.throwIfAborted();
    return Response.json({ messages: [stored("msg_1", "user", "1", {})], before: null });
  };
  const { chat, sockets } = await opened(t, { fetch });
  chat.close();
  const reading = chat.history().next();
  new Server(await sockets.at(1)).snapshot([], { before: "c1" });
  const { value } = await reading.catch((error) => assert.fail(error.message));
  assert.deepEqual(value?.map(({ id }) => id), ["msg_1"]);
});

test("only the end of a run hurries what the queue had no room for", async (t) => {
  const { chat, server } = await opened(t);
  server.tell(started("run_0"), finished("run_0"));
  chat.send("one", { id: "m1" }).catch(() => {});
  await server.refuse("message", 0, "busy", { retry: true });
  await turn();
  server.tell({ type: "STATE_SNAPSHOT", snapshot: {} });
  await turn();
  assert.equal(server.sent("message").length, 1);
});

test("a subscriber is called once a turn, also when another one throws, until it ends that", async (t) => {
  const { chat, server } = await opened(t);
  await turn();
  const reported = t.mock.method(console, "error", () => {});
  let heard = 0;
  const seen = [];
  chat.subscribe(() => {
    throw new Error("Nobody's business.");
  });
  const count = () => (heard += 1);
  const [off] = [chat.subscribe(count), chat.subscribe(count)];
  chat.subscribe(() => seen.push([chat.run?.status, chat.agent, chat.messages.length]));
  server.tell(started("run_1"), { type: "STEP_STARTED", stepName: "ana" }, begins("msg_1"), text("msg_1", "Hi"));
  await turn();
  assert.deepEqual([heard, seen], [2, [["running", "ana", 1]]]);
  off();
  server.tell(finished("run_1"));
  await turn();
  assert.deepEqual([heard, seen.at(-1), reported.mock.callCount()], [3, ["finished", null, 1], 2]);
});

test("the shown messages, run and state are never changed in place", async (t) => {
  const { chat, server } = await opened(t);
  server.tell(started("run_1"), begins("msg_1"), text("msg_1", "Good "), begins("msg_2"));
  const before = [chat.messages, chat.run, chat.state];
  const [first, second] = chat.messages;
  server.tell({ type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, text("msg_2", "day"), finished("run_1"));
  assert.deepEqual(before[0], [first, second]);
  assert.equal(second.content, "");
  assert.notEqual(chat.messages[1], second);
  assert.deepEqual(before.map((each, at) => each === [chat.messages, chat.run, chat.state][at]), [false, false, false]);
});

test("older messages come page by page, and never beside a hole", async (t) => {
  const pages = { c2: { messages: [stored("msg_2", "user", "2", {})], before: "c1" }, c1: { messages: [stored("msg_1", "user", "1", {})], before: null } };
  const asked = [];
  const fetch = async (url, { headers }) => {
    asked.push([url, headers.authorization]);
    return Response.json(pages[new URL(url).searchParams.get("before")]);
  };
  const { chat, server } = await opened(t, { fetch });
  const recent = [started("run_1"), messages(stored("msg_3", "user", "3", {}))];
  server.snapshot(recent, { before: "c2" });
  const seen = [];
  for await (const page of chat.history()) {
    seen.push(page.map(({ id }) => id));
    if (seen.length === 1) {
      assert.deepEqual(chat.messages.map(({ id }) => id), ["msg_2", "msg_3"]);
      server.snapshot(recent, { before: "c2" });
    }
  }
  assert.deepEqual(seen, [["msg_2"], ["msg_1"]]);
  assert.deepEqual(chat.messages.map(({ id }) => id), ["msg_3"]);
  assert.deepEqual(asked[0], ["http://host/v1/sessions/ses_1/messages?before=c2", "Bearer token"]);
});

test("follow and history wait until the conversation is known", async (t) => {
  const fetch = async () => Response.json({ messages: [stored("msg_1", "user", "1", {})], before: null });
  const { chat, sockets } = begun(t, { fetch, session: "ses_1" });
  const [following, reading] = [chat.follow(), chat.history().next()];
  const socket = await sockets.at(0);
  socket.welcome();
  await turn();
  socket.say({ type: "snapshot", seq: 3, epoch: "1.1", before: "c1", events: [started("run_1"), messages(), begins("msg_2"), text("msg_2", "Good ")] });
  socket.say({ type: "queue", items: [] });
  assert.deepEqual((await reading).value.map(({ id }) => id), ["msg_1"]);
  const run = await following;
  const parts = partsOf(run);
  socket.say({ seq: 4, event: text("msg_2", "day") });
  socket.say({ seq: 5, event: finished("run_1") });
  assert.deepEqual((await parts).map(({ delta }) => delta), ["Good ", "day"]);
  assert.equal((await chat.follow()).ended, true);
});

test("a picture is stored with the wire's token, then with a new ticket where that is too old", async (t) => {
  const asked = [];
  const fetch = async (url, { headers, body }) => {
    asked.push([url, headers.authorization, headers["content-type"], body]);
    if (asked.length === 1) return Response.json({ type: "error", code: "unauthorized", message: "Too old." }, { status: 401 });
    return Response.json({ blob_id: "blb_1", url: "/x" }, { status: 201 });
  };
  const { chat } = await opened(t, { fetch });
  const file = new Blob(["picture"], { type: "image/png" });
  const progress = [];
  assert.deepEqual(await chat.upload(file, { onProgress: (part) => progress.push(part) }), { type: "image", blob_id: "blb_1" });
  assert.deepEqual(progress, [1]);
  assert.deepEqual(asked[1], ["http://host/v1/sessions/ses_1/files", "Bearer ticket_1", "image/png", file]);
  assert.equal(asked[0][1], "Bearer token");
});

test("a picture that is refused is the server's error", async (t) => {
  const fetch = async () => Response.json({ type: "error", code: "image_unreadable", message: "No picture." }, { status: 422 });
  const { chat } = await opened(t, { fetch });
  await assert.rejects(chat.upload(new Blob(["x"])), { code: "image_unreadable", message: "No picture." });
});

test("a tool of the page answers in the version that the page asked for", async (t) => {
  const { chat, server } = await opened(t);
  chat.tool("page_title", { description: "", parameters: {} }, () => "Shop");
  const editing = chat.edit("msg_1", "Hi", { id: "e1" });
  assert.deepEqual((await server.take("edit")).tools.map(({ name }) => name), ["page_title"]);
  await server.ack("edit", 0, { run_id: "run_2" });
  await editing;
  server.tell(started("run_2"), said("msg_2", "e1", "Hi"), call("cal_1", "page_title"), asks("run_2", "tool"));
  assert.equal((await server.take("tool_result")).content, "Shop");
});

test("a version takes the place of a message, with the cursor of what is before it", async (t) => {
  const { chat, server } = await opened(t);
  await sent(chat, server);
  server.tell(started("run_1"), said("msg_1", "m1", "Hello"), finished("run_1"));
  await turn();
  const editing = chat.edit("msg_1", "Hi", { id: "e1" });
  const { message_id, content } = await server.take("edit");
  assert.deepEqual([message_id, content], ["msg_1", [{ type: "text", text: "Hi" }]]);
  await server.ack("edit", 0, { run_id: "run_2" });
  assert.equal((await editing).id, "run_2");
  const path = { type: "MESSAGES_SNAPSHOT", messages: [stored("msg_0", "user", "Before")], metadata: { loopwire: { scope: "path", before: "msg_0" } } };
  server.tell(started("run_2"), path, said("msg_2", "e1", "Hi"), finished("run_2"));
  await turn();
  assert.deepEqual(chat.messages.map(({ id }) => id), ["msg_0", "msg_2"]);
  assert.equal(chat.conversation.before, "msg_0");
  const switching = chat.switch("msg_1");
  await server.refuse("switch", 0, "not_found");
  await assert.rejects(switching, { code: "not_found" });
});
