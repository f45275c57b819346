import { loopwire } from "../chat.js";
import { Sockets } from "./socket_server.js";

/** Events as a server tells them. */
export const started = (runId, more = {}) => ({ type: "RUN_STARTED", threadId: "ses_1", runId, ...more });
export const finished = (runId, outcome = { type: "success" }, more = {}) => ({ type: "RUN_FINISHED", runId, outcome, ...more });
export const failed = (run_id, code) => ({ type: "RUN_ERROR", code, message: "It failed.", metadata: { loopwire: { run_id } } });
export const text = (messageId, delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
export const said = (messageId, client_id, words) => [
  { type: "TEXT_MESSAGE_START", messageId, role: "user", metadata: { loopwire: { client_id } } },
  text(messageId, words),
  { type: "TEXT_MESSAGE_END", messageId },
];
export const begins = (messageId, name = "ana") => ({ type: "TEXT_MESSAGE_START", messageId, role: "assistant", name });
export const ends = (messageId) => ({ type: "TEXT_MESSAGE_END", messageId });
/** A whole summary of reasoning. */
export const thought = (messageId, ...deltas) => [
  { type: "REASONING_MESSAGE_START", messageId, role: "reasoning", metadata: { loopwire: { agent: "ana" } } },
  ...deltas.map((delta) => ({ type: "REASONING_MESSAGE_CONTENT", messageId, delta })),
  { type: "REASONING_MESSAGE_END", messageId, metadata: { loopwire: { duration_ms: 40 } } },
];
export const call = (toolCallId, toolCallName, args = "{}") => [
  { type: "TOOL_CALL_START", toolCallId, toolCallName },
  { type: "TOOL_CALL_ARGS", toolCallId, delta: args },
  { type: "TOOL_CALL_END", toolCallId },
];
export const result = (toolCallId, content) => ({
  type: "TOOL_CALL_RESULT", messageId: `res_${toolCallId}`, toolCallId, content, role: "tool", metadata: { loopwire: { status: "done" } },
});
export const activity = (messageId, activityType, content) => ({ type: "ACTIVITY_SNAPSHOT", messageId, activityType, content });
export const asks = (runId, kind, more = {}) =>
  finished(runId, {
    type: "interrupt",
    interrupts: [{ id: "int_1", message: "May I?", toolCallId: "cal_1", responseSchema: {}, metadata: { loopwire: { kind } }, ...more }],
  });
export const messages = (...all) => ({ type: "MESSAGES_SNAPSHOT", messages: all });
/** A message as a snapshot has it. */
export const stored = (id, role, content, own) => ({ id, role, content, metadata: { loopwire: own } });

const timed = new WeakSet();

/** A chat in the hands of a test: its clock is the test's, its server the test's words. */
export function begun(t, options = {}) {
  if (!timed.has(t)) t.mock.timers.enable({ apis: ["setTimeout"] });
  timed.add(t);
  const sockets = new Sockets();
  const ticket = async () => ({ ticket: "ticket_1", session_id: "ses_1" });
  const chat = loopwire({ url: "http://host", ticket, WebSocket: sockets.WebSocket, ...options });
  t.after(() => chat.close());
  return { chat, sockets };
}

/** The same, connected: `server` speaks for the other end. */
export async function opened(t, options) {
  const { chat, sockets } = begun(t, options);
  chat.connect();
  const server = new Server(await sockets.at(0));
  return { chat, sockets, server };
}

/** One end of a socket, which counts what it tells. */
export class Server {
  constructor(socket, seq = 0, { resumed = false } = {}) {
    Object.assign(this, { socket, seq, events: [] });
    socket.welcome({ resumed, seq });
    if (!resumed) this.snapshot();
  }

  snapshot(events = [], more = {}) {
    this.socket.say({ type: "snapshot", seq: this.seq, epoch: "1.1", events, ...more });
    this.queue();
  }

  queue(...items) {
    this.socket.say({ type: "queue", items });
  }

  tell(...events) {
    for (const event of events.flat(Infinity)) this.socket.say({ seq: (this.seq += 1), event });
  }

  /** The frames of a type that the client sent. */
  sent(type) {
    return this.socket.sent.filter((frame) => frame.type === type);
  }

  /** Wait for the nth frame of a type. */
  async take(type, index = 0) {
    while (this.sent(type).length <= index) await new Promise(setImmediate);
    return this.sent(type)[index];
  }

  async ack(type, index, more = {}) {
    const { id } = await this.take(type, index);
    this.socket.say({ type: "ack", id, run_id: `run_${index + 1}`, ...more });
    return id;
  }

  async refuse(type, index, code, more = {}) {
    const { id } = await this.take(type, index);
    this.socket.say({ type: "error", id, code, message: `${code}.`, retry: false, ...more });
  }
}

/** Send, and have it stored as the nth run. */
export async function sent(chat, server, words = "Hello", index = 0) {
  const sending = chat.send(words, { id: `m${index + 1}` });
  await server.ack("message", index);
  return sending;
}

/** All parts of a run that has ended. */
export async function partsOf(run) {
  const parts = [];
  for await (const part of run) parts.push(part);
  return parts;
}

/** Let what is due in this turn happen. */
export const turn = () => new Promise(setImmediate);
