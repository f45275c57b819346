import assert from "node:assert/strict";
import test from "node:test";
import { PatchError, patched } from "../patch.js";

const DOCUMENT = { item: { brand: "Tess", years: [2019, 2021] }, none: null };
const tested = (value, path = "/item") => patched(DOCUMENT, [{ op: "test", path, value }]);

test("a test holds for what is equal, in whatever order its names stand", () => {
  assert.equal(tested({ years: [2019, 2021], brand: "Tess" }), DOCUMENT);
});

for (const other of [
  { brand: "Tess", years: [2021, 2019] },
  { brand: "Other", years: [2019, 2021] },
  { brand: "Tess", years: [2019] },
  { brand: "Tess", years: { 0: 2019, 1: 2021 } },
  { brand: "Tess", made: [2019, 2021] },
  { brand: "Tess" },
  null,
])
  test(`a test does not hold for ${JSON.stringify(other)}`, () => {
    assert.throws(() => tested(other), PatchError);
  });

for (const [document, operations, expected] of [
  [{}, [], {}],
  [{ a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
  [{ a: 1 }, [{ op: "add", path: "", value: [3] }], [3]],
  [{ a: [1, 3] }, [{ op: "add", path: "/a/1", value: 2 }], { a: [1, 2, 3] }],
  [{ a: [1] }, [{ op: "add", path: "/a/-", value: 2 }], { a: [1, 2] }],
  [{ a: [1] }, [{ op: "add", path: "/a/1", value: 2 }], { a: [1, 2] }],
  [{ a: [1] }, [{ op: "add", path: "/a/0", value: 2 }], { a: [2, 1] }],
  [{ a: { b: [{ c: 1 }] } }, [{ op: "replace", path: "/a/b/0/c", value: 2 }], { a: { b: [{ c: 2 }] } }],
  [{ a: { b: 1, c: 2 } }, [{ op: "add", path: "/a/b", value: 3 }], { a: { b: 3, c: 2 } }],
  [{ a: 1 }, [{ op: "replace", path: "", value: 2 }], 2],
  [[1, 2], [{ op: "replace", path: "/0", value: 9 }], [9, 2]],
  [{ a: 1, b: 2 }, [{ op: "remove", path: "/a" }], { b: 2 }],
  [[1, 2, 3], [{ op: "remove", path: "/0" }], [2, 3]],
  [[1, 2], [{ op: "remove", path: "" }], null],
  [{ a: { x: 1 } }, [{ op: "move", from: "/a/x", path: "/y" }], { a: {}, y: 1 }],
  [{ a: 1, ab: 2 }, [{ op: "move", from: "/a", path: "/ab" }], { ab: 1 }],
  [{ a: { x: 1 } }, [{ op: "copy", from: "/a", path: "/b" }], { a: { x: 1 }, b: { x: 1 } }],
  [{ "a/b": 1, "m~n": 2 }, [{ op: "remove", path: "/a~1b" }, { op: "remove", path: "/m~0n" }], {}],
  [{ "": 1 }, [{ op: "replace", path: "/", value: 2 }], { "": 2 }],
  [{ a: [1] }, [{ op: "test", path: "/a/0", value: 1 }], { a: [1] }],
  [Array(11).fill(1), [{ op: "replace", path: "/10", value: 2 }], [...Array(10).fill(1), 2]],
])
  test(`operations apply without touching the document: ${JSON.stringify(operations)} on ${JSON.stringify(document)}`, () => {
    const before = structuredClone(document);
    assert.deepEqual(patched(document, operations), expected);
    assert.deepEqual(document, before);
  });

for (const [document, operation] of [
  [{}, { op: "replace", path: "/a", value: 1 }],
  [{ a: 1 }, { op: "replace", path: "/a" }],
  [{}, { op: "remove", path: "/a" }],
  [{}, { op: "add", path: "/a/b", value: 1 }],
  [{}, { op: "add", path: "a", value: 1 }],
  [{}, { op: "add", value: 1 }],
  [{}, { op: "add", path: "/a" }],
  [{}, { op: "twist", path: "/a" }],
  [{}, { op: "constructor", path: "/a" }],
  [{}, { path: "/a" }],
  [{ a: 1 }, { op: "add", path: "/a/b", value: 1 }],
  [{ a: null }, { op: "add", path: "/a/b", value: 1 }],
  [[], { op: "add", path: "/1", value: 1 }],
  [[1], { op: "remove", path: "/1" }],
  [[1], { op: "remove", path: "/-" }],
  [[1], { op: "replace", path: "/01", value: 1 }],
  [{ a: 1 }, { op: "copy", from: "/a/b", path: "/c" }],
  [{ a: {} }, { op: "copy", from: "/a/toString", path: "/c" }],
  [{ a: {} }, { op: "move", from: "/a", path: "/a/b" }],
  [{ a: 1 }, { op: "test", path: "/a", value: 2 }],
  [[[1]], { op: "remove", path: "/x/0" }],
])
  test(`an operation that does not fit is refused: ${JSON.stringify(operation)} on ${JSON.stringify(document)}`, () => {
    assert.throws(() => patched(document, [operation]), PatchError);
  });
