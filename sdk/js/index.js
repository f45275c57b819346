/** A chat as a page has it, and what it is made of: the client of a session, and the session's messages. */
export { loopwire } from "./chat.js";
export { LoopwireClient } from "./client.js";
export { Conversation } from "./conversation.js";
