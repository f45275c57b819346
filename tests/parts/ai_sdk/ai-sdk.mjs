// AI SDK's useChat in a React tree that nobody sees, on a chat of Loopwire.
import { useChat } from "@ai-sdk/react";
import { setTimeout } from "node:timers/promises";
import { createElement } from "react";
import TestRenderer from "react-test-renderer";

import { loopwire } from "../../../sdk/js/index.js";
import { LoopwireTransport } from "../../../sdk/js/ai-sdk.js";

const kept = new Map();
const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) };
let cookie = "";
let opened;

/** The server of a page of another site, which keeps the visitor's cookie. */
async function ticketBy(url, service, session_id) {
    const headers = { "content-type": "application/json", ...(cookie && { cookie }) };
    const body = JSON.stringify(session_id ? { session_id } : { service });
    const answer = await fetch(`${url}/v1/tickets`, { method: "POST", headers, body });
    cookie ||= answer.headers.getSetCookie()[0].split(";")[0];
    return answer.json();
}

/** Render without a document. The renderer says that it is deprecated, which is no complaint of the AI SDK's. */
function render(element) {
    const { error } = console;
    console.error = () => {};
    const tree = TestRenderer.create(element);
    console.error = error;
    return tree;
}

export async function open({ url, jar, tool, reload, beside }) {
    if (!beside) opened?.leave();
    const [, base, service] = url.match(/(.*)\/agui\/(.*)/);
    const ticket = jar ? undefined : (session) => ticketBy(base, service, session);
    const chat = loopwire({ url: base, service, ticket, storage, fetch: (...asked) => fetch(...asked) });
    const called = [];
    if (tool) chat.tool(tool.declared.name, tool.declared, () => (called.push(tool.declared.name), tool.gives));
    const transport = new LoopwireTransport(chat);
    const messages = reload ? await transport.load() : [];
    let shown;
    function Page() {
        shown = useChat({ transport, messages, resume: Boolean(reload), onError: (error) => console.error(error) });
        return null;
    }
    let tree;
    await new Promise((resolve) => {
        tree = render(createElement(Page));
        setImmediate(resolve);
    });
    // On a busy machine React draws later than the next turn of the loop.
    while (!shown) await setTimeout(20);
    opened = { leave: () => (tree.unmount(), chat.close()) };
    const contentOf = ({ role, parts }) => ({ role, content: parts });
    return {
        say: (text) => shown.sendMessage({ text }),
        /** The button of a page is there while an answer comes: a tab that has just been opened follows it a moment later. */
        async stop() {
            while (shown.status !== "streaming") await setTimeout(20);
            await shown.stop();
        },
        shows: () => ({
            messages: shown.messages.map(contentOf),
            blocks: shown.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "data-block").map(({ data }) => ({ content: data }))),
            state: chat.state,
            session: chat.client.session,
            called,
        }),
    };
}
