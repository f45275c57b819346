import { ours } from "./messages.js";

/** The part that a text of this role is; the words of a person are none. */
const TEXTS = { assistant: "text", reasoning: "reasoning" };

/** A message as a part of its run: null while it has nothing to show, and without a `type` when it is no part. */
export function partOf(message, messages) {
  const { id, role, name: agent, content, activityType: type } = message;
  if (message.toolCalls) return toolOf(message, messages);
  if (role === "tool") return toolOf(findCall(message.toolCallId, messages), messages);
  if (type === "tool_progress") return toolOf(findCall(content.tool_call_id, messages), messages);
  if (type) return { ...content, type, id };
  return { type: TEXTS[role], id, agent: agent ?? ours(message).agent, text: content };
}

/** The end of a run that ended while this client was away; its usage and its interrupts are not known. */
export function endOf(id, last) {
  const { outcome, code } = ours(last ?? {}).ended ?? {};
  if (outcome === "error") return { id, status: "error", code };
  return { id, status: "finished", ...(outcome && { outcome: { type: outcome } }) };
}

const findCall = (id, messages) => messages.findLast((each) => each.id === id);

function toolOf(call, messages) {
  if (!call || ours(call).open) return null;
  const { id, function: { name, arguments: args } } = call.toolCalls[0];
  const tool = { type: "tool", id, name, arguments: args };
  const result = messages.findLast(({ toolCallId }) => toolCallId === id);
  if (result) return { ...tool, status: ours(result).status ?? "done", result: result.content };
  const shown = messages.findLast(({ activityType, content }) => activityType === "tool_progress" && content.tool_call_id === id);
  const { tool_call_id, ...progress } = shown?.content ?? {};
  return { ...tool, ...progress, status: ours(call).waits ? "waiting" : "running" };
}
