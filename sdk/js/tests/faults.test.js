import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { Server, begins, begun, ends, finished, opened, partsOf, said, sent, started, text, turn } from "./chat_server.js";

test("a thousand messages written offline are stored in their order, one at a time", async (t) => {
  let offline = true;
  const ticket = async () => {
    if (offline) throw new TypeError("offline");
    return { ticket: "ticket_1", session_id: "ses_1" };
  };
  const { chat, sockets } = begun(t, { ticket });
  const ids = Array.from({ length: 1_000 }, (_, at) => `m${at}`);
  const sending = ids.map((id) => chat.send(id, { id }));
  await turn();
  assert.equal(chat.messages.length, 1_000);
  offline = false;
  t.mock.timers.tick(20_000);
  const server = new Server(await sockets.at(0));
  for (let at = 0; at < ids.length; at += 1) {
    assert.equal(server.sent("message").length, at + 1);
    await server.ack("message", at, { run_id: `run_${at}` });
    await turn();
  }
  assert.deepEqual(server.sent("message").map(({ id }) => id), ids);
  assert.deepEqual((await Promise.all(sending)).map(({ id }) => id), ids.map((_, at) => `run_${at}`));
});

test("a server that drops the line after every frame loses no part and repeats none", async (t) => {
  const { chat, server, sockets } = await opened(t);
  const run = await sent(chat, server);
  const log = [
    started("run_1"), said("msg_1", "m1", "Hello"), begins("msg_2"), text("msg_2", "one "), text("msg_2", "two "), ends("msg_2"),
    begins("msg_3"), text("msg_3", "three"), ends("msg_3"), finished("run_1"),
  ].flat();
  let at = server;
  for (const [index, event] of log.entries()) {
    at.tell(event);
    at.tell({ ...event, lost: true });
    at.socket.close(1006);
    t.mock.timers.tick(20_000);
    const socket = await sockets.at(index + 1);
    at = new Server(socket, index + 1, { resumed: true });
    assert.equal(at.sent("hello")[0].last_seq, 2 * index + 2);
    at.seq = 2 * index + 2;
  }
  assert.equal((await partsOf(run)).map(({ delta }) => delta).join(""), "one one two two threethree");
});

test("a ticket function that throws, at once or later, is asked again; one that refuses for good ends the chat", async (t) => {
  const failures = [
    () => {
      throw new Error("at once");
    },
    async () => {
      throw new Error("later");
    },
    async () => ({ ticket: "ticket_1", session_id: "ses_1" }),
  ];
  const { chat, sockets } = begun(t, { ticket: () => failures.shift()() });
  const sending = chat.send("Hello");
  for (let left = 2; left > 0; left -= 1) {
    await turn();
    assert.equal(chat.connection.state, "waiting");
    t.mock.timers.tick(20_000);
  }
  await new Server(await sockets.at(0)).ack("message", 0);
  assert.equal((await sending).id, "run_1");
  const refused = begun(t, {
    ticket: async () => {
      throw Object.assign(new Error("Sign in first."), { retry: false });
    },
  });
  await assert.rejects(refused.chat.send("Hello"), { code: "closed", next: "stop", message: "Sign in first." });
  assert.equal(refused.chat.connection.message, "Sign in first.");
});

test("a ticket is taken once: a client that is refused afterwards is told to give a function", async (t) => {
  const { chat, sockets } = begun(t, { ticket: "ticket_of_the_page" });
  const socket = await sockets.at(0);
  const server = new Server(socket);
  assert.equal(server.sent("hello")[0].ticket, "ticket_of_the_page");
  const sending = chat.send("Hello");
  socket.close(4401);
  t.mock.timers.tick(20_000);
  await assert.rejects(sending, { code: "closed", message: /give a function/ });
  const never = begun(t, { ticket: "wrong" });
  (await never.sockets.at(0)).close(4401);
  t.mock.timers.tick(20_000);
  await turn();
  assert.deepEqual([never.chat.connection.next, never.sockets.all.length], ["stop", 1]);
});

test("two chats of one page know nothing of each other", async (t) => {
  const [one, two] = [await opened(t), await opened(t)];
  const run = await sent(one.chat, one.server);
  one.server.tell(started("run_1"), said("msg_1", "m1", "Hello"));
  two.chat.close();
  one.server.tell(begins("msg_2"), text("msg_2", "Hi"), finished("run_1"));
  assert.deepEqual((await partsOf(run)).map(({ delta }) => delta), ["Hi"]);
  assert.deepEqual([one.chat.messages.length, two.chat.messages.length, two.chat.connection.state], [2, 0, "closed"]);
});

test("closing in the middle refuses what waits, ends what is read, and tells subscribers", async (t) => {
  const { chat, server } = await opened(t, { fetch: () => new Promise(() => {}) });
  const run = await sent(chat, server);
  server.tell(started("run_1"), said("msg_1", "m1", "Hello"), begins("msg_2"), text("msg_2", "Half"));
  const unconnected = begun(t, { ticket: () => new Promise(() => {}) }).chat;
  const [reading, waiting, answering] = [partsOf(run), chat.send("two"), chat.answer("int_1", "yes")];
  const uploading = unconnected.upload(new Blob(["x"]));
  let heard = 0;
  chat.subscribe(() => (heard += 1));
  chat.close();
  assert.deepEqual((await reading).map(({ delta }) => delta), ["Half"]);
  assert.deepEqual(await run.done, { id: "run_1", status: "running" });
  await assert.rejects(waiting, { code: "closed" });
  await assert.rejects(answering, { code: "closed" });
  unconnected.close();
  await assert.rejects(uploading, { code: "closed" });
  await turn();
  assert.ok(heard > 0);
});

test("a chat that was closed goes on when it is used again", async (t) => {
  const { chat, sockets } = await opened(t);
  chat.close();
  const sending = chat.send("Hello");
  await new Server(await sockets.at(1)).ack("message", 0);
  assert.equal((await sending).id, "run_1");
});

test("a request for older messages ends with the chat", async (t) => {
  const fetch = (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const { chat, server } = await opened(t, { fetch });
  server.snapshot([], { before: "c1" });
  const reading = chat.history().next();
  await turn();
  chat.close();
  await assert.rejects(reading, { code: "closed" });
});

const LEAVING = `
  import { loopwire } from "${new URL("../chat.js", import.meta.url)}";
  import { Sockets } from "${new URL("./socket_server.js", import.meta.url)}";
  const sockets = new Sockets();
  const ticket = async () => ({ ticket: "t", session_id: "ses_1" });
  const chat = loopwire({ url: "http://host", ticket, WebSocket: sockets.WebSocket });
  const socket = await sockets.at(0);
  if (process.argv[1] !== "connecting") socket.welcome();
  const sending = ["one", "two"].map((text, at) => chat.send(text, { id: "m" + at }).catch((error) => error.code));
  await new Promise(setImmediate);
  const limited = { type: "error", id: "m0", code: "rate_limited", message: "", retry: true, retry_after: 600 };
  if (process.argv[1] === "limited") socket.say(limited);
  if (process.argv[1] === "refused") socket.say({ ...limited, retry_after: undefined });
  if (process.argv[1] === "missing") {
    socket.say({ type: "ack", id: "m0", run_id: "run_0" });
    await sending[0];
    socket.say({ type: "snapshot", seq: 0, epoch: "1", events: [] });
    socket.say({ type: "queue", items: [] });
  }
  if (process.argv[1] === "waiting") socket.close(1006);
  await new Promise(setImmediate);
  chat.close();
  if (process.getActiveResourcesInfo().includes("Timeout")) throw new Error("a timer is left");
  console.log((await Promise.all(sending)).map((each) => each.id ?? each).join());
`;

for (const [moment, told] of [["connecting", "closed,closed"], ["open", "closed,closed"], ["limited", "closed,closed"], ["refused", "closed,closed"], ["missing", "run_0,closed"], ["waiting", "closed,closed"]])
  test(`a process ends after close, whatever it was doing: ${moment}`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", LEAVING, moment], { encoding: "utf8", timeout: 60_000 });
    assert.deepEqual([status, stdout.trim(), stderr], [0, told, ""]);
  });
