// Says what its argument names to a server, as a page does, and tells what it saw, what a newcomer sees and what is stored.
import { Conversation, LoopwireClient } from "../index.js";

const { server, texts, streams } = JSON.parse(process.argv[2]);
let cookie = "";

class Nowhere {
  constructor() {
    throw new Error("no socket gets through");
  }
}

async function asked(path, options = {}) {
  const response = await fetch(server + path, { ...options, headers: { ...options.headers, cookie } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const [given] = response.headers.getSetCookie();
  cookie ||= given?.split(";")[0] ?? "";
  return response.json();
}

function ticket(session) {
  const body = JSON.stringify(session ? { session_id: session } : { service: "submission", language: "en" });
  return asked("/v1/tickets", { method: "POST", headers: { "content-type": "application/json" }, body });
}

/** A client and its conversation, of which a test may wait for anything. */
function joined(session) {
  const url = `${server.replace("http", "ws")}/ws`;
  const client = new LoopwireClient({ url, ticket, session, WebSocket: streams ? Nowhere : WebSocket });
  const conversation = new Conversation(client);
  const until = (condition) =>
    new Promise((resolve) => {
      const look = () => condition(conversation) && resolve();
      conversation.addEventListener("change", look);
      look();
    });
  client.connect();
  return { client, conversation, until };
}

const { client, conversation, until } = joined(null);
const ended = (run_id) => ({ run }) => run?.id === run_id && run.status !== "running";
for (const text of texts) await until(ended((await client.message(text)).run_id));
const newcomer = joined(client.session);
await newcomer.until(({ run }) => run?.id === conversation.run.id);
const stored = await asked(`/v1/sessions/${client.session}/messages?limit=100`);
console.log(JSON.stringify({
  transport: client.transport,
  live: conversation.messages,
  joined: newcomer.conversation.messages,
  states: [conversation.state, newcomer.conversation.state],
  stored: stored.messages,
}));
client.close();
newcomer.client.close();
