// AG-UI's own client, driven line by line: a JSON command comes in on a line, what happens goes out on lines.
// Whatever the client complains of on the console is told as a complaint; the tests accept none.
import { createInterface } from "node:readline";

import { AbstractAgent, enforceEvents, HttpAgent, transformChunks, verifyEvents } from "@ag-ui/client";
import { from, lastValueFrom, toArray } from "rxjs";

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const complain = (...said) => tell({ complaint: said.map(String).join(" ") });
console.warn = console.error = console.log = complain;
process.on("unhandledRejection", (error) => complain("unhandled", error?.stack ?? error));

const agents = new Map();

class Replay extends AbstractAgent {
    run() {
        return from(this.events);
    }
}

/** What the agent knows, and what the last run gave. */
function known(agent, more) {
    const { messages, state, pendingInterrupts, threadId } = agent;
    return { messages, state, pendingInterrupts, threadId, ...more };
}

async function ran(agent, { run, parameters = {} }) {
    try {
        const { newMessages, result } = await agent.runAgent(parameters, {
            onEvent: ({ event }) => tell({ run, event }),
            onRunFinishedEvent: ({ outcome, pendingToolCallIds }) => tell({ run, outcome, pendingToolCallIds }),
        });
        return known(agent, { newMessages, result });
    } catch (error) {
        return known(agent, { error: error.message, status: error.status, payload: error.payload });
    }
}

const commands = {
    agent({ agent, kind, ...config }) {
        agents.set(agent, kind === "replay" ? new Replay(config) : new HttpAgent(config));
    },
    headers({ agent, headers }) {
        agents.get(agent).headers = headers;
    },
    known({ agent }) {
        return known(agents.get(agent));
    },
    say({ agent, message }) {
        agents.get(agent).addMessage(message);
    },
    run({ agent, ...rest }) {
        return ran(agents.get(agent), rest);
    },
    replay({ agent, events, ...rest }) {
        agents.get(agent).events = events;
        return ran(agents.get(agent), rest);
    },
    abort({ agent }) {
        agents.get(agent).abortRun();
    },
    async verify({ events }) {
        const judged = from(events).pipe(enforceEvents(), transformChunks(), verifyEvents(), toArray());
        try {
            return { count: (await lastValueFrom(judged)).length };
        } catch (error) {
            return { error: error.message };
        }
    },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, do: name, ...command } = JSON.parse(line);
    tell({ id, done: (await commands[name](command)) ?? {} });
});
