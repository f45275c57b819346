// AG-UI's own client. It calls no tools by itself: its page does.
import { watched } from "./agent.mjs";
import { frameworksFrom } from "./frameworks.mjs";

frameworksFrom("../agui/");
const { LoopwireAgent } = await import("../../../sdk/js/ag-ui.js");
const Agent = watched(LoopwireAgent);

export async function open({ tool, reload, jar, ...config }) {
    const agent = new Agent({ ...config, cookies: jar });
    const called = [];
    const run = async () => {
        let calls = [];
        const onRunFinishedEvent = ({ pendingToolCallIds }) => void (calls = pendingToolCallIds ?? []);
        await agent.runAgent({ tools: tool ? [tool.declared] : [] }, { onRunFinishedEvent });
        for (const toolCallId of calls) {
            called.push(tool.declared.name);
            agent.addMessage({ id: crypto.randomUUID(), role: "tool", toolCallId, content: tool.gives });
        }
        if (calls.length) await run();
    };
    if (reload) run();
    return {
        say(content) {
            agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
            return run();
        },
        stop: () => agent.abortRun(),
        shows: () => ({ messages: agent.messages, ...agent.shows(), called }),
    };
}
