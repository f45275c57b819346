import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

const WIDGET = new URL("../../../web/static/widget/", import.meta.url);

/** The modules of the widget in a folder of their own, since each keeps what it was told. */
async function modules(t) {
  const folder = mkdtempSync(join(tmpdir(), "widget-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ["frames.js", "identity.js"]) copyFileSync(new URL(name, WIDGET), join(folder, name));
  return Promise.all(["frames.js", "identity.js"].map((name) => import(join(folder, name))));
}

/** A page, whose clock is the test's, with one frame that answers as `made.answer` says. */
async function begun(t) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const page = new EventTarget();
  const answer = () => ({ user: "ana", expires_in: 600 });
  const report = t.mock.fn();
  const errors = report.mock;
  globalThis.Loopwire = { report };
  for (const name of ["addEventListener", "removeEventListener"]) globalThis[name] = page[name].bind(page);
  globalThis.document = new EventTarget();
  const [{ add, forget, remove, settle }, { begin, forgetUser, identify, pause, replace }] = await modules(t);
  const made = { tokens: [], page, errors, identify, replace, answer };
  let host;
  made.show = () => {
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = ({ data: { params } }) => {
      made.tokens.push(params.token);
      const told = made.answer();
      if (told) port2.postMessage({ id: params.id, ...told });
    };
    port1.onmessage = ({ data }) => settle(data);
    t.after(() => port1.close());
    host = {};
    if (add(host, port1) === 1) begin();
  };
  made.destroy = () => remove(host) || pause();
  made.forget = () => (forget(), forgetUser());
  made.show();
  return made;
}

/** Wait until the frame got so many tokens, and the page its answer to the last. */
async function until(made, count) {
  while (made.tokens.length < count) await new Promise(setImmediate);
  for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
  assert.equal(made.tokens.length, count);
}

const numbered = () => {
  let count = 0;
  return async () => `token ${(count += 1)}`;
};

test("the next token is requested a minute before the end of the last one", async (t) => {
  const made = await begun(t);
  assert.deepEqual(await made.identify(numbered()), { user: "ana" });
  for (const count of [1, 2]) {
    for (let passed = 30; passed < 540; passed += 30) t.mock.timers.tick(30_000);
    t.mock.timers.tick(29_999);
    await until(made, count);
    t.mock.timers.tick(1);
    await until(made, count + 1);
  }
});

for (const [target, event] of [["page", "online"], ["document", "visibilitychange"]])
  test(`a computer that slept past the time requests it at once, told by ${event}`, async (t) => {
    const made = await begun(t);
    await made.identify(numbered());
    t.mock.timers.setTime(539_000);
    (made[target] ?? document).dispatchEvent(new Event(event));
    await until(made, 1);
    t.mock.timers.setTime(4_000_000);
    (made[target] ?? document).dispatchEvent(new Event(event));
    (made[target] ?? document).dispatchEvent(new Event(event));
    await until(made, 2);
  });

test("a request that fails is tried again every 30 s, and the page is told", async (t) => {
  const made = await begun(t);
  await made.identify(numbered());
  made.answer = () => ({ error: { code: "unavailable", message: "No." } });
  for (let passed = 0; passed < 540; passed += 30) t.mock.timers.tick(30_000);
  await until(made, 2);
  t.mock.timers.tick(30_000);
  await until(made, 3);
  assert.equal(made.errors.callCount(), 2);
  made.answer = () => ({ user: "ana", expires_in: 600 });
  t.mock.timers.tick(30_000);
  await until(made, 4);
  t.mock.timers.tick(30_000);
  await until(made, 4);
});

test("a frame whose bearer is refused gets the next token, at once but not over and over", async (t) => {
  const made = await begun(t);
  await made.identify(numbered());
  t.mock.timers.tick(30_000);
  made.replace();
  await until(made, 2);
  made.replace();
  made.replace();
  await until(made, 2);
  t.mock.timers.tick(30_000);
  await until(made, 3);
});

test("a page that gave a token and no function is asked for nothing", async (t) => {
  const made = await begun(t);
  await made.identify("token");
  t.mock.timers.tick(600_000);
  made.replace();
  await until(made, 1);
});

test("the user who was named last is not replaced by a token that comes later", async (t) => {
  const made = await begun(t);
  let give;
  const first = made.identify(() => new Promise((resolve) => (give = resolve)));
  made.answer = () => ({ user: "eva", expires_in: 600 });
  const second = made.identify("eva");
  await second;
  give("ana");
  assert.deepEqual([await first, made.tokens], [{ user: "eva" }, ["eva"]]);
});

test("another token that is refused leaves the user, whose function is called again", async (t) => {
  const made = await begun(t);
  await made.identify(numbered());
  made.answer = () => ({ error: { code: "identity_malformed", message: "No." } });
  await assert.rejects(made.identify("no token"), { code: "identity_malformed" });
  made.answer = () => ({ user: "ana", expires_in: 600 });
  t.mock.timers.tick(30_000);
  await until(made, 3);
  assert.deepEqual(made.tokens, ["token 1", "no token", "token 2"]);
});

test("a page without a chat is asked for nothing, and what it waits for is over", async (t) => {
  const made = await begun(t);
  let asked = 0;
  await made.identify(async () => `token ${(asked += 1)}`);
  made.answer = () => null;
  const waiting = made.identify("another");
  await until(made, 2);
  made.destroy();
  assert.deepEqual(await waiting, {});
  t.mock.timers.tick(4_000_000);
  made.page.dispatchEvent(new Event("online"));
  document.dispatchEvent(new Event("visibilitychange"));
  await until(made, 2);
  assert.equal(asked, 1);
});

test("a token that comes after the last chat has gone is for nobody", async (t) => {
  const made = await begun(t);
  let give;
  const naming = made.identify(() => new Promise((resolve) => (give = resolve)));
  made.destroy();
  give("late");
  assert.deepEqual([await naming, made.tokens], [{}, []]);
});

test("the next chat of the page gets a new token, unless the page has ended its chats", async (t) => {
  const made = await begun(t);
  await made.identify(numbered());
  made.destroy();
  made.show();
  await until(made, 3);
  assert.deepEqual(made.tokens, ["token 1", "token 1", "token 2"]);
  made.destroy();
  made.forget();
  made.show();
  await until(made, 3);
  t.mock.timers.tick(4_000_000);
  await until(made, 3);
});
