import assert from "node:assert";
import test from "node:test";
import { PAPERS, contrast, shades } from "../../../web/static/js/accent.js";

const WHITE = [255, 255, 255];
const LEVELS = [0, 51, 102, 153, 204, 255];
const COLOURS = LEVELS.flatMap((red) => LEVELS.flatMap((green) => LEVELS.map((blue) => [red, green, blue])));

test("contrast is counted as WCAG does", () => {
  assert.equal(contrast([0, 0, 0], WHITE), 21);
  assert.equal(contrast(WHITE, WHITE), 1);
  assert.equal(contrast([118, 118, 118], WHITE).toFixed(2), "4.54");
});

test("whatever accent a site has, all that is drawn with it can be read", () => {
  for (const [name, paper] of Object.entries(PAPERS))
    for (const wished of COLOURS) {
      const { accent, soft, "on-accent": ink } = shades(wished, paper);
      for (const behind of [paper.bg, soft]) assert.ok(contrast(accent, behind) >= 4.5, `${name} ${wished}`);
      assert.ok(contrast(accent, ink) >= 4.5, `${name} ${wished}: on the accent`);
    }
});

test("an accent that can be read stays as it is", () => {
  assert.deepEqual(shades([31, 95, 70], PAPERS.light).accent, [31, 95, 70]);
});
