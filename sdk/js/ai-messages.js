import { ours } from "./messages.js";
import { partOf } from "./parts.js";

/** The value of a text of JSON; a text that is not JSON is its own value. */
export function valueOf(text) {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return text;
  }
}

/** A conversation as `UIMessage`s of the AI SDK: each run is one message of the assistant. */
export function uiMessagesOf({ messages, run }) {
  const shown = new Map();
  for (const message of messages) {
    const { run_id, client_id, pending } = ours(message);
    const part = partOf(message, messages);
    if (message.role === "user" && !pending)
      shown.set(message.id, { id: client_id ?? message.id, role: "user", parts: [{ type: "text", text: message.content }] });
    if (!part?.type) continue;
    if (!shown.has(run_id)) shown.set(run_id, { id: run_id, role: "assistant", parts: new Map() });
    shown.get(run_id).parts.set(part.id, uiPartOf(part, run));
  }
  return [...shown.values()].map((each) => ({ ...each, parts: [...each.parts.values()] }));
}

function uiPartOf({ type, id, ...part }, run) {
  if (type === "text" || type === "reasoning") return { type, text: part.text, state: "done" };
  if (type !== "tool") return { type: `data-${type}`, id, data: part };
  const ask = run?.outcome?.interrupts?.find(({ toolCallId }) => toolCallId === id);
  const tool = { type: "dynamic-tool", toolCallId: id, toolName: part.name, input: valueOf(part.arguments), providerExecuted: true };
  if (part.status === "done") return { ...tool, state: "output-available", output: valueOf(part.result) };
  if (part.result !== undefined) return { ...tool, state: "output-error", errorText: part.result };
  return { ...tool, state: ask ? "approval-requested" : "input-available", ...(ask && { approval: { id: ask.id } }) };
}
