import assert from "node:assert/strict";
import test from "node:test";
import { Outbox } from "../outbox.js";

test("a frame is kept until its ack, which resolves it once", async () => {
  const outbox = new Outbox();
  const promise = outbox.keep({ id: "a" });
  assert.equal(outbox.keep({ id: "a" }), promise);
  outbox.settle({ type: "ack", id: "a", run_id: "run_1" });
  outbox.settle({ type: "ack", id: "a", run_id: "run_2" });
  assert.equal((await promise).run_id, "run_1");
  assert.deepEqual(outbox.waiting(), []);
});

for (const [retry, told] of [[undefined, false], [false, false], [true, true]])
  test(`a refusal rejects with its code, and says whether the same may be sent again: ${retry}`, async () => {
    const outbox = new Outbox();
    const promise = outbox.keep({ id: "a" });
    outbox.settle({ type: "error", id: "a", code: "busy", message: "full", retry });
    await assert.rejects(promise, { code: "busy", message: "full", retry: told });
  });

test("a frame that may be sent again later stays in the outbox, oldest first", () => {
  const outbox = new Outbox();
  outbox.keep({ id: "a" });
  outbox.keep({ id: "b" });
  outbox.settle({ type: "error", id: "a", code: "rate_limited", retry: true, retry_after: 2 });
  assert.deepEqual(outbox.waiting(), [{ id: "a" }, { id: "b" }]);
});

test("a frame that its writer took back leaves the outbox", async () => {
  const outbox = new Outbox();
  const promise = outbox.keep({ id: "a" });
  outbox.drop("a");
  await assert.rejects(promise, { code: "taken_back" });
  assert.deepEqual(outbox.waiting(), []);
});
