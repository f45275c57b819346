// assistant-ui without a page: its runtime of AG-UI in a React tree that nobody sees.
import { createRequire } from "node:module";

import { AssistantRuntimeProvider, makeAssistantTool } from "@assistant-ui/react";
import { useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import { createElement, useEffect } from "react";
import TestRenderer from "react-test-renderer";

import { loopwireAgent } from "./agent.mjs";

// The client of AG-UI that assistant-ui depends on.
const its = createRequire(createRequire(import.meta.url).resolve("@assistant-ui/react-ag-ui"));
const Agent = loopwireAgent(its("@ag-ui/client").HttpAgent);

/** Render without a document. The renderer says that it is deprecated, which is no complaint of assistant-ui's. */
function render(element) {
    const { error } = console;
    console.error = () => {};
    TestRenderer.create(element);
    console.error = error;
}

export async function open({ tool, reload, jar, ...config }) {
    const agent = new Agent({ ...config, cookies: jar });
    const called = [];
    const execute = async () => (called.push(tool.declared.name), tool.gives);
    const Tool = tool && makeAssistantTool({ toolName: tool.declared.name, ...tool.declared, type: "frontend", execute });
    let runtime;
    function Page() {
        runtime = useAgUiRuntime({ agent, onError: (error) => console.error(error) });
        return createElement(AssistantRuntimeProvider, { runtime }, Tool && createElement(Tool));
    }
    await new Promise((resolve) => {
        function Loaded() {
            useEffect(() => void setTimeout(() => resolve()), []);
        }
        render([createElement(Page, { key: 1 }), createElement(Loaded, { key: 2 })]);
    });
    const thread = () => runtime.thread.getState();
    const idle = () =>
        new Promise((resolve) => {
            const look = () => thread().isRunning || resolve(stop());
            const stop = runtime.thread.subscribe(look);
            look();
        });
    /** The end of the next run: one that has begun does not tell new subscribers. */
    const ended = () =>
        new Promise((resolve) => {
            const { unsubscribe } = agent.subscribe({ onRunFinalized: () => resolve(unsubscribe()) });
        });
    if (reload) runtime.thread.startRun({ parentId: null });
    return {
        async say(text) {
            await idle();
            const answered = ended();
            runtime.thread.append(text);
            await answered;
            await idle();
        },
        stop: () => runtime.thread.cancelRun(),
        shows: () => ({ messages: thread().messages, ...agent.shows(), called }),
    };
}
