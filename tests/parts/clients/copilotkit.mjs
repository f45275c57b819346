// CopilotKit without a page: its core, with the client of AG-UI before 1.0 that it brings.
import { createRequire } from "node:module";

import { loopwireAgent } from "./agent.mjs";

const ours = createRequire(new URL("../agui/", import.meta.url));
const { CopilotKitCore } = ours("@copilotkit/core");
const its = createRequire(ours.resolve("@copilotkit/core"));
const { z } = its("zod");
const Agent = loopwireAgent(its("@ag-ui/client").HttpAgent);

export async function open({ tool, reload, jar, ...config }) {
    const agent = new Agent({ ...config, agentId: "default", cookies: jar });
    const core = new CopilotKitCore({ agents__unsafe_dev_only: { default: agent } });
    core.subscribe({ onError: ({ code, error }) => console.error(code, error) });
    const called = [];
    if (tool) {
        const handler = async () => (called.push(tool.declared.name), tool.gives);
        core.addTool({ ...tool.declared, parameters: z.object({}), handler });
    }
    if (reload) core.runAgent({ agent });
    return {
        say(content) {
            agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
            return core.runAgent({ agent }).then(() => {});
        },
        stop: () => core.stopAgent({ agent }),
        shows: () => ({ messages: agent.messages, ...agent.shows(), called }),
    };
}
