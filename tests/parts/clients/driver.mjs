// One client of others, driven line by line: a JSON command comes in on a line, its answer goes out on one.
// The argument is the module of the client, whose `open` gives what can `say`, `stop` and tell what it `shows`.
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const complaints = [];
const complain = (...said) => complaints.push(said.map((each) => each?.stack ?? String(each)).join(" "));
console.warn = console.error = console.log = complain;
process.on("unhandledRejection", complain);

const { open } = await import(resolve(process.argv[2]));

/** A `fetch` that keeps cookies as a browser does. */
function withJar(fetch) {
    const jar = new Map();
    return async (url, { headers, ...options } = {}) => {
        const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
        const answer = await fetch(url, { ...options, headers: { ...headers, ...(cookie && { cookie }) } });
        for (const line of answer.headers.getSetCookie()) {
            const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
            jar.set(name, value);
        }
        return answer;
    };
}

let client, opened;

const commands = {
    async open(options) {
        if (options.jar) globalThis.fetch = withJar(fetch);
        opened = options;
        client = await open(options);
    },
    /** Open the same page anew: it has kept its thread, and what is in its jar and in sessionStorage. */
    async reload() {
        client = await open({ ...opened, reload: true });
    },
    /** Stop in a second tab of the page, which shares jar and storage with the first, once it shows the answer. */
    async stopElsewhere() {
        const other = await open({ ...opened, reload: true, beside: true });
        const isAnswered = ({ role, content }) => role === "assistant" && content?.length;
        while (!(await other.shows()).messages.some(isAnswered)) await setTimeout(20);
        await other.stop();
    },
    say: ({ text }) => client.say(text),
    stop: () => client.stop(),
    shows: async () => ({ ...(await client.shows()), complaints }),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, do: name, ...command } = JSON.parse(line);
    try {
        tell({ id, done: (await commands[name](command)) ?? {} });
    } catch (error) {
        tell({ id, failed: error.stack ?? String(error) });
    }
});
