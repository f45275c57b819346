// Lets the bearer of a user end, hands in the next token, lets that end too and signs out; tells what came of it as JSON.
import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { loopwire } from "../index.js";

const [url, secret] = process.argv.slice(2);
let bearer;

function signed(user, seconds) {
  const now = Math.floor(Date.now() / 1000);
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256" })}.${part({ aud: "demo", sub: user, iat: now - 60, exp: now + seconds, jti: randomUUID() })}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

async function noting(address, given) {
  const response = await fetch(address, given);
  if (address.endsWith("/v1/identify")) bearer = (await response.clone().json()).token;
  return response;
}

/** Wait until the bearer has ended, by its own claim, and see that the server refuses it. */
async function bearerEnds() {
  const { exp } = JSON.parse(Buffer.from(bearer.split(".")[1], "base64url"));
  while (Date.now() < 1_000 * exp) await wait(20);
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const { status } = await fetch(`${url}/v1/tickets`, { method: "POST", headers, body: "{}" });
  if (status !== 401) throw new Error(`The bearer has not ended: ${status}.`);
}

const chat = loopwire({ url, app: "demo", service: "chat", language: "en", fetch: noting });
await (await chat.send("hello there")).done;
const session = chat.client.session;
await chat.identify(signed("sofia", -27));
await bearerEnds();
const again = await chat.identify(signed("sofia", 600));
const { status } = await (await chat.send("still here?")).done;
await chat.identify(signed("sofia", -27));
await bearerEnds();
const out = await chat.identify(null);
await (await chat.send("hello from nobody")).done;
const nobody = chat.client.session;

// A computer that sleeps: the time of the renewal passes, and the connection is made anew after the end of the bearer.
const later = globalThis.setTimeout;
globalThis.setTimeout = (act, ms, ...given) => ([1_000, 1_500].includes(ms) ? undefined : later(act, ms, ...given));
let asked = 0;
await chat.identify(() => signed("tomas", (asked += 1) > 1 ? 600 : -27));
await (await chat.send("good night")).done;
const mine = chat.client.session;
await bearerEnds();
chat.client.renew(mine);
const woken = await (await chat.send("good morning")).done;
console.log(JSON.stringify({ session, again, end: status, out, nobody, asked, woken: woken.status, same: mine === chat.client.session }));
chat.close();
