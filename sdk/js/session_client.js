import { LoopwireClient } from "./client.js";

/** The client of a chat: the chat gets its frames and the answers of its tools first. */
export class Client extends LoopwireClient {
  received(frame) {
    this.options.hears(frame);
    super.received(frame);
  }

  toolResult(call, content, id) {
    return this.options.answered(call, super.toolResult(call, content, id));
  }
}

/** Why nobody answers any more. */
export function closedBy({ next, message }) {
  return Object.assign(new Error(message ?? "The chat is closed."), { code: "closed", next });
}
