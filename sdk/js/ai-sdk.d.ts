import type { ChatTransport, UIMessage } from "ai";
import type { Chat } from "./index.js";

/** A chat of Loopwire as a transport of the AI SDK, for `useChat` and its like. */
export class LoopwireTransport<Message extends UIMessage = UIMessage> implements ChatTransport<Message> {
  constructor(chat: Chat);
  readonly chat: Chat;
  readonly resumeStreamIsReplay: boolean;
  /** The conversation so far, as `useChat` takes it for its `messages`. Rejects with `closed`. */
  load(): Promise<Message[]>;
  /** A new message of the user, another version of one (`messageId`, or `regenerate`), or what was decided about calls. */
  sendMessages: ChatTransport<Message>["sendMessages"];
  /** The run that writes now, from its beginning; null where none does. */
  reconnectToStream: ChatTransport<Message>["reconnectToStream"];
  /** Closes the chat. */
  close(): void;
}
