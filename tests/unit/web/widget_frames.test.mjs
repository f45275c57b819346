import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

const FILE = new URL("../../../web/static/widget/frames.js", import.meta.url);

/** The module in a folder of its own, since it keeps what it was told, and what makes a frame that answers as `answer` says. */
async function begun(t) {
  const folder = mkdtempSync(join(tmpdir(), "widget-"));
  t.after(() => rmSync(folder, { recursive: true }));
  copyFileSync(FILE, join(folder, "frames.js"));
  const frames = await import(join(folder, "frames.js"));
  const addFrame = (answer = () => ({})) => {
    const heard = [];
    const port = { postMessage: (message) => take(structuredClone(message)) };
    const take = ({ params: { id, ...given } }) => {
      heard.push(given);
      const answered = answer(given);
      if (answered) setImmediate(() => frames.settle({ id, ...answered }));
    };
    frames.add({}, port);
    return heard;
  };
  return { ...frames, addFrame };
}

const context = (value) => ["context", "loopwire/context", { context: value }];
const refusing = ({ context: { bad } }) => (bad ? { error: { code: "bad_frame", message: "No." } } : {});

test("a value that cannot be sent is refused, and later frames are told the rest", async (t) => {
  const { addFrame, say } = await begun(t);
  addFrame();
  await say(...context({ good: 1 }));
  assert.throws(() => say(...context({ act() {} })), { name: "DataCloneError" });
  assert.throws(() => say("tool", "loopwire/tool", { description() {} }), { name: "DataCloneError" });
  await say("identify", "loopwire/identify", { token: "ana" });
  assert.deepEqual(addFrame(), [{ context: { good: 1 } }, { token: "ana" }]);
});

test("what is refused does not replace for later frames what was accepted before", async (t) => {
  const { addFrame, say } = await begun(t);
  addFrame(refusing);
  await say(...context({ good: 1 }));
  await assert.rejects(say(...context({ bad: 1 })), { code: "bad_frame" });
  await Promise.allSettled([say(...context({ bad: 2 })), say(...context({ bad: 3 }))]);
  assert.deepEqual(addFrame(), [{ context: { good: 1 } }]);
  await Promise.allSettled([say(...context({ good: 2 })), say(...context({ bad: 4 }))]);
  assert.deepEqual(addFrame(), [{ context: { good: 2 } }]);
});

test("what was refused and follows nothing is told to no later frame", async (t) => {
  const { addFrame, say } = await begun(t);
  addFrame(refusing);
  await assert.rejects(say(...context({ bad: 1 })), { code: "bad_frame" });
  assert.deepEqual(addFrame(), []);
});

test("what waits for its answer is told to a frame that comes meanwhile", async (t) => {
  const { addFrame, say } = await begun(t);
  addFrame(() => null);
  say(...context({ good: 1 }));
  say(...context({ good: 2 }));
  assert.deepEqual(addFrame(), [{ context: { good: 2 } }]);
});
