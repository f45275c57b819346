/** The types of the client; the frames are those of docs/protocol/schema.json. */

export type State = "connecting" | "open" | "waiting" | "offline" | "closed";
export type Transport = "websocket" | "sse";

export interface TextPart {
  type: "text";
  text: string;
}

/** A click or a filled field in a block; `label` is what is shown and stored as text. */
export interface AnswerPart {
  type: "answer";
  block_id: string;
  name: string;
  value: string | number | boolean | string[] | null;
  label: string;
}

export type Part = TextPart | AnswerPart;

/** What the server committed; `dup` when it had been committed before. */
export interface Ack {
  type: "ack";
  id?: string;
  dup?: boolean;
  run_id?: string;
  message_id?: string;
}

/** Why a frame was refused. */
export interface Refusal extends Error {
  code: string;
}

/** A durable frame: the next event of the log, or several in one (`from`). */
export interface Frame {
  seq: number;
  from?: number;
  epoch?: string;
  event: { type: string; [field: string]: unknown };
  content?: string;
  target?: string;
  swap?: string;
  /** It was missed, and came after a reconnect. */
  replayed?: boolean;
}

export interface Snapshot {
  type: "snapshot";
  seq: number;
  epoch: string;
  events: Frame["event"][];
  before?: string;
  content?: string;
  target?: string;
  swap?: string;
}

/** Any other frame of the server. */
export interface Control {
  type: string;
  [field: string]: unknown;
}

export interface StateChange {
  state: State;
  transport?: Transport;
  code?: number | string;
  /** Milliseconds until the next try. */
  in?: number;
  /** Set when the client does not come back by itself. */
  next?: "stop" | "session" | "reload";
}

export interface ResumeEntry {
  interrupt_id: string;
  status: "resolved" | "cancelled";
  payload?: unknown;
}

export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: object;
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

interface Events {
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
  message(content: string | Part[], id?: string): Promise<Ack>;
  cancel(target: { run_id?: string; message_id?: string }): Promise<Ack>;
  resume(entries: ResumeEntry[], id?: string): Promise<Ack>;
  toolResult(toolCallId: string, content: string, id?: string): Promise<Ack>;
  tool(tool: Tool, act: (args: any) => Promise<unknown> | unknown): void;
  command(frame: { type: string; id: string; [field: string]: unknown }): Promise<Ack>;
  addEventListener<Name extends keyof Events>(
    name: Name,
    heard: (event: Events[Name]) => void,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    name: string,
    heard: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
}
