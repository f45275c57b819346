// AI SDK's Chat, and versions of a message: its answer again, other words in its place, an answer that is named.
import { Chat } from "@ai-sdk/react";

import { LoopwireTransport } from "../../../sdk/js/ai-sdk.js";
import { loopwire } from "../../../sdk/js/index.js";

const [url] = process.argv.slice(2);
const chat = loopwire({ url, service: "submission", language: "en" });
const errors = [];
const talk = new Chat({ transport: new LoopwireTransport(chat), onError: (error) => errors.push(String(error)) });
const isMine = ({ role }) => role === "user";
const textOf = ({ parts }) => parts.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join(" ");
const told = [];
const note = () => {
    const stored = chat.messages.filter(isMine);
    const mine = talk.messages.filter(isMine).map(textOf);
    const versions = stored.map(({ metadata }) => metadata.loopwire.versions?.length ?? 1);
    told.push([mine, stored.map(({ content }) => content), versions, talk.messages.length, talk.messages.at(-1).role]);
};

await talk.sendMessage({ text: "Polly Magic" });
note();
await talk.regenerate();
note();
await talk.sendMessage({ text: "Polly Beam", messageId: talk.messages[0].id });
note();
await talk.regenerate({ messageId: talk.messages[1].id });
await talk.sendMessage({ text: "yes" });
note();
chat.close();
process.stdout.write(JSON.stringify({ told, errors }));
