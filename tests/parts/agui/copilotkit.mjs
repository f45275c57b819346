// CopilotKit without a page: one conversation by its core, with the client of AG-UI before 1.0 that it brings.
// The arguments are the address, what is said in turn, and after how many characters of the last answer to stop.
import { createRequire } from "node:module";

import { CopilotKitCore } from "@copilotkit/core";

// The client of AG-UI that CopilotKit depends on is not ours.
const own = createRequire(createRequire(import.meta.url).resolve("@copilotkit/core"));
const { HttpAgent } = own("@ag-ui/client");
const { z } = own("zod");

const [url, texts, stopAfter] = process.argv.slice(2);
const complaints = [];
console.warn = console.error = (...said) => complaints.push(said.map(String).join(" "));

const agent = new HttpAgent({ url, threadId: crypto.randomUUID(), agentId: "default" });
const core = new CopilotKitCore({ agents__unsafe_dev_only: { default: agent } });
const called = [];
core.addTool({
    name: "where",
    description: "Where the person is.",
    parameters: z.object({}),
    async handler() {
        called.push("where");
        return "Porto";
    },
});
const errors = [];
core.subscribe({ onError: ({ code, error }) => errors.push(`${code}: ${error?.message}`) });

let session = {};
let stopping = false;
agent.subscribe({
    onRunStartedEvent({ event }) {
        session = event.metadata.loopwire;
        agent.headers = { authorization: `Bearer ${session.resume_token}` };
    },
    onTextMessageContentEvent({ textMessageBuffer, event }) {
        if (!stopping && stopAfter && (textMessageBuffer + event.delta).length >= Number(stopAfter)) {
            stopping = true;
            const body = JSON.stringify({ type: "cancel", id: "stop" });
            const headers = { ...agent.headers, "content-type": "application/json" };
            const path = `/v1/sessions/${session.session_id}/commands`;
            fetch(new URL(path, url), { method: "POST", headers, body });
        }
    },
});

for (const content of JSON.parse(texts)) {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
    await core.runAgent({ agent });
}
const { messages, state } = agent;
process.stdout.write(JSON.stringify({ messages, state, called, errors, complaints, session }), () => process.exit(0));
