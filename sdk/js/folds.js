import { callOf, inOrder, ours, stamped } from "./messages.js";
import { PatchError, patched } from "./patch.js";

/** The folds: each event's change of a transcript. Each returns the ids of the messages that it changed, if any. */
export const folds = {
  RUN_STARTED(transcript, event) {
    const { attempt, kind } = ours(event);
    const { run } = transcript;
    if (kind !== "snapshot" && run?.id === event.runId) {
      transcript.run = { ...run, attempt: attempt ?? run.attempt };
      return;
    }
    const begun = { id: event.runId, status: "running", attempt: attempt ?? 1, kind: kind ?? "agent" };
    if (event.parentRunId) begun.parentRunId = event.parentRunId;
    if (event.timestamp !== undefined) begun.at = event.timestamp;
    transcript.run = kind === "snapshot" ? null : begun;
    return transcript.closeAll();
  },

  RUN_FINISHED(transcript, { runId, outcome }) {
    const ended = outcome ?? { type: "success" };
    const { run } = transcript;
    const how = ended.type === "cancelled" ? { outcome: "cancelled" } : null;
    const changed = transcript.end(runId, { status: "finished", outcome: ended }, how);
    if (transcript.run === run) return [];
    return [...changed, ...(ended.interrupts ?? []).flatMap((each) => waits(transcript, each))];
  },

  RUN_ERROR(transcript, event) {
    const { code = "internal", message } = event;
    const run_id = ours(event).run_id ?? transcript.run?.id;
    return transcript.end(run_id, { status: "error", code, message }, { outcome: "error", code });
  },

  TEXT_MESSAGE_START(transcript, event) {
    const message = { id: event.messageId, role: event.role ?? "assistant", content: "" };
    if ("name" in event) message.name = event.name;
    transcript.texts.add(message.id);
    return transcript.open(message, event);
  },

  TEXT_MESSAGE_CONTENT(transcript, { messageId, delta }) {
    const known = transcript.texts.has(messageId) && transcript.find(messageId);
    return known ? transcript.put({ ...known, content: known.content + delta }) : [];
  },

  TEXT_MESSAGE_END(transcript, event) {
    return transcript.close(transcript.texts, event.messageId, ours(event));
  },

  REASONING_MESSAGE_START: (...given) => folds.TEXT_MESSAGE_START(...given),
  REASONING_MESSAGE_CONTENT: (...given) => folds.TEXT_MESSAGE_CONTENT(...given),
  REASONING_MESSAGE_END: (...given) => folds.TEXT_MESSAGE_END(...given),

  TOOL_CALL_START(transcript, event) {
    const { toolCallId: id, toolCallName: name } = event;
    transcript.calls.add(id);
    return transcript.open({ id, role: "assistant", toolCalls: [callOf(id, name)] }, event);
  },

  TOOL_CALL_ARGS(transcript, { toolCallId: id, delta }) {
    const known = transcript.calls.has(id) && transcript.find(id);
    if (!known) return [];
    const { name, arguments: before } = known.toolCalls[0].function;
    return transcript.put({ ...known, toolCalls: [callOf(id, name, before + delta)] });
  },

  TOOL_CALL_END(transcript, { toolCallId }) {
    return transcript.close(transcript.calls, toolCallId);
  },

  TOOL_CALL_RESULT(transcript, event) {
    const { messageId: id, toolCallId, content } = event;
    return transcript.putResult(stamped({ id, role: "tool", toolCallId, content }, transcript.stamp(event)));
  },

  STEP_STARTED(transcript, { stepName }) {
    transcript.steps = [...transcript.steps, stepName];
  },

  STEP_FINISHED(transcript, { stepName }) {
    const place = transcript.steps.lastIndexOf(stepName);
    if (place >= 0) transcript.steps = transcript.steps.toSpliced(place, 1);
  },

  STATE_SNAPSHOT(transcript, { snapshot }) {
    transcript.state = snapshot;
  },

  STATE_DELTA(transcript, { delta }) {
    transcript.state = fitting(transcript.state, delta);
  },

  ACTIVITY_SNAPSHOT(transcript, event) {
    const { messageId: id, activityType, content, replace = true } = event;
    const known = transcript.find(id);
    if (known) return replace ? transcript.put({ ...known, content }) : [];
    return transcript.put(stamped({ id, role: "activity", activityType, content }, transcript.stamp(event)));
  },

  ACTIVITY_DELTA(transcript, { messageId, patch }) {
    const known = transcript.find(messageId);
    return known ? transcript.put({ ...known, content: fitting(known.content, patch) }) : [];
  },

  MESSAGES_SNAPSHOT(transcript, event) {
    const { scope, attempt } = ours(event);
    const { messages, run } = transcript;
    const ofRun = scope === "run" && run;
    const gone = ofRun ? transcript.ofRun(run.id) : messages;
    const ids = new Set(gone.map(({ id }) => id));
    const first = messages.findIndex(({ id, role }) => ids.has(id) && role !== "tool");
    const place = first < 0 ? messages.length : first;
    const others = (some) => some.filter(({ id }) => !ids.has(id));
    if (ofRun) transcript.run = { ...run, attempt: attempt ?? run.attempt };
    const [before, after] = [messages.slice(0, place), messages.slice(place)].map(others);
    transcript.messages = inOrder([...before, ...event.messages, ...after]);
    transcript.texts.clear();
    transcript.calls.clear();
    return [...gone, ...event.messages].map(({ id }) => id);
  },
};

/** Mark the call that a person or a page must answer; the mark counts until the call has a result. */
function waits(transcript, interrupt) {
  const call = transcript.find(interrupt.toolCallId);
  if (!call || "waits" in ours(call)) return [];
  return transcript.put(stamped(call, { ...ours(call), waits: ours(interrupt) }));
}

/** Apply a patch. A patch that does not fit changes nothing, as in AG-UI's own client. */
function fitting(document, patch) {
  try {
    return patched(document, patch);
  } catch (error) {
    if (error instanceof PatchError) return document;
    throw error;
  }
}
