/** Loopwire's own data of an event or a message; empty when it has none. */
export function ours({ metadata }) {
  return metadata?.loopwire ?? {};
}

/** The message with this as Loopwire's own data. */
export function stamped(message, own) {
  return { ...message, metadata: { loopwire: own } };
}

/** The message without its mark `open`, and with what its end adds to its own data. */
export function closed(message, added) {
  const { open, ...own } = ours(message);
  return stamped(message, { ...own, ...added });
}

/** A call as AG-UI has it. */
export function callOf(id, name, text = "") {
  return { id, type: "function", function: { name, arguments: text } };
}

/** Messages with each result right after its call (server/protocol/order.py); a result without its call keeps its place. */
export function inOrder(messages) {
  const calls = new Set(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
  const isMoved = ({ role, toolCallId }) => role === "tool" && calls.has(toolCallId);
  const results = new Map([...calls].map((id) => [id, []]));
  for (const each of messages) if (isMoved(each)) results.get(each.toolCallId).push(each);
  const withResults = (each) => [each, ...(each.toolCalls ?? []).flatMap(({ id }) => results.get(id))];
  return messages.filter((each) => !isMoved(each)).flatMap(withResults);
}
