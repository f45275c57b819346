// Runs each example of the README with a server, as its page and its server would, and tells what came of them as JSON.
import { readFileSync } from "node:fs";

const [url, origin] = process.argv.slice(2);
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const AsyncFunction = (async () => {}).constructor;

/** An example as a function of what its page has beside it; `given` names what it leaves behind. */
function example(code, names, given) {
  const here = code
    .replace(/import (\{.*\}) from "@loopwire\/client";.*/, `const $1 = await import("${new URL("../index.js", import.meta.url)}");`)
    .replaceAll("https://loopwire.example", url)
    .replaceAll("wss://loopwire.example", url.replace("http", "ws"))
    .replaceAll("https://shop.example", origin);
  return new AsyncFunction("loopwire", ...names, `{ ${here}; return { ${given} }; }`);
}

class OfShop extends WebSocket {
  constructor(address, protocols) {
    super(address, { protocols, headers: { origin } });
  }
}

const { loopwire } = await import("../index.js");
const [first, ticket, server, below] = [...readme.matchAll(/```js\n([^]+?)```/g)].map(([, code]) => code);
const told = {};

{
  const [texts, shown] = [[], []];
  const names = ["render", "write"];
  const run = example(first, names, "chat, status, outcome, usage");
  const { chat, ...end } = await run(null, (messages) => shown.push(messages.length), (delta) => texts.push(delta));
  Object.assign(told, { text: texts.join(""), shown: shown.at(-1), end });
  told.messages = chat.messages.length;
  chat.close();
}

const { ticketFor } = await example(server, [], "ticketFor")();
const visitor = {};
const ask = async (session) => {
  const own = globalThis.WebSocket;
  globalThis.WebSocket = OfShop;
  const given = await ticketFor(visitor, session);
  setImmediate(() => (globalThis.WebSocket = own));
  return given;
};
const kept = new Map();
const sessionStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) };

/** The page's server answers what the page asks it. */
async function pageFetch(path, { body }) {
  if (path !== "/ticket") throw new Error(path);
  return Response.json(await ask(JSON.parse(body).session));
}

{
  const open = example(ticket, ["fetch", "sessionStorage"], "chat");
  const { chat } = await open(loopwire, pageFetch, sessionStorage);
  await (await chat.send("Polly Magic")).done;
  chat.close();
  const again = (await open(loopwire, pageFetch, sessionStorage)).chat;
  await new Promise((resolve) => again.subscribe(() => again.run && resolve()));
  told.reloaded = [again.client.session === chat.client.session, again.messages[0].content];
  again.close();
}

{
  const drawn = [];
  const { client, conversation } = await example(below, ["askYourServer", "draw"], "client, conversation")(null, ask, (messages) => drawn.push(messages));
  await new Promise((resolve) => conversation.addEventListener("change", () => conversation.run?.status === "finished" && resolve()));
  told.below = drawn.at(-1)[0].content;
  client.close();
}

console.log(JSON.stringify(told));
