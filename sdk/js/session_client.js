import { LoopwireClient } from "./client.js";

/** The client of a chat: it passes frames and the results of tools to the chat first. */
export class Client extends LoopwireClient {
  receive(frame) {
    this.options.onFrame(frame);
    super.receive(frame);
  }

  toolResult(call, content, id) {
    return this.options.onAnswer(call, super.toolResult(call, content, id));
  }
}

/** The error of every command that waits when the chat closes. */
export function closedBy({ next, message }) {
  return Object.assign(new Error(message ?? "The chat is closed."), { code: "closed", next });
}
