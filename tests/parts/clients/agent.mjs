// The agent of docs/protocol/clients.md, word for word, and what the suite wants to see of it.
import { readFileSync } from "node:fs";

const DOCUMENT = new URL("../../../docs/protocol/clients.md", import.meta.url);
const [, example] = readFileSync(DOCUMENT, "utf8").match(/```js\nimport \{ HttpAgent \}[^\n]*\n([^]+?)```/);

const kept = new Map();
globalThis.sessionStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };

/** That agent on an `HttpAgent` of whichever version; with `cookies` it sends no token, as on Loopwire's own origin. */
export function loopwireAgent(HttpAgent) {
    const Documented = new Function("HttpAgent", `${example}; return LoopwireAgent;`)(HttpAgent);
    return class extends Documented {
        constructor({ cookies, ...config }) {
            super(config);
            this.cookies = cookies;
        }

        credentials() {
            return this.cookies ? {} : super.credentials();
        }

        /** What a page draws besides the words. */
        shows() {
            const blocks = this.messages.filter(({ activityType }) => activityType === "block");
            return { blocks, state: this.state, session: this.known.session_id };
        }
    };
}
