// Parses every file named on the command line (as a module, else as a classic script) and looks whether the
// relative files that it imports exist. Nothing is run. `node --check` alone lets broken modules through.
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import vm from "node:vm";

function troubles(file) {
  const text = readFileSync(file, "utf8");
  try {
    const module = new vm.SourceTextModule(text, { identifier: file });
    return module.moduleRequests
      .map(({ specifier }) => specifier)
      .filter((name) => /^\.\.?\//.test(name) && !existsSync(resolve(dirname(file), name)))
      .map((name) => `${file}: imports ${name}, which is not there`);
  } catch (asModule) {
    try {
      new vm.Script(text, { filename: file });
      return [];
    } catch {
      return [`${file}: ${asModule.stack.split("\n").slice(0, 5).join("\n")}`];
    }
  }
}

const found = process.argv.slice(2).flatMap(troubles);
for (const line of found) console.error(line);
process.exitCode = found.length ? 1 : 0;
