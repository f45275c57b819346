// A page written in TypeScript, with each part of a run, each event of the log and each frame of the server.
import { Conversation, LoopwireClient, loopwire } from "@loopwire/client";
import type { Chat, ChatRun, ClientFrame, Control, EventType, Frame, Message, Part, RunPart, ServerFrame } from "@loopwire/client";
import { useLoopwire } from "@loopwire/client/react";

const chat: Chat = loopwire({ url: "https://shop.example", app: "demo", ticket: async (session) => ({ ticket: "t", session_id: session ?? "ses_1" }) });

function draw(part: RunPart): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return `${part.agent ?? ""} ${part.delta.trim()}`;
    case "tool":
      return part.status === "done" ? (part.result ?? "") : `${part.name} ${((part.progress ?? 0) * 100).toFixed()} ${part.label ?? ""}`;
    case "handoff":
      return `${part.from} ${part.to} ${part.reason}`;
    case "block":
      return part.kind.toUpperCase();
    case "ask":
      return `${part.kind} ${part.message ?? ""} ${part.expiresAt ?? ""} ${Object.keys(part.responseSchema ?? {}).length}`;
    case "retract":
      return part.id;
    default:
      return part satisfies never;
  }
}

function tell(event: Frame["event"]): string {
  switch (event.type) {
    case "RUN_STARTED":
      return `${event.runId} ${event.metadata?.loopwire?.attempt?.toFixed() ?? "1"}`;
    case "RUN_FINISHED":
      return `${event.outcome?.interrupts?.[0]?.id ?? ""} ${event.usage?.[0]?.inputTokens?.toFixed() ?? ""}`;
    case "RUN_ERROR":
      return `${event.message.trim()} ${event.code?.trim() ?? ""} ${event.metadata?.loopwire?.run_id?.trim() ?? ""}`;
    case "TEXT_MESSAGE_START":
      return `${event.role === "assistant" ? "" : event.messageId} ${event.metadata?.loopwire?.content?.length.toFixed() ?? ""}`;
    case "TEXT_MESSAGE_CONTENT":
      return event.delta;
    case "TEXT_MESSAGE_END":
      return event.messageId;
    case "TOOL_CALL_START":
      return event.toolCallName;
    case "TOOL_CALL_ARGS":
      return event.delta;
    case "TOOL_CALL_END":
      return event.toolCallId;
    case "TOOL_CALL_RESULT":
      return `${event.content} ${event.metadata?.loopwire?.status === "done"}`;
    case "STEP_STARTED":
    case "STEP_FINISHED":
      return event.stepName;
    case "STATE_SNAPSHOT":
      return Object.keys(event.snapshot).join();
    case "STATE_DELTA":
      return event.delta.map(({ op, path }) => op + path).join();
    case "ACTIVITY_SNAPSHOT":
      return `${event.activityType} ${String(event.content["kind"])}`;
    case "ACTIVITY_DELTA":
      return event.patch.map((each) => each.path).join();
    case "MESSAGES_SNAPSHOT":
      return event.messages.map((each) => each.metadata?.loopwire?.run_id ?? each.id).join();
    case "CUSTOM":
      return String(event["name"]);
    default: {
      // A newer server's event: its type is a text, and it may have any field.
      const type: string = event.type;
      return type === "SOMETHING_NEW" ? String(event["value"]) : type.toLowerCase();
    }
  }
}

function hear(frame: Control): string {
  switch (frame.type) {
    case "queue":
      return frame.items.map(({ text }) => text).join();
    case "error":
      return `${frame.code} ${frame.retry_after?.toFixed() ?? ""}`;
    case "reconnect":
      return frame.after_ms.toFixed();
    case "typing":
      return frame.name ?? "";
    case "feedback":
      return `${frame.message_id} ${frame.value ?? "taken back"}`;
    case "degraded":
      return String(frame.on);
    case "welcome":
      return frame.session_id;
    default:
      return `${frame.type} ${String(frame["new"])}`;
  }
}

/** Says what a frame is before anything else is known of it. */
export const kinds = (frame: ServerFrame): string =>
  "batch" in frame ? frame.batch.map((each) => tell(each.event)).join() : "event" in frame ? tell(frame.event) : frame.type;

export const names: { [type in EventType]?: string } = {
  RUN_STARTED: "begun",
  RUN_FINISHED: "ended",
  RUN_ERROR: "failed",
};

const off: () => void = chat.subscribe(() => console.log(chat.messages.at(-1)?.content, chat.run?.outcome?.interrupts?.length, chat.agent));
const run: ChatRun = await chat.send("Hello", { id: "m1", signal: AbortSignal.timeout(1_000) });
for await (const part of run) {
  console.log(draw(part));
  if (part.type === "ask") {
    const answer = await chat.answer(part.id, { approved: true });
    if (!("lost" in answer)) await answer.done;
  }
}
const { status, outcome, usage } = await run.done;
console.log(status === "unknown", outcome?.type === "cancelled", usage?.[0]?.model?.trim(), usage?.[0]?.["cost"]);

const parts: Part[] = [{ type: "text", text: "this" }, { type: "answer", block_id: "b", name: "n", value: ["a"], label: "a" }];
await chat.send([...parts, await chat.upload(new Blob([]))]);
await chat.feedback("msg_1", "down", { reason: "wrong" });
for await (const page of chat.history()) page satisfies Message[];
const waiting: Message[] = chat.messages.filter((each) => each.metadata?.loopwire?.pending === "queued");

const client = new LoopwireClient({ url: "wss://shop.example/ws", ticket: async () => ({ ticket: "t", session_id: "ses_1" }) });
client.addEventListener("frame", ({ detail }) => {
  // Before anything is known of an event it has any field.
  const { type, messageId } = detail.event;
  console.log(tell(detail.event), detail.replayed, type, messageId);
});
client.addEventListener("snapshot", ({ detail }) => console.log(detail.events.map(tell), detail.before?.trim()));
client.addEventListener("control", ({ detail }) => console.log(hear(detail), detail["unread"]));
const ack = await client.message(parts);
console.log(ack.run_id?.trim(), ack.ignored_tools?.length, waiting.length);
const stop: ClientFrame = { type: "cancel", id: "c1", run_id: "run_1" };
console.log(stop);

const conversation = new Conversation();
conversation.take({ seq: 1, event: { type: "SOMETHING_NEW", value: 3 } });
conversation.take({ batch: [{ seq: 2, event: { type: "STEP_STARTED", stepName: "agent" } }] });
conversation.take({ type: "degraded", on: true });

/** Is drawn again when something of the chat changes. */
export function Page(): unknown[] {
  const { messages, send, connection, stop } = useLoopwire(chat);
  return [messages.length, send, connection.next, stop];
}
chat.close();
off();
