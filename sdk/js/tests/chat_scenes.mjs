// Plays a scene with a server by the chat, as a page of its own origin does, and tells what came of it as JSON.
import { loopwire } from "../index.js";

const [url, scene] = process.argv.slice(2);
let cookie = "";

/** The fetch of a page of the server's own origin: it has the visitor's cookie. */
async function ownFetch(address, given = {}) {
  const answer = await fetch(address, { ...given, headers: { ...given.headers, cookie } });
  const [line] = answer.headers.getSetCookie();
  cookie ||= line?.split(";")[0] ?? "";
  return answer;
}

class Memory {
  getItem = () => this.kept ?? null;
  setItem = (_, text) => (this.kept = text);
}

class Nowhere {
  constructor() {
    throw new Error("no socket gets through");
  }
}

const opened = (more = {}) => loopwire({ url, service: "submission", language: "en", fetch: ownFetch, ...more });
const until = (chat, condition) =>
  new Promise((resolve) => {
    const look = () => condition(chat) && resolve(off());
    const off = chat.subscribe(look);
    look();
  });

async function partsOf(run) {
  const parts = [];
  for await (const part of run) parts.push(part);
  return parts;
}

/** What each text came to, part by part. */
function textsOf(parts) {
  const texts = new Map();
  for (const { type, id, delta } of parts)
    if (type === "text") texts.set(id, (texts.get(id) ?? "") + delta);
    else if (type === "retract") texts.delete(id);
  return [...texts.values()];
}

async function storedTexts(chat) {
  const answer = await ownFetch(`${url}/v1/sessions/${chat.client.session}/messages?limit=100`);
  const { messages } = await answer.json();
  return messages.filter(({ role, content }) => role === "assistant" && content).map(({ content }) => content);
}

const scenes = {
  async parts() {
    const chat = opened();
    const run = await chat.send("Polly Magic");
    const parts = await partsOf(run);
    const told = { texts: textsOf(parts), stored: await storedTexts(chat), parts, end: await run.done };
    chat.close();
    return told;
  },

  async cuts() {
    let cuts = 0;
    const Cutting = class extends WebSocket {
      heard = 0;
      set onmessage(heard) {
        super.onmessage = heard && ((event) => (heard(event), (this.heard += 1) === 4 && (cuts += 1, this.close())));
      }
    };
    const chat = opened({ WebSocket: Cutting });
    const parts = [];
    for (const text of ["Polly Magic", "yes"]) parts.push(...(await partsOf(await chat.send(text))));
    const told = { texts: textsOf(parts), stored: await storedTexts(chat), cuts };
    chat.close();
    return told;
  },

  async leaving() {
    const chat = opened();
    const run = await chat.send("Polly Magic");
    const waiting = chat.send("yes").catch(({ code }) => code);
    let heard = 0;
    for await (const _ of run) if ((heard += 1) === 1) chat.close();
    return { heard, status: (await run.done).status, waiting: (await waiting).id ?? (await waiting) };
  },

  async tabs() {
    const first = opened();
    const [run, queued] = await Promise.all(["Polly Magic", "yes"].map((text) => first.send(text)));
    const stopping = queued.stop();
    const second = opened({ session: first.client.session });
    await stopping;
    const end = await queued.done;
    await run.done;
    await until(second, (chat) => chat.run?.id === queued.id && chat.run.status === "finished");
    const told = { first: first.messages, second: second.messages, end };
    first.close();
    second.close();
    return told;
  },

  async queue() {
    const storage = new Memory();
    const texts = Array.from({ length: 11 }, (_, at) => `Polly Magic ${at}`);
    const offline = opened({ storage, ticket: () => new Promise(() => {}) });
    for (const text of texts) offline.send(text).catch(() => {});
    await until(offline, ({ messages }) => messages.length === texts.length);
    offline.close();
    const chat = opened({ storage });
    const said = ({ messages }) => messages.filter(({ role, metadata }) => role === "user" && !metadata.loopwire.pending);
    await until(chat, (shown) => said(shown).length === texts.length && shown.run.status === "finished");
    const kept = JSON.parse(storage.kept);
    chat.close();
    const newcomer = opened({ storage });
    await until(newcomer, ({ run }) => run);
    const [recent, pages] = [newcomer.messages.length, []];
    for await (const page of newcomer.history()) pages.push(...page);
    const told = { said: said(newcomer).map(({ content }) => content), texts, kept, recent, pages: pages.length, all: newcomer.messages.length };
    newcomer.close();
    return told;
  },

  async picture() {
    const chat = opened({ WebSocket: Nowhere });
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");
    const part = await chat.upload(new Blob([png], { type: "image/png" }));
    const run = await chat.send([{ type: "text", text: "This one" }, part]);
    await run.done;
    const told = { transport: chat.client.transport, blob: part.blob_id, sent: chat.messages[0].metadata.loopwire.content };
    chat.close();
    return told;
  },
};

console.log(JSON.stringify(await scenes[scene]()));
