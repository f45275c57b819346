import assert from "node:assert";
import test from "node:test";
import { UnreadMessages } from "../../../web/static/js/unread.js";

/** A conversation of which nothing is seen, and the numbers that were told of it. */
function begun() {
  const made = { isSeen: false, told: [] };
  const client = new EventTarget();
  made.unread = new UnreadMessages(client, { isSeen: () => made.isSeen, onChange: (count) => made.told.push(count) });
  made.take = (kind, messageId, more = {}) => {
    const event = { type: `TEXT_MESSAGE_${kind}`, messageId, ...more };
    client.dispatchEvent(new CustomEvent("frame", { detail: { event } }));
  };
  return made;
}

test("a message counts once, however many pieces it comes in", () => {
  const { take, told } = begun();
  for (const id of ["a", "b"]) {
    take("START", id, { role: "assistant" });
    for (const delta of ["Good ", "morning"]) take("CONTENT", id, { delta });
    take("END", id);
  }
  assert.deepEqual(told, [1, 2]);
});

test("the messages of the visitor do not count, in another tab neither", () => {
  const { take, told } = begun();
  take("START", "a", { role: "user" });
  take("CONTENT", "a", { delta: "Good morning" });
  take("END", "a");
  assert.deepEqual(told, []);
});

test("a message counts whose rest comes when nobody sees it any more", () => {
  const made = begun();
  made.isSeen = true;
  made.take("START", "a", { role: "assistant" });
  made.take("CONTENT", "a", { delta: "Good " });
  made.isSeen = false;
  made.take("CONTENT", "a", { delta: "morning" });
  assert.deepEqual(made.told, [1]);
});

test("what was seen counts no more", () => {
  const { take, told, unread } = begun();
  unread.clear();
  take("START", "a", { role: "assistant" });
  unread.clear();
  take("START", "b", { role: "assistant" });
  assert.deepEqual(told, [1, 0, 1]);
});
