/** Our own data of an event or a message; empty when it has none. */
export function ours({ metadata }) {
  return metadata?.loopwire ?? {};
}

/** The message with this as our own data. */
export function stamped(message, own) {
  return { ...message, metadata: { loopwire: own } };
}

/** The message when nothing more is written to it. */
export function closed(message) {
  const { open, ...own } = ours(message);
  return stamped(message, own);
}

/** A call as AG-UI has it. */
export function callOf(id, name, text = "") {
  return { id, type: "function", function: { name, arguments: text } };
}
