import type { Chat } from "./index.js";

/** The view and the actions of a chat; the component is drawn again when something of it changes. */
export function useLoopwire(
  chat: Chat,
): Pick<
  Chat,
  | "messages"
  | "run"
  | "agent"
  | "state"
  | "connection"
  | "send"
  | "edit"
  | "regenerate"
  | "switch"
  | "answer"
  | "stop"
  | "feedback"
  | "upload"
  | "history"
>;
