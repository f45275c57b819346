import assert from "node:assert/strict";
import test from "node:test";
import { loopwireAgent } from "../agent.js";

/** As much of AG-UI's HttpAgent as the class stands on. */
class HttpAgent {
  subscribers = [];

  constructor({ url, threadId, fetch, headers = {} }) {
    Object.assign(this, { url, threadId, fetch, headers });
  }

  subscribe(subscriber) {
    this.subscribers.push(subscriber);
  }

  clone() {
    return Object.assign(Object.create(Object.getPrototypeOf(this)), { ...this, subscribers: [...this.subscribers] });
  }

  requestInit() {
    return { method: "POST", headers: { ...this.headers, accept: "text/event-stream" } };
  }
}

const Agent = loopwireAgent(HttpAgent);
const own = { session_id: "ses_1", resume_token: "token_1" };

function made(more = {}) {
  const asked = [];
  const fetch = async (url, given) => void asked.push([url, given.headers.authorization, JSON.parse(given.body)]);
  const agent = new Agent({ url: "http://host/agui/chat", threadId: "t1", fetch, ...more });
  return { agent, asked };
}

/** A run of an agent begins. */
function begins(agent, loopwire = own) {
  agent.requestInit({});
  for (const { onRunStartedEvent } of agent.subscribers) onRunStartedEvent({ event: { metadata: { loopwire } }, agent });
}

test("the next run of a thread brings the token of the last, a stop too", () => {
  const { agent, asked } = made();
  assert.deepEqual(agent.requestInit({}).headers, { accept: "text/event-stream" });
  begins(agent);
  assert.equal(agent.requestInit({}).headers.authorization, "Bearer token_1");
  agent.abortRun();
  assert.deepEqual(asked, [["http://host/agui/chat/cancel", "Bearer token_1", { threadId: "t1" }]]);
});

test("a page that says itself who asks is believed, by a stop too", () => {
  const { agent, asked } = made({ headers: { Authorization: "Bearer lwk_1" } });
  begins(agent);
  assert.deepEqual(agent.requestInit({}).headers, { Authorization: "Bearer lwk_1", accept: "text/event-stream" });
  agent.abortRun();
  assert.deepEqual(asked, [["http://host/agui/chat/cancel", undefined, { threadId: "t1" }]]);
});

test("a stop before the run is known waits for it, and for no later one", () => {
  const { agent, asked } = made();
  agent.abortRun();
  begins(agent);
  assert.equal(asked.length, 0, "requestInit begins another run");
  const later = made();
  later.agent.requestInit({});
  later.agent.abortRun();
  for (const { onRunStartedEvent } of later.agent.subscribers) onRunStartedEvent({ event: { metadata: { loopwire: own } }, agent: later.agent });
  assert.equal(later.asked.length, 1);
});

test("a clone with another thread has a conversation of its own", () => {
  const { agent } = made();
  begins(agent);
  const clone = agent.clone();
  assert.equal(clone.credentials().authorization, "Bearer token_1");
  clone.threadId = "t2";
  assert.deepEqual(clone.credentials(), {});
  begins(clone, { session_id: "ses_2", resume_token: "token_2" });
  assert.deepEqual([agent.known, clone.known.session_id], [own, "ses_2"]);
});

test("a storage brings a thread over a reload", () => {
  const kept = new Map();
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) };
  begins(made({ storage }).agent);
  assert.deepEqual(made({ storage }).agent.known, own);
  assert.deepEqual(made({ storage, threadId: "t2" }).agent.known, {});
});
