import assert from "node:assert/strict";
import test from "node:test";
import { FIRST_MS, LONGEST_MS, afterClose, delay } from "../backoff.js";

test("pauses double up to the longest, half of each by chance", () => {
  for (let attempt = 0; attempt < 12; attempt++) {
    const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
    assert.equal(delay(attempt, () => 0), full / 2);
    assert.equal(delay(attempt, () => 1), full);
  }
});

test("each close code asks for what the protocol says", () => {
  const table = {
    1000: "stop", 1001: "resume", 1006: "resume", 1008: "resume", 1011: "resume", 1012: "resume", 1013: "later",
    4000: "resume", 4400: "stop", 4401: "ticket", 4403: "stop", 4404: "session", 4408: "resume",
    4409: "stop", 4410: "reload", 4429: "later",
  };
  for (const [code, next] of Object.entries(table)) assert.equal(afterClose(Number(code)), next, code);
});
