// The agent of the SDK's /ag-ui, and what the suite wants to see of it.
import { loopwireAgent as published } from "../../../sdk/js/agent.js";

const kept = new Map();
const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };

/** The agent on an `HttpAgent` of whichever version. */
export const loopwireAgent = (HttpAgent) => watched(published(HttpAgent));

/** With `cookies` it sends no token, as on Loopwire's own origin. */
export function watched(Agent) {
    return class extends Agent {
        constructor({ cookies, ...config }) {
            super({ storage, ...config });
            this.cookies = cookies;
        }

        clone() {
            return Object.assign(super.clone(), { cookies: this.cookies });
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
