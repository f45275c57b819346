// Says who talks in the middle of an answer, refreshes, becomes somebody else and signs out; tells what came of it as JSON.
import { createHmac, randomUUID } from "node:crypto";
import { loopwire } from "../index.js";

const [url, secret] = process.argv.slice(2);

function signed(user, seconds = 600) {
  const now = Math.floor(Date.now() / 1000);
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256" })}.${part({ aud: "demo", sub: user, iat: now - 60, exp: now + seconds, jti: randomUUID() })}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

const until = (chat, condition) =>
  new Promise((resolve) => {
    const look = () => condition(chat) && resolve(off());
    const off = chat.subscribe(look);
    look();
  });
const words = (chat) => chat.messages.filter(({ role, content }) => role === "assistant" && content).map(({ content }) => content);

const chat = loopwire({ url, app: "demo", service: "chat", language: "en" });
const run = await chat.send("hello there, who are you?");
let parts = "";
for await (const part of run) {
  if (part.type === "text") parts += part.delta;
  if (parts.length > 10) break;
}
const session = chat.client.session;
const [identified, next] = await Promise.all([chat.identify(signed("ana")), chat.send("and what can you do?")]);
await (await next).done;
const end = await run.done;
const told = { session, identified, end: end.status, texts: words(chat), same: chat.client.session === session };

// A token that ends in three seconds, by the leeway of clocks: it is asked for again before.
let asked = 0;
const again = new Promise((resolve) => {
  chat.identify(() => (asked++, asked > 1 && resolve(), signed("ana", asked > 1 ? 600 : -27)));
});
await again;
await (await chat.send("still here?")).done;
told.refreshed = chat.client.session === session;

told.wrong = await chat.identify("no token").catch(({ code }) => code);
told.switched = await chat.identify(signed("eva"));
await until(chat, ({ connection }) => connection.state === "open");
await (await chat.send("hello from eva")).done;
told.eva = { session: chat.client.session, mine: chat.messages.filter(({ role }) => role === "user").map(({ content }) => content) };
told.back = await chat.identify(signed("ana"));
await until(chat, ({ messages }) => messages.length > 2);
told.restored = words(chat).slice(0, 1);
told.out = await chat.identify(null);
told.left = chat.messages.length;
await (await chat.send("hello from nobody")).done;
told.nobody = chat.client.session;
chat.close();
console.log(JSON.stringify(told));
