// AI SDK's Chat, and an approval: a server that a script speaks for asks, the person allows, the answer goes on.
import { Chat } from "@ai-sdk/react";
import { lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";

import { LoopwireTransport } from "../../../sdk/js/ai-sdk.js";
import { loopwire } from "../../../sdk/js/index.js";
import { Server, asks, begins, call, ends, finished, result, said, started, text, turn } from "../../../sdk/js/tests/chat_server.js";
import { Sockets } from "../../../sdk/js/tests/socket_server.js";

const sockets = new Sockets();
const chat = loopwire({ url: "http://host", ticket: async () => ({ ticket: "t", session_id: "ses_1" }), WebSocket: sockets.WebSocket });
const server = new Server(await sockets.at(0));
const errors = [];
const talk = new Chat({
    transport: new LoopwireTransport(chat),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onError: (error) => errors.push(String(error)),
});

const asking = talk.sendMessage({ text: "Sell it" });
const id = await server.ack("message", 0);
server.tell(started("run_1"), said("msg_1", id, "Sell it"), begins("msg_2"), text("msg_2", "Shall I?"), ends("msg_2"));
server.tell(call("cal_1", "publish"), asks("run_1", "approval"));
await asking;
const waiting = talk.lastMessage.parts.at(-1).state;
await talk.addToolApprovalResponse({ id: "int_1", approved: true });
await server.ack("resume", 0, { run_id: "run_2" });
await turn();
server.tell(started("run_2", { parentRunId: "run_1" }), result("cal_1", '"sold"'), begins("msg_3"), text("msg_3", "Done."), finished("run_2"));
while (!talk.lastMessage.parts.some((part) => part.text === "Done.") || talk.status !== "ready") await turn();
const told = talk.messages.map(({ role, parts }) => [role, parts.filter(({ type }) => type !== "step-start").map(({ text, state, output }) => text ?? [state, output])]);
chat.close();
process.stdout.write(JSON.stringify({ waiting, told, errors, resumes: server.sent("resume").length }));
