// What a page written in TypeScript does with the SDK; each line that must not compile says so.
import { type ChatRun, loopwire } from "@loopwire/client";
import { LoopwireAgent, loopwireAgent } from "@loopwire/client/ag-ui";
import { LoopwireTransport } from "@loopwire/client/ai-sdk";
import { useLoopwire } from "@loopwire/client/react";
import { HttpAgent } from "@ag-ui/client";
import type { ChatTransport, UIMessage } from "ai";

const chat = loopwire({ url: "https://loopwire.example", ticket: async (session) => ({ ticket: "t", session_id: session ?? "ses_1" }), storage: sessionStorage });
const off: () => void = chat.subscribe(() => console.log(chat.messages.at(-1)?.content, chat.run?.status, chat.agent));

const run: ChatRun = await chat.send("Hello", { id: "m1", signal: AbortSignal.timeout(1_000) });
for await (const part of run) {
    if (part.type === "text") console.log(part.delta.length, part.agent);
    else if (part.type === "tool") console.log(part.status === "done" ? part.result : part.progress);
    else if (part.type === "ask") {
        const answer = await chat.answer(part.id, { approved: true });
        if (!("lost" in answer)) await answer.done;
    }
}
const { status, outcome, usage } = await run.done;
console.log(status === "unknown", outcome?.interrupts?.[0]?.id, usage?.[0]?.model);
chat.tool("page_title", { description: "", parameters: {} }, ({ name }) => name);
for await (const page of chat.history()) console.log(page.length);
await chat.send([{ type: "text", text: "this" }, await chat.upload(new Blob([]), { onProgress: (part) => console.log(part.toFixed()) })]);
// @ts-expect-error a thumb is up or down
await chat.feedback("msg_1", "sideways");
// @ts-expect-error nothing that is shown may be changed
chat.messages.push();
chat.close();
off();

export function Page() {
    const { messages, send, connection } = useLoopwire(chat);
    return [messages.length, send, connection.next];
}

const agent: HttpAgent = new LoopwireAgent({ url: "/agui/chat", threadId: "t", storage: sessionStorage });
const Other = loopwireAgent(HttpAgent);
console.log(agent.threadId, new Other({ url: "/agui/chat" }).known.session_id);

const transport: ChatTransport<UIMessage> = new LoopwireTransport(chat);
const messages: UIMessage[] = await new LoopwireTransport(chat).load();
console.log(transport.close, messages.length, (await chat.follow())?.id);
