import assert from "node:assert/strict";
import test from "node:test";
import { Position } from "../position.js";

const at = (seq, epoch = "1.1") => Object.assign(new Position(), { seq, epoch });

test("a client without a position can apply nothing", () => {
  assert.equal(new Position().judge({ seq: 1 }), "hole");
});

test("the next frame applies, an old one is dropped, one too far shows a hole", () => {
  assert.equal(at(4).judge({ seq: 5 }), "apply");
  assert.equal(at(4).judge({ seq: 4 }), "drop");
  assert.equal(at(4).judge({ seq: 1 }), "drop");
  assert.equal(at(4).judge({ seq: 6 }), "hole");
});

test("a merged frame applies when it begins where the client stands or before", () => {
  assert.equal(at(4).judge({ seq: 9, from: 5 }), "apply");
  assert.equal(at(4).judge({ seq: 9, from: 3 }), "apply");
  assert.equal(at(4).judge({ seq: 9, from: 6 }), "hole");
});

test("passing a frame takes over its number, and its epoch when it names one", () => {
  const position = at(4);
  position.pass({ seq: 5 });
  assert.deepEqual({ ...position }, { seq: 5, epoch: "1.1" });
  position.pass({ seq: 6, epoch: "1.2" });
  assert.deepEqual({ ...position }, { seq: 6, epoch: "1.2" });
});
