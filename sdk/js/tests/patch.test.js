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
