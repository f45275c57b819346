import assert from "node:assert/strict";
import test from "node:test";
import { Server, begun, messages, opened, said, started, stored, turn } from "./chat_server.js";

/** A Storage, as a browser has one. */
class Memory {
  #all = new Map();

  getItem(key) {
    return this.#all.get(key) ?? null;
  }

  setItem(key, value) {
    this.#all.set(key, value);
  }

  get texts() {
    return [...this.#all.values()];
  }
}

const never = () => new Promise(() => {});

test("messages written offline are sent by the next page, under their ids and in their order", async (t) => {
  const storage = new Memory();
  const first = begun(t, { storage, ticket: never });
  first.chat.send("one", { id: "m1" }).catch(() => {});
  first.chat.send("two", { id: "m2" }).catch(() => {});
  await turn();
  const { chat, sockets } = begun(t, { storage });
  assert.deepEqual(chat.messages.map(({ content, metadata }) => [content, metadata.loopwire.pending]), [["one", "unsent"], ["two", "unsent"]]);
  const server = new Server(await sockets.at(0));
  await server.ack("message", 0);
  await server.ack("message", 1);
  await turn();
  assert.deepEqual(server.sent("message").map(({ id, content }) => [id, content[0].text]), [["m1", "one"], ["m2", "two"]]);
  assert.deepEqual(JSON.parse(storage.texts[0]), { session: "ses_1", frames: [] });
});

test("a message with the tools of its page is the same frame after a reload", async (t) => {
  const storage = new Memory();
  const { chat, server } = await opened(t, { storage });
  chat.tool("title", { description: "d", parameters: {} }, () => "");
  chat.send("one", { id: "m1" }).catch(() => {});
  const frame = await server.take("message");
  await turn();
  const again = await opened(t, { storage });
  assert.deepEqual(await again.server.take("message"), frame);
});

test("a session is found again, with what was stored meanwhile shown once", async (t) => {
  const storage = new Memory();
  const first = await opened(t, { storage });
  first.chat.send("one", { id: "m1" }).catch(() => {});
  await first.server.take("message");
  await turn();
  const sessions = [];
  const ticket = async (session) => (sessions.push(session), { ticket: "t", session_id: "ses_1" });
  const { chat, sockets } = begun(t, { storage, ticket });
  const server = new Server(await sockets.at(0), 9);
  server.snapshot([started("run_1"), messages(stored("msg_1", "user", "one", { client_id: "m1", run_id: "run_1" }))]);
  await server.ack("message", 0, { dup: true });
  await turn();
  assert.deepEqual(sessions, ["ses_1"]);
  assert.deepEqual(chat.messages.map(({ id }) => id), ["msg_1"]);
});

test("two tabs that share a storage keep both their messages, and each forgets its own", async (t) => {
  const storage = new Memory();
  const [first, second] = [await opened(t, { storage }), begun(t, { storage })];
  const server = new Server(await second.sockets.at(0));
  first.chat.send("one", { id: "a1" }).catch(() => {});
  second.chat.send("two", { id: "b1" }).catch(() => {});
  await turn();
  assert.deepEqual(JSON.parse(storage.texts[0]).frames.map(({ id }) => id).sort(), ["a1", "b1"]);
  await server.ack("message", 0);
  await turn();
  assert.deepEqual(JSON.parse(storage.texts[0]).frames.map(({ id }) => id), ["a1"]);
});

test("the next page finds a session in which nothing was written", async (t) => {
  const storage = new Memory();
  await opened(t, { storage });
  await turn();
  assert.deepEqual(JSON.parse(storage.texts[0]), { session: "ses_1", frames: [] });
});

test("messages written in one turn are stored by one write", async (t) => {
  const storage = new Memory();
  const { chat } = await opened(t, { storage });
  await turn();
  const stores = t.mock.method(storage, "setItem");
  for (const id of ["m1", "m2"]) chat.send("Hello", { id }).catch(() => {});
  await turn();
  assert.equal(stores.mock.callCount(), 1);
});

test("a message that the next page sent is not stored again by the page before it", async (t) => {
  const storage = new Memory();
  const first = await opened(t, { storage });
  first.chat.send("one", { id: "m1" }).catch(() => {});
  await turn();
  const second = begun(t, { storage });
  await new Server(await second.sockets.at(0)).ack("message", 0);
  await turn();
  first.chat.send("two", { id: "m2" }).catch(() => {});
  await turn();
  assert.deepEqual(JSON.parse(storage.texts[0]).frames.map(({ id }) => id), ["m2"]);
});

test("a message of one session is not sent in the session of a user who is set later", async (t) => {
  const storage = new Memory();
  const told = { token: "bearer", user: "ana", session_id: "ses_2", expires_in: 600 };
  const fetch = async (url) => Response.json(url.endsWith("/identify") ? told : { ticket: "ticket_1", session_id: "ses_1" });
  const { chat, server } = await opened(t, { storage, fetch, ticket: undefined });
  const sending = chat.send("mine", { id: "m1" });
  await server.take("message");
  await chat.identify("token");
  await assert.rejects(sending, { code: "closed" });
  await turn();
  assert.deepEqual(JSON.parse(storage.texts[0]), { session: "ses_2", frames: [] });
});

test("the storage holds no ticket, no token and no stop", async (t) => {
  const storage = new Memory();
  const { chat } = await opened(t, { storage });
  chat.send("one", { id: "m1" }).catch(() => {});
  chat.stop().catch(() => {});
  await turn();
  const [text] = storage.texts;
  assert.doesNotMatch(text, /ticket|token|cancel/);
  assert.deepEqual(Object.keys(JSON.parse(text)), ["session", "frames"]);
});

test("a message that was taken back or refused leaves the storage", async (t) => {
  const storage = new Memory();
  const { chat, server } = await opened(t, { storage });
  const back = new AbortController();
  const refused = chat.send("", { id: "m1" });
  const taken = chat.send("two", { id: "m2", signal: back.signal });
  back.abort();
  await assert.rejects(taken);
  await server.refuse("message", 0, "empty");
  await assert.rejects(refused);
  await turn();
  assert.deepEqual(JSON.parse(storage.texts[0]).frames, []);
});

test("a ticket for another session gets nothing of what was written in this one", async (t) => {
  const storage = new Memory();
  const first = await opened(t, { storage });
  first.chat.send("one", { id: "m1" }).catch(() => {});
  first.chat.send("two", { id: "m2" }).catch(() => {});
  await turn();
  first.chat.close();
  const { chat, sockets } = begun(t, { storage, ticket: "ticket_of_another" });
  const socket = await sockets.at(0);
  socket.welcome({ session_id: "ses_2" });
  await turn();
  assert.deepEqual(socket.sent.filter(({ type }) => type === "message"), []);
  assert.deepEqual(chat.messages, []);
  assert.deepEqual(JSON.parse(storage.texts[0]), { session: "ses_2", frames: [] });
});

test("a session that is gone is forgotten: the next page begins another", async (t) => {
  const storage = new Memory();
  const { chat, server } = await opened(t, { storage });
  const sending = chat.send("one");
  server.socket.close(4404);
  await assert.rejects(sending, { code: "closed", next: "session" });
  await turn();
  assert.deepEqual(storage.texts, ["{}"]);
});

test("without a server of the page, a session that is not this visitor's any more is replaced by a new one", async (t) => {
  const storage = new Memory();
  const asked = [];
  const fetch = async (_, { body }) => {
    asked.push(JSON.parse(body));
    if (asked.at(-1).session_id) return Response.json({ error: { code: "not_found", message: "Gone." } }, { status: 404 });
    return Response.json({ ticket: "ticket_2", session_id: "ses_2" });
  };
  const first = await opened(t, { storage });
  first.chat.send("one", { id: "m1" }).catch(() => {});
  await turn();
  const { sockets } = begun(t, { storage, fetch, ticket: undefined });
  const socket = await sockets.at(0);
  socket.welcome({ session_id: "ses_2" });
  await turn();
  assert.deepEqual(asked, [{ session_id: "ses_1" }, {}]);
  assert.deepEqual(socket.sent.filter(({ type }) => type === "message").map(({ id }) => id), ["m1"]);
});

for (const [what, first] of [["session", { session: "ses_1", frames: [] }], ["message", { session: null, frames: [{ type: "message", id: "m1", content: [] }] }]])
  test(`without a server of the page, a page connects at once when the one before it stored a ${what}`, async (t) => {
    const storage = { getItem: () => JSON.stringify(first), setItem() {} };
    const fetch = async () => Response.json({ ticket: "ticket_1", session_id: "ses_1" });
    const { sockets } = begun(t, { storage, fetch, ticket: undefined });
    await turn();
    assert.equal(sockets.all.length, 1);
  });

test("where the page's server says that the session is not this person's, another begins, without the words of the first", async (t) => {
  const storage = new Memory();
  const first = await opened(t, { storage });
  first.chat.send("mine", { id: "m1" }).catch(() => {});
  await turn();
  first.chat.close();
  const asked = [];
  const ticket = async (session) => {
    asked.push(session);
    return session ? { error: { code: "not_found", message: "Gone." } } : { ticket: "ticket_2", session_id: "ses_2" };
  };
  const { chat, sockets } = begun(t, { storage, ticket });
  const socket = await sockets.at(0);
  socket.welcome({ session_id: "ses_2" });
  await turn();
  assert.deepEqual(asked, ["ses_1", null]);
  assert.deepEqual([socket.sent.filter(({ type }) => type === "message"), chat.messages], [[], []]);
});

test("a session that the page itself names is not replaced, nor is one that was shown", async (t) => {
  const ticket = async (session) => (session === "ses_1" ? { error: { code: "not_found", message: "Gone." } } : { ticket: "t", session_id: "ses_1" });
  const named = begun(t, { session: "ses_1", ticket });
  await assert.rejects(named.chat.send("one"), { code: "closed", next: "stop", message: "Gone." });
  const shown = await opened(t, { ticket });
  shown.server.socket.close(4401);
  t.mock.timers.tick(20_000);
  await turn();
  assert.deepEqual([shown.chat.connection.next, shown.chat.connection.message], ["stop", "Gone."]);
});

test("a ticket function that returns no ticket is asked again", async (t) => {
  const answers = [{ error: { code: "unavailable", message: "Starting." } }, {}, "ticket_1"];
  const { chat, sockets } = begun(t, { ticket: async () => answers.shift() });
  for (let left = 2; left > 0; left -= 1) {
    await turn();
    assert.equal(chat.connection.state, "waiting");
    t.mock.timers.tick(20_000);
  }
  const socket = await sockets.at(0);
  socket.open();
  assert.equal(socket.sent[0].ticket, "ticket_1");
});

test("a storage that is broken, full or foreign keeps nothing and harms nothing", async (t) => {
  const broken = {
    getItem: () => "{not JSON",
    setItem() {
      throw new Error("full");
    },
  };
  const { chat, server } = await opened(t, { storage: broken });
  const sending = chat.send("one", { id: "m1" });
  await server.ack("message", 0);
  assert.equal((await sending).id, "run_1");
  server.tell(started("run_1"), said("msg_1", "m1", "one"));
  assert.equal(chat.messages.length, 1);
});
