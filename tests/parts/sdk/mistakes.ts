// The mistakes that the types of the SDK refuse: each line below such a comment must not compile.
import { Conversation, LoopwireClient, loopwire } from "@loopwire/client";
import type { ClientFrame, Control, EventType, Frame, LogEvent, RunPart } from "@loopwire/client";
import { useLoopwire } from "@loopwire/client/react";

const chat = loopwire();

// @ts-expect-error a ticket is no number
loopwire({ ticket: 1 });
// @ts-expect-error a thumb is up or down
await chat.feedback("msg_1", "sideways");
// @ts-expect-error a reason is one of four
await chat.feedback("msg_1", "down", { reason: "boring" });
// @ts-expect-error nothing that is shown may be changed
chat.messages.push();
// @ts-expect-error a part of a text has its words in `text`
await chat.send([{ type: "text", words: "this" }]);
// @ts-expect-error a request of a service is no part of a person's message
await chat.send([{ type: "input", text: "this" }]);
// @ts-expect-error a picture is named by its blob
await chat.send([{ type: "image", url: "https://shop.example/a.png" }]);
// @ts-expect-error a reader may not close a chat by the hook
useLoopwire(chat).close();

export function draw(part: RunPart): string {
  // @ts-expect-error of a call nothing is a delta
  if (part.type === "tool") return part.delta;
  // @ts-expect-error no part is a picture
  if (part.type === "image") return "";
  // @ts-expect-error progress is a number
  return part.type === "tool" ? part.progress : "";
}

export function tell(event: Frame["event"]): string {
  // @ts-expect-error before its type is known an event's fields are not
  event.delta.length;
  if (event.type === "TEXT_MESSAGE_CONTENT") {
    const text: string = event.delta;
    // @ts-expect-error a text is no number
    const count: number = event.delta;
    // @ts-expect-error no event has such a field, whatever it is
    event.mesageId.length;
    return text.repeat(count);
  }
  // @ts-expect-error the piece of a state is a list of operations
  if (event.type === "STATE_DELTA") return event.delta;
  // @ts-expect-error no role is called so
  if (event.type === "TEXT_MESSAGE_START" && event.role === "robot") return "";
  // @ts-expect-error AG-UI has no type of this name
  if (event.type === "TEXT_MESSAGE_STARTED") return "";
  if (event.type === "RUN_FINISHED") {
    // @ts-expect-error no outcome is called so
    return event.outcome?.type === "failure" ? "" : event.runId;
  }
  // @ts-expect-error a newer server's event may be left: the switch is not over
  return event satisfies never;
}

export function hear(frame: Control): void {
  // @ts-expect-error an item of the queue has its words in `text`
  if (frame.type === "queue") frame.items[0]?.content;
  // @ts-expect-error a pause is a number
  if (frame.type === "reconnect") frame.after_ms.trim();
  // @ts-expect-error it is no frame of the server
  if (frame.type === "message") return;
}

// @ts-expect-error AG-UI has this type, but it is not sent
export const sent: EventType = "TEXT_MESSAGE_CHUNK";
// @ts-expect-error a run has an id
export const begun: LogEvent = { type: "RUN_STARTED", threadId: "ses_1" };
// @ts-expect-error what stops a run has no content
export const stop: ClientFrame = { type: "cancel", content: [] };
// @ts-expect-error an entry of an answer is resolved or cancelled
await new LoopwireClient({ url: "wss://shop.example/ws", ticket: async () => ({ ticket: "t", session_id: "s" }) }).resume([{ interrupt_id: "int_1", status: "done" }]);
// @ts-expect-error a sequence is a number
new Conversation().take({ seq: "1", event: { type: "STEP_STARTED", stepName: "agent" } });
