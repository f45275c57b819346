// The published client of Durable Streams on the log of a session: what it hands over is told line by line.
import { stream } from "@durable-streams/client";

const [url, bearer, live, beginning] = process.argv.slice(2);
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// A ticket works once: each answer has the token for the next request.
let token = bearer;
async function withToken(address, options) {
    const response = await fetch(address, options);
    token = response.headers.get("x-loopwire-resume-token") ?? token;
    return response;
}

let offset = beginning;
async function read() {
    const reading = await stream({
        url,
        offset,
        live: live === "no" ? false : live,
        headers: { authorization: () => `Bearer ${token}` },
        fetch: withToken,
        backoffOptions: { initialDelay: 50, maxDelay: 500, multiplier: 1.3 },
    });
    reading.subscribeJson((batch) => {
        offset = batch.offset;
        tell({ items: batch.items, offset });
    });
    await reading.closed;
}

// A connection that breaks in the middle of a body ends the reading: it goes on from the last offset.
for (let isOver = false; !isOver; ) {
    try {
        await read();
        isOver = true;
    } catch (error) {
        isOver = !(error instanceof TypeError);
        if (isOver) tell({ failed: String(error.stack ?? error) });
    }
}
