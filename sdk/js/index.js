/** Exports the chat of a page, and its two parts: the client of a session and the fold of its messages. */
export { loopwire } from "./chat.js";
export { LoopwireClient } from "./client.js";
export { Conversation } from "./conversation.js";
