import assert from "node:assert";
import test from "node:test";
import { spokenText } from "../../../web/static/js/spoken_text.js";

const SPOKEN = {
  "**Olá** e _bom_ dia, ~~não~~ sim": "Olá e bom dia, não sim",
  "Texto[^1] e outro[^nota-2].": "Texto e outro.",
  "[^1]: A nota.": "A nota.",
  "Em [^a-z] e [^1]+ fica.": "Em [^a-z] e [^1]+ fica.",
  "2 \\* 3 e \\_nome\\_ e \\[x\\]": "2 * 3 e _nome_ e [x]",
  "C:\\nova e \\\\": "C:\\nova e \\",
  "Veja ![uma câmara](https://a.pt/b.png).": "Veja uma câmara.",
  "Veja ![](https://a.pt/b.png)isto.": "Veja isto.",
  "Em <https://a.pt/b_c_d> ou <eu@a.pt>.": "Em https://a.pt/b_c_d ou eu@a.pt.",
  'O [**guia** de uso](https://a.pt/A_(b) "Guia") ajuda.': "O guia de uso ajuda.",
  "[![alt](a.png)](https://a.pt)": "alt",
  "O código `*args` e `` a`b `` fica.": "O código *args e a`b fica.",
  "a < b e 2 * 3 e v[i] e f(x)": "a < b e 2 * 3 e v[i] e f(x)",
  "## Título\n- [x] feito\n> dito\n| a | b |\n|---|---|": "Título\nfeito\ndito\n a b \n",
};

for (const [text, spoken] of Object.entries(SPOKEN))
  test(`what is heard of ${JSON.stringify(text)}`, () => assert.equal(spokenText(text), spoken));

test("a long text of open brackets is read at once", () => {
  for (const each of ["[", "![", "`", "[(", "[\\", "<a", "[^", "(", "[a](", "[a]((", "[a](b \"", "`a ``", "[![a](", "*", "x[^a", "a@", "<a@"]) {
    const began = performance.now();
    spokenText(each.repeat(5_000));
    assert.ok(performance.now() - began < 2_000, each);
  }
});
