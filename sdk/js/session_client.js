import { LoopwireClient } from "./client.js";

/** The client of a chat: the chat gets its frames and the answers of its tools first. */
export class Client extends LoopwireClient {
  receive(frame) {
    this.options.onFrame(frame);
    super.receive(frame);
  }

  toolResult(call, content, id) {
    return this.options.onAnswer(call, super.toolResult(call, content, id));
  }
}

/** Why nobody answers any more. */
export function closedBy({ next, message }) {
  return Object.assign(new Error(message ?? "The chat is closed."), { code: "closed", next });
}
