/** The types of the client. Those of the wire are generated, and stand in protocol.d.ts. */

import type {
  Ack,
  Batch,
  Durable,
  Feedback,
  ImagePart,
  Interrupt,
  LogEvent,
  MessageFrame,
  MessageMark as StoredMark,
  OtherEvent,
  OtherText,
  ResumeEntry,
  RunOutcome,
  ServerFrame,
  ShownMessage,
  Snapshot,
  TokenUsage,
} from "./protocol.js";

export type * from "./protocol.js";

/** A part of a message that a person writes. */
export type Part = MessageFrame["content"][number];

export type State = "connecting" | "open" | "waiting" | "offline" | "closed";
export type Transport = "websocket" | "sse";

/** The reason why an answer was not useful. */
export interface FeedbackReason {
  reason?: NonNullable<Feedback["reason"]>;
  comment?: string;
}

/** The reason of a refused frame; `retry` when the same frame may succeed later. */
export interface Refusal extends Error {
  code: string;
  retry?: boolean;
}

/** The types of AG-UI's events that the server sends. A newer server may send others, which change nothing here. */
export type EventType = Exclude<LogEvent, OtherEvent>["type"];

/** A durable frame: the next event of the log, or several in one (`from`). */
export interface Frame extends Durable {
  /** The event was missed, and arrived after a reconnect. */
  replayed?: boolean;
}

/** Any other frame of the server. A newer server may send further ones. */
export type Control = (Exclude<ServerFrame, Durable | Batch | Snapshot> | { type: OtherText }) & { [field: string]: unknown };

/** A frame of the server as its reader got it, who looked no further. */
export interface ReadFrame {
  type?: string;
  seq?: number;
  event?: { type: string; [field: string]: unknown };
  batch?: readonly ReadFrame[];
}

export interface StateChange {
  state: State;
  transport?: Transport;
  code?: number | string;
  /** Milliseconds until the next try. */
  in?: number;
  /** Set when the client does not come back by itself. */
  next?: "stop" | "session" | "reload";
  /** The server's sentence of why, where `next` is set and it said one. */
  message?: string;
}

/** A message of the conversation. */
export interface Message extends ShownMessage {
  metadata?: { loopwire?: MessageMark };
}

export interface MessageMark extends StoredMark {
  /** Of a chat's own message without an event so far: it is not stored yet, or waits behind other runs. */
  pending?: "unsent" | "queued";
}

export interface Run {
  id: string;
  status: "running" | "finished" | "error";
  attempt: number;
  kind: "agent" | "note";
  parentRunId?: string;
  /** When it began, in milliseconds since the epoch. */
  at?: number;
  /** Of a finished run; `interrupts` when it waits for answers. */
  outcome?: RunOutcome;
  /** Of a failed run. */
  code?: string;
  message?: string;
}

/** The change of a conversation: the ids of messages that were added, changed or removed. */
export interface Change {
  ids: string[];
  /** Everything was replaced. */
  snapshot?: true;
}

export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: object;
  /** The tool changes something: the person is asked before each call. */
  effect?: boolean;
}

export interface Options {
  /** ws(s) address of the server's /ws. */
  url: string;
  /** Asks your server, or Loopwire, for a ticket; `retry: false` on what it throws ends the client. */
  ticket: (session: string | null) => Promise<{ ticket: string; session_id: string }>;
  session?: string | null;
  html?: boolean;
  WebSocket?: typeof WebSocket;
  fetch?: typeof fetch;
}

export interface Events {
  state: CustomEvent<StateChange>;
  frame: CustomEvent<Frame>;
  snapshot: CustomEvent<Snapshot>;
  control: CustomEvent<Control>;
}

export class LoopwireClient extends EventTarget {
  constructor(options: Options);
  readonly session: string | null;
  readonly state: State;
  readonly transport: Transport | null;
  readonly position: { seq: number | null; epoch: string | null; set(seq: number, epoch: string): void };
  connect(): Promise<void>;
  close(): void;
  hurry(): void;
  /** Comes in anew, with a new ticket; this session goes on from where it is, another one from its beginning. */
  renew(session: string | null): void;
  message(content: string | Part[], id?: string): Promise<Ack>;
  cancel(target: { run_id?: string; message_id?: string }): Promise<Ack>;
  resume(entries: ResumeEntry[], id?: string): Promise<Ack>;
  toolResult(toolCallId: string, content: string, id?: string): Promise<Ack>;
  tool(tool: Tool, act: (args: any) => Promise<unknown> | unknown): void;
  setContext(context: object | null): void;
  command(frame: { type: string; id: string; [field: string]: unknown }): Promise<Ack>;
  addEventListener<Name extends keyof Events>(
    name: Name,
    listener: (event: Events[Name]) => void,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    name: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
}

/** A conversation as messages. Nothing that it gives is changed in place: what is new is another object. */
export class Conversation extends EventTarget {
  /** Follows a client that has not connected yet; without one it is given frames by `take`. */
  constructor(client?: LoopwireClient);
  readonly messages: readonly Message[];
  readonly state: { readonly [field: string]: unknown };
  readonly run: Run | null;
  /** The agents at work, the newest last. */
  readonly steps: readonly string[];
  /** The cursor of the messages before these; null when there are none. */
  readonly before: string | null;
  /** Takes a frame of the server; throws when events are missing before it. */
  take(frame: Frame | Snapshot | Control | Batch | ReadFrame): void;
  /** Puts a page of `GET /v1/sessions/{id}/messages?before=…` before the messages. */
  earlier(page: { messages: Message[]; before: string | null }): void;
  addEventListener(
    name: "change",
    listener: (event: CustomEvent<Change>) => void,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    name: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
}

export interface ChatOptions {
  /** Address of the server, such as `https://loopwire.example`; without one the page's own. */
  url?: string;
  /**
   * A function that asks your server for a ticket, or a ticket that your server put into the page, good for one connection. Without
   * it the chat asks Loopwire. `retry: false` on what it throws ends the chat with its message.
   */
  ticket?: string | Ticket | ((session: string | null) => Promise<string | Ticket> | string | Ticket);
  /** Of which app the tokens of `identify` are, where the origin of the page does not say so. */
  app?: string;
  /** The service of a new conversation, where the chat asks Loopwire for tickets. */
  service?: string;
  language?: string;
  /** Your own name of the conversation, where the chat asks Loopwire for tickets. */
  alias?: string;
  /** The conversation to open. */
  session?: string;
  /**
   * `sessionStorage`, or what is like it: keeps the conversation's id, and messages until they are stored, over a reload.
   * Without it they are kept in memory.
   */
  storage?: { getItem(key: string): string | null; setItem(key: string, value: string): void };
  WebSocket?: typeof WebSocket;
  fetch?: typeof fetch;
}

/** The answer of `POST /v1/tickets`. */
export interface Ticket {
  ticket: string;
  session_id: string;
}

/** The parts of a run: what it says and does. A part with the `id` of an earlier one tells that it changed; of a text or summary `delta` is added. */
export type RunPart =
  | { type: "text"; id: string; agent?: string; delta: string }
  /** A summary of what the model thinks, of services that show it; it is no part of the answer. */
  | { type: "reasoning"; id: string; agent?: string; delta: string }
  | {
      type: "tool";
      id: string;
      name: string;
      /** JSON, as far as the tool shows it. */
      arguments: string;
      status: "running" | "waiting" | "done" | "failed" | "stopped" | "unknown";
      /** From 0 to 1. */
      progress?: number;
      label?: string;
      step?: string;
      result?: string;
    }
  | { type: "handoff"; id: string; from: string; to: string; reason: string; status: string }
  | { type: "block"; id: string; kind: string; [field: string]: unknown }
  /** A run ends with it: a person has to answer, by `chat.answer(id, …)`. */
  | (Interrupt & { type: "ask"; kind: "approval" | "form" | "tool"; block_id?: string })
  /** The parts under this id are withdrawn: another process took the run over, or it was tried again. */
  | { type: "retract"; id: string };

export interface RunEnd {
  id: string;
  /** `running` when the chat was closed before; `unknown` when it ended out of sight, beyond what the server shows. */
  status: "finished" | "error" | "running" | "unknown";
  /** Absent where the chat was away when the run ended and nothing tells. */
  outcome?: Run["outcome"];
  /** Tokens by model, as AG-UI names them; absent where the chat was away when the run ended. */
  usage?: TokenUsage[];
  /** Of a failed run. */
  code?: string;
  message?: string;
}

/** The answer to one message. It is read as often as one likes, from its first part on; leaving the loop stops nothing. */
export interface ChatRun extends AsyncIterable<RunPart> {
  readonly id: string;
  readonly ended: boolean;
  /** Its end; never rejects. */
  readonly done: Promise<RunEnd>;
  /** Stops it, running or queued. Rejects with `closed`. */
  stop(): Promise<Ack>;
}

export interface SendOptions {
  /** The message's idempotency key; sent twice under one id, it is stored once. */
  id?: string;
  /** Takes the message back as long as it is not stored; a stored one is stopped by `run.stop()`. */
  signal?: AbortSignal;
}

/**
 * A conversation of one person. Whatever waits for the server waits over lost connections, and is refused with the code
 * `closed` when the chat ends: by `close`, or because the server does not let it in (`next` and `message` say why).
 */
export interface Chat {
  /** All messages in order; after them this person's without an event so far (`metadata.loopwire.pending`). */
  readonly messages: readonly Message[];
  /** The conversation's latest run; null before the first. */
  readonly run: Run | null;
  /** The agent at work; null when none is. */
  readonly agent: string | null;
  readonly state: { readonly [field: string]: unknown };
  readonly connection: StateChange;
  /** Calls back when one of these changed, at most once a turn. Returns a function that ends it. */
  subscribe(listener: () => void): () => void;
  connect(): void;
  close(): void;
  /**
   * Resolves when the message is stored. Messages are sent one after the other. Rejects with the server's code (`empty`,
   * `too_long`, `bad_frame`, `budget`, …), with `closed`, or with the reason of `signal`.
   */
  send(content: string | Part[], options?: SendOptions): Promise<ChatRun>;
  /**
   * Sends another version of a message of this person, which takes its place and that of all that followed; what runs is
   * stopped. The message is named by its id, the one under which it was sent, or that of its run. Rejects with `not_found`, `not_editable`, `too_many_versions`, the codes of `send`, or `closed`.
   */
  edit(message_id: string, content: string | Part[], options?: { id?: string }): Promise<ChatRun>;
  /** Has a message answered once more, named by its own id or that of its answer. Rejects as `edit`. */
  regenerate(message_id: string, options?: { id?: string }): Promise<ChatRun>;
  /** Shows a version of a message with what followed it; what runs is stopped. Rejects as `edit`. */
  switch(message_id: string, options?: { id?: string }): Promise<ChatRun>;
  /** The conversation's latest run, of any client, from its first part on; null before the first. Rejects with `closed`. */
  follow(): Promise<ChatRun | null>;
  /**
   * Answers what a run asked, with the `payload` that its `responseSchema` wants; without one it stays unanswered.
   * Rejects with `bad_answer`, `expired`, `not_found` or `closed`.
   */
  answer(id: string, payload?: unknown): Promise<ChatRun | { lost: true }>;
  /** Stops the current run, of any client. */
  stop(): Promise<Ack>;
  /** Offers a tool of this page to the agents; what `act` returns, or the error it throws, is its result. */
  tool(name: string, tool: { description: string; parameters: object; effect?: boolean }, act: (args: any) => unknown): void;
  /**
   * Says what the page shows, as an object of at most 8 kB: the next messages carry it, and the agents read it as data.
   * null says nothing. Throws a RangeError.
   */
  setContext(context: object | null): void;
  /**
   * Says who talks: a token that your server signed, or a function that asks it for one and is asked again before the end.
   * The open conversation goes on where it is the user's by then, else the user's newest is opened (`session_id`). null
   * signs out, as a new visitor. Rejects with the server's code (`identity_expired`, `identity_revoked`, …).
   */
  identify(token: string | null | (() => string | Promise<string>)): Promise<{ user: string | null; session_id: string | null }>;
  /** A thumb down may say why; a comment has at most 500 characters. Rejects with `not_found`, `bad_frame` or `closed`. */
  feedback(message_id: string, value: "up" | "down" | null, why?: FeedbackReason): Promise<Ack>;
  /** Pages of older messages, the newest first. Rejects with the server's code, or with `closed`. */
  history(): AsyncGenerator<Message[], void>;
  /**
   * Stores a picture, and gives the part that puts it into a message. `onProgress` gets the part that was sent, from 0 to 1; in
   * Node only the end. Rejects with `image_unreadable`, `too_long`, `rate_limited`, `closed`, or the reason of `signal`.
   */
  upload(file: Blob, options?: { onProgress?: (part: number) => void; signal?: AbortSignal }): Promise<ImagePart>;
  /** The client of the chat. */
  readonly client: LoopwireClient;
  readonly conversation: Conversation;
}

/** Makes a chat. It connects at once where it has a ticket, a session or kept messages, else with the first message. */
export function loopwire(options?: ChatOptions): Chat;
