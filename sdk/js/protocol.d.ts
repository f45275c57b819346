/**
 * The types of the wire, of both directions. They are written out of docs/protocol/schema.json by
 * `python -m server.protocol.schema`: do not edit them.
 */

/**
 * A text that is none of those beside it. It is a string of which nothing else is known; no value has this name. Beside
 * `string` a comparison with one of the named texts would not say which of them it is.
 */
export declare enum OtherText {
  other = "another text",
}

/** The client's frame is committed. Sending it again gives the same ack with `dup`. */
export interface Ack {
  type: "ack";
  id?: string;
  dup?: boolean;
  run_id?: string;
  message_id?: string;
  /** Tools of the frame that no agent gets: the service has tools of these names. */
  ignored_tools?: string[];
}

/** A click or a filled field in a block; `label` is what is shown and stored as text. */
export interface AnswerPart {
  type: "answer";
  block_id: string;
  name: string;
  value: string | number | boolean | string[] | null;
  label: string;
}

/** Stop a run, named by its id or by the id of the message that started it; else the running one. */
export interface Cancel {
  type: "cancel";
  id?: string | null;
  run_id?: string | null;
  message_id?: string | null;
}

/** A tool of the sender's page, which an agent may call; `parameters` is a JSON Schema of one object. */
export interface ClientTool {
  name: string;
  description?: string;
  parameters?: { [field: string]: unknown };
  effect?: boolean;
}

/** The last event of a stream: what the close frame of a socket would say. */
export interface Close {
  type: "close";
  /** A close code, as a socket is closed with. */
  code: number;
  reason: string;
}

/**
 * Answers may come late: live streaming between instances is interrupted, or no worker takes up what this session
 * said. Nothing stored is lost. A welcome ends it until it comes again.
 */
export interface Degraded {
  type: "degraded";
  on: boolean;
}

/**
 * Another version of a message that the sender wrote; what runs is stopped. Stored exactly once under its id.
 *
 * Without `tools` those of the message are offered again; without a `context` the one of the message goes along.
 */
export interface Edit {
  type: "edit";
  id: string;
  message_id: string;
  content: (TextPart | AnswerPart | ImagePart)[];
  tools?: ClientTool[] | null;
  context?: { [field: string]: unknown } | null;
}

/** A client's frame was refused, or something failed that the client should know. */
export interface ErrorFrame {
  type: "error";
  code: string;
  message: string;
  id?: string;
  retry?: boolean;
  /** Seconds to wait before the same frame. */
  retry_after?: number;
}

/**
 * A judgement of one message; null takes it back. The last one holds, with its reason or without one.
 *
 * A thumb down may say why: by a `reason`, by a `comment` of at most 500 characters, or by both.
 */
export interface Feedback {
  type: "feedback";
  id: string;
  message_id: string;
  value: "up" | "down" | null;
  reason?: "wrong" | "unhelpful" | "unsafe" | "other" | null;
  comment?: string | null;
}

/** Another reader of this session judged a message; without a value, the judgement was taken back. */
export interface FeedbackNotice {
  type: "feedback";
  message_id: string;
  value?: "up" | "down";
  /** Socket of this session whose user judged. */
  from_tab?: string;
}

/** The first frame: the client's ticket or resume token, and the last event that it has. */
export interface Hello {
  type: "hello";
  ticket?: string | null;
  resume_token?: string | null;
  last_seq?: number | null;
  epoch?: string | null;
  v?: number;
}

/** A picture that was uploaded before, by `POST /v1/sessions/{id}/files`. */
export interface ImagePart {
  type: "image";
  blob_id: string;
}

/**
 * Something to be answered; stored exactly once under its id.
 *
 * `tools` can be called in its run and in those that resume it, as long as a page of the sender is there. `context` is
 * what the page says of itself, the product that is looked at for example: agents read it as data of the page.
 */
export interface MessageFrame {
  type: "message";
  id: string;
  content: (TextPart | AnswerPart | ImagePart)[];
  tools?: ClientTool[] | null;
  context?: { [field: string]: unknown } | null;
}

/** The messages that wait, in order; replaces the last such frame. */
export interface Queue {
  type: "queue";
  items: QueueItem[];
}

/** A message that is stored and waits for the runs before it; `id` is its frame's. */
export interface QueueItem {
  run_id: string;
  message_id: string;
  id: string;
  text: string;
}

/** The server leaves: it will close the socket with 1012, come back after this time. */
export interface Reconnect {
  type: "reconnect";
  after_ms: number;
}

/** Have a message answered once more, as another version; it is named by its own id or that of its answer. */
export interface Regenerate {
  type: "regenerate";
  id: string;
  message_id: string;
}

/** Answers to the interrupts that a run ended with. */
export interface Resume {
  type: "resume";
  id: string;
  entries: ResumeEntry[];
}

/** The answer to one interrupt. */
export interface ResumeEntry {
  interrupt_id: string;
  status: "resolved" | "cancelled";
  payload?: unknown;
}

/** The whole conversation: the client replaces all that it has. */
export interface Snapshot {
  type: "snapshot";
  epoch: string;
  /** The first live event after this frame is seq + 1. */
  seq: number;
  events: LogEvent[];
  /** Cursor of older messages, when there are any. */
  before?: string;
  /** The conversation as HTML, for loopwire.v1.html. */
  content?: string;
  target?: string;
  swap?: string;
}

/** Show another version of a message, with what followed it; what runs is stopped. */
export interface Switch {
  type: "switch";
  id: string;
  message_id: string;
}

/** Words that a person wrote. */
export interface TextPart {
  type: "text";
  text: string;
}

/** The result of a tool in the browser. */
export interface ToolResult {
  type: "tool_result";
  id: string;
  tool_call_id: string;
  content: string;
}

/** The user is typing. While an operator has taken over, operators and other tabs get a notice. Never stored. */
export interface Typing {
  type: "typing";
}

/**
 * The visitor or an operator types in this session. It is not stored and has no end: a reader shows it for some
 * seconds, or until the message is there.
 */
export interface TypingNotice {
  type: "typing";
  /** Socket of this session whose user types. */
  from_tab?: string;
  /** The operator who types; absent where the visitor does. */
  name?: string;
}

/** The first frame after a hello: the session's position and how to reconnect. */
export interface Welcome {
  type: "welcome";
  session_id: string;
  /** Epoch of the position; changes when the log is lost or taken over. */
  epoch: string;
  /** Number of the last event before this connection's first frame. */
  seq: number;
  /** True when a replay follows, false when a snapshot does. */
  resumed: boolean;
  /** The server pings this often. */
  heartbeat_ms: number;
  /** Seconds after a loss for which a replay is promised. */
  resume_window: number;
  /** Accepted by a hello in place of a ticket; keep it in memory only. */
  resume_token: string;
  /** AG-UI 1.0 agent capabilities. */
  capabilities: { [field: string]: unknown };
  /** True while the built-in demo model answers. */
  demo: boolean;
}

/** The request of a service, as the server writes it into a message; its data is not shown. */
export interface RequestPart {
  type: "input";
  text: string;
  title?: string;
}

/** A picture of a message; `url` is a path on the server, for who may read the conversation. */
export interface ShownImagePart {
  type: "image";
  blob_id: string;
  url?: string;
  width?: number;
  height?: number;
}

/** Loopwire's own data of a message. */
export interface MessageMark {
  run_id?: string;
  /** Milliseconds since the epoch. */
  at?: number;
  /** More is being written to it. */
  open?: true;
  /** The id under which its sender sent it. */
  client_id?: string;
  /** The parts that were sent. */
  content?: (TextPart | AnswerPart | ShownImagePart | RequestPart)[];
  /** A person of the app's team wrote it, and no agent. */
  operator?: true;
  /** The ids of all its versions, itself among them, oldest first; absent where there is one. */
  versions?: string[];
  /** Of a call: the picture of its tool. */
  icon?: string;
  /** The outcome of a call. */
  status?: "done" | "failed" | "stopped" | "unknown";
  duration_ms?: number;
  /** Of a call or a summary of reasoning: whose it is. */
  agent?: string;
  /** There was more of this summary than is shown. */
  truncated?: true;
  /** A person or a page has to answer this call, until it has a result. */
  waits?: InterruptMark;
  /** Its run was stopped here, or failed. */
  ended?: { outcome: "cancelled" } | { outcome: "error"; code: string };
  [field: string]: unknown;
}

/** A call in a message; `arguments` are the public view of them, as JSON. */
export interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** A message as AG-UI has it; what is Loopwire's own stands in `metadata.loopwire`. */
export interface ShownMessage {
  id: string;
  role: "user" | "assistant" | "system" | "developer" | "tool" | "activity" | "reasoning";
  /** A text; of an activity what it shows. A call has none. */
  content?: string | { [field: string]: unknown };
  /** The agent that speaks, or the person where the mark says `operator`. */
  name?: string;
  /** Of a call: an assistant's message of its own, whose id is the call's. */
  toolCalls?: ToolCall[];
  /** Of a result: the call that it answers. */
  toolCallId?: string;
  /** Of an activity: handoff, tool_progress, block or operator. */
  activityType?: string;
  metadata?: { loopwire?: MessageMark };
}

/** The kind of the answer that a call waits for; `block_id` is the block that asks. */
export interface InterruptMark {
  kind: "approval" | "form" | "tool";
  block_id?: string;
  [field: string]: unknown;
}

/** A call that waits for a person or a page; `responseSchema` is the JSON Schema of the answer. */
export interface Interrupt {
  id: string;
  reason: string;
  message?: string;
  toolCallId?: string;
  responseSchema?: { [field: string]: unknown };
  /** A time of ISO 8601. */
  expiresAt?: string;
  metadata?: { loopwire?: InterruptMark };
}

/** The outcome of a finished run; `interrupts` when it waits for answers. */
export interface RunOutcome {
  type: "success" | "cancelled" | "interrupt";
  interrupts?: Interrupt[];
  [field: string]: unknown;
}

/** The tokens of one model; cached and reasoning tokens are parts of the others. */
export interface TokenUsage {
  provider?: string;
  model?: string;
  inputTokens?: number;
  outputTokens?: number;
  totalTokens?: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
  [field: string]: unknown;
}

/** One operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  path: string;
  from?: string;
  value?: unknown;
}

/** A run begins; one that is known is worked on anew. Its kind is `snapshot` where no run is known. */
export interface RunStartedEvent {
  type: "RUN_STARTED";
  threadId: string;
  runId: string;
  protocolVersion?: string;
  parentRunId?: string;
  /** Milliseconds since the epoch. */
  timestamp?: number;
  metadata?: {
    loopwire?: {
      attempt?: number;
      kind?: "agent" | "note" | "snapshot";
      [field: string]: unknown;
    };
  };
  [field: string]: unknown;
}

/** A run ends that did not fail; without an outcome it is a success. */
export interface RunFinishedEvent {
  type: "RUN_FINISHED";
  threadId: string;
  runId: string;
  outcome?: RunOutcome;
  usage?: TokenUsage[];
  /** Milliseconds since the epoch. */
  timestamp?: number;
  metadata?: { loopwire?: { estimated_tokens?: number; [field: string]: unknown } };
  [field: string]: unknown;
}

/** A run failed; the message is safe to show. */
export interface RunErrorEvent {
  type: "RUN_ERROR";
  message: string;
  code?: string;
  /** Milliseconds since the epoch. */
  timestamp?: number;
  metadata?: { loopwire?: { run_id?: string; [field: string]: unknown } };
  [field: string]: unknown;
}

/** A text begins, or goes on where its message is known; without a role it is the assistant's. */
export interface TextMessageStartEvent {
  type: "TEXT_MESSAGE_START";
  messageId: string;
  role?: "user" | "assistant" | "system" | "developer";
  name?: string;
  /** Milliseconds since the epoch. */
  timestamp?: number;
  metadata?: {
    loopwire?: {
      /** The id under which its sender sent it. */
      client_id?: string;
      /** The parts that were sent. */
      content?: (TextPart | AnswerPart | ShownImagePart | RequestPart)[];
      /** A person of the app's team wrote it, and no agent. */
      operator?: true;
      /** The ids of all its versions, itself among them, oldest first; absent where there is one. */
      versions?: string[];
      [field: string]: unknown;
    };
  };
  [field: string]: unknown;
}

/** Text for an open message. */
export interface TextMessageContentEvent {
  type: "TEXT_MESSAGE_CONTENT";
  messageId: string;
  delta: string;
  [field: string]: unknown;
}

/** A text is complete. */
export interface TextMessageEndEvent {
  type: "TEXT_MESSAGE_END";
  messageId: string;
  [field: string]: unknown;
}

/** A summary of what a model thinks begins, or goes on where its message is known. */
export interface ReasoningMessageStartEvent {
  type: "REASONING_MESSAGE_START";
  messageId: string;
  role?: "reasoning";
  /** Milliseconds since the epoch. */
  timestamp?: number;
  metadata?: {
    loopwire?: {
      /** Of a call or a summary of reasoning: whose it is. */
      agent?: string;
      [field: string]: unknown;
    };
  };
  [field: string]: unknown;
}

/** Text for an open summary. */
export interface ReasoningMessageContentEvent {
  type: "REASONING_MESSAGE_CONTENT";
  messageId: string;
  delta: string;
  [field: string]: unknown;
}

/** A summary is complete; without a duration it was broken off. */
export interface ReasoningMessageEndEvent {
  type: "REASONING_MESSAGE_END";
  messageId: string;
  metadata?: {
    loopwire?: {
      duration_ms?: number;
      /** There was more of this summary than is shown. */
      truncated?: true;
      [field: string]: unknown;
    };
  };
  [field: string]: unknown;
}

/** A call begins: an assistant's message of its own, whose id is the call's. */
export interface ToolCallStartEvent {
  type: "TOOL_CALL_START";
  toolCallId: string;
  toolCallName: string;
  /** Milliseconds since the epoch. */
  timestamp?: number;
  metadata?: {
    loopwire?: {
      /** Of a call: the picture of its tool. */
      icon?: string;
      [field: string]: unknown;
    };
  };
  [field: string]: unknown;
}

/** A piece of the public view of a call's arguments, which is JSON as a whole. */
export interface ToolCallArgsEvent {
  type: "TOOL_CALL_ARGS";
  toolCallId: string;
  delta: string;
  [field: string]: unknown;
}

/** The arguments of a call are complete, and the tool works until its result. */
export interface ToolCallEndEvent {
  type: "TOOL_CALL_END";
  toolCallId: string;
  [field: string]: unknown;
}

/** The public view of a call's result. */
export interface ToolCallResultEvent {
  type: "TOOL_CALL_RESULT";
  messageId: string;
  toolCallId: string;
  content: string;
  role?: "tool";
  /** Milliseconds since the epoch. */
  timestamp?: number;
  metadata?: {
    loopwire?: {
      /** The outcome of a call. */
      status?: "done" | "failed" | "stopped" | "unknown";
      duration_ms?: number;
      [field: string]: unknown;
    };
  };
  [field: string]: unknown;
}

/** An agent takes over. */
export interface StepStartedEvent {
  type: "STEP_STARTED";
  stepName: string;
  [field: string]: unknown;
}

/** An agent is done for now. */
export interface StepFinishedEvent {
  type: "STEP_FINISHED";
  stepName: string;
  [field: string]: unknown;
}

/** The session's public state as a whole. */
export interface StateSnapshotEvent {
  type: "STATE_SNAPSHOT";
  snapshot: { [field: string]: unknown };
  [field: string]: unknown;
}

/** A change of the session's public state. */
export interface StateDeltaEvent {
  type: "STATE_DELTA";
  delta: PatchOperation[];
  [field: string]: unknown;
}

/**
 * Something to show that is neither text nor call: `handoff`, `tool_progress`, `block` or `operator`.
 * It takes the place of the activity with its id, unless `replace` is false.
 */
export interface ActivitySnapshotEvent {
  type: "ACTIVITY_SNAPSHOT";
  messageId: string;
  activityType: string;
  content: { [field: string]: unknown };
  replace?: boolean;
  /** Milliseconds since the epoch. */
  timestamp?: number;
  [field: string]: unknown;
}

/** A change of an activity's content. */
export interface ActivityDeltaEvent {
  type: "ACTIVITY_DELTA";
  messageId: string;
  activityType: string;
  patch: PatchOperation[];
  [field: string]: unknown;
}

/**
 * The messages so far; with scope `run` those of the current run alone, with `path` those of another path.
 * `before` is the cursor of the messages before them.
 */
export interface MessagesSnapshotEvent {
  type: "MESSAGES_SNAPSHOT";
  messages: ShownMessage[];
  metadata?: {
    loopwire?: {
      scope?: "run" | "path";
      attempt?: number;
      before?: string;
      [field: string]: unknown;
    };
  };
  [field: string]: unknown;
}

/** An event that this version does not send; a newer one may. It changes nothing here. */
export interface OtherEvent {
  type:
    | "TEXT_MESSAGE_CHUNK"
    | "TOOL_CALL_CHUNK"
    | "RAW"
    | "CUSTOM"
    | "REASONING_START"
    | "REASONING_MESSAGE_CHUNK"
    | "REASONING_END"
    | "REASONING_ENCRYPTED_VALUE"
    | "SUBAGENT_STARTED"
    | "SUBAGENT_FINISHED"
    | "SUBAGENT_ERROR"
    | OtherText;
  [field: string]: unknown;
}

/** An AG-UI 1.0 event, unchanged; Loopwire's own data stands under metadata.loopwire. */
export type LogEvent =
  | RunStartedEvent
  | RunFinishedEvent
  | RunErrorEvent
  | TextMessageStartEvent
  | TextMessageContentEvent
  | TextMessageEndEvent
  | ReasoningMessageStartEvent
  | ReasoningMessageContentEvent
  | ReasoningMessageEndEvent
  | ToolCallStartEvent
  | ToolCallArgsEvent
  | ToolCallEndEvent
  | ToolCallResultEvent
  | StepStartedEvent
  | StepFinishedEvent
  | StateSnapshotEvent
  | StateDeltaEvent
  | ActivitySnapshotEvent
  | ActivityDeltaEvent
  | MessagesSnapshotEvent
  | OtherEvent;

/** An event of the log. Applied if from (or seq) <= last + 1, dropped if seq <= last. */
export interface Durable {
  seq: number;
  /** First seq, when the frame stands for several events. */
  from?: number;
  /** Told with the first frame after it changed. */
  epoch?: string;
  event: LogEvent;
  /** HTML, for loopwire.v1.html. */
  content?: string;
  target?: string;
  swap?: string;
}

/** A replay, to be applied in one go. */
export interface Batch {
  batch: Durable[];
}

export type ClientFrame = Hello | MessageFrame | Edit | Regenerate | Switch | Cancel | Resume | ToolResult | Feedback | Typing;

export type ServerFrame =
  | Welcome
  | Snapshot
  | Queue
  | Ack
  | ErrorFrame
  | Reconnect
  | Close
  | Degraded
  | TypingNotice
  | FeedbackNotice
  | Durable
  | Batch;
