/** Everything that a page needs: the client of a session, and the session's messages. */
export { LoopwireClient } from "./client.js";
export { Conversation } from "./conversation.js";
