import { uiMessagesOf, valueOf } from "./ai-messages.js";

const REASONS = { success: "stop", interrupt: "tool-calls" };

/** A chat of Loopwire as a `ChatTransport` of the AI SDK. */
export class LoopwireTransport {
  /** What `reconnectToStream` gives begins with the first part of the run. */
  resumeStreamIsReplay = true;

  /** @param {object} chat  what `loopwire` gave */
  constructor(chat) {
    this.chat = chat;
  }

  /** The conversation so far, as `useChat` keeps it; a run that still writes is there as far as it is. */
  async load() {
    await this.chat.follow();
    return uiMessagesOf(this.chat);
  }

  async sendMessages({ trigger, messages, abortSignal }) {
    if (trigger !== "submit-message") throw new Error("Loopwire answers a message once: send it again as a new one.");
    const last = messages.at(-1);
    if (last.role !== "user") return this.#answer(last, abortSignal);
    const content = await Promise.all(last.parts.map((part) => this.#sent(part)));
    return streamOf(await this.chat.send(content.filter(Boolean), { id: last.id, signal: abortSignal }), abortSignal);
  }

  async reconnectToStream({ abortSignal } = {}) {
    const run = await this.chat.follow();
    return run && !run.ended ? streamOf(run, abortSignal) : null;
  }

  close() {
    this.chat.close();
  }

  close() {
    this.chat.close();
  }

  async #sent({ type, text, url }) {
    if (type === "text") return { type, text };
    return type === "file" ? this.chat.upload(await (await fetch(url)).blob()) : null;
  }

  /** Say what a person decided about calls; the answer goes on in the same message. */
  async #answer({ parts }, signal) {
    const calls = parts.filter((part) => part.toolCallId);
    let run = null;
    for (const { approval, state } of calls) {
      if (state !== "approval-responded") continue;
      await run?.done;
      const { approved } = approval;
      const next = await this.chat.answer(approval.id, { approved });
      // Where another tab was first, its run is the one that goes on.
      run = next.lost ? await this.chat.follow() : next;
    }
    if (!run) throw new Error("There is nothing to answer.");
    return streamOf(run, signal, calls.map(({ toolCallId }) => toolCallId));
  }
}

/** A run as a stream of `UIMessageChunk`; with `known` calls it goes on with their message. */
function streamOf(run, signal, known) {
  const chunks = chunksOf(run, known);
  if (signal?.aborted) run.stop().catch(() => {});
  else signal?.addEventListener("abort", () => run.stop().catch(() => {}));
  return new ReadableStream({
    async pull(out) {
      const { done, value } = await chunks.next();
      if (done) out.close();
      else out.enqueue(value);
    },
  });
}

async function* chunksOf(run, known) {
  const calls = new Set(known);
  let told = [];
  let text = null;
  yield known ? { type: "start" } : { type: "start", messageId: run.id };
  yield { type: "start-step" };
  for await (const part of run) {
    const chunks = [];
    if (text && text !== part.id) chunks.push({ type: "text-end", id: text });
    if (text !== part.id || part.type === "retract") text = null;
    if (part.type === "text" && !text) chunks.push({ type: "text-start", id: (text = part.id) });
    chunks.push(...chunksOfPart(part, calls));
    yield* chunks;
    told.push(...chunks.map((chunk) => [part.id, chunk]));
    if (part.type !== "retract") continue;
    // The AI SDK withdraws whole steps only, so the chunks that stay are sent again.
    told = told.filter(([id, chunk]) => (chunk.type === "text-end" ? chunk.id : id) !== part.id);
    calls.delete(part.id);
    yield { type: "reset-step" };
    yield* told.map(([, chunk]) => chunk);
  }
  if (text) yield { type: "text-end", id: text };
  yield* ending(await run.done);
}

function* ending({ status, outcome, usage, message, code }) {
  yield status === "error" ? { type: "error", errorText: message ?? code } : { type: "finish-step" };
  yield { type: "finish", finishReason: REASONS[outcome?.type] ?? "other", ...(usage && { messageMetadata: { usage } }) };
}

function chunksOfPart({ type, id, ...part }, calls) {
  if (type === "text") return [{ type: "text-delta", id, delta: part.delta }];
  if (type === "retract") return [];
  if (type === "ask" && part.kind === "approval")
    return [{ type: "tool-approval-request", approvalId: id, toolCallId: part.toolCallId, reason: part.message }];
  if (type !== "tool") return [{ type: `data-${type}`, id, data: part }];
  const tool = { toolCallId: id, toolName: part.name, dynamic: true, providerExecuted: true };
  const begun = calls.has(id) ? [] : [{ ...tool, type: "tool-input-available", input: valueOf(part.arguments) }];
  calls.add(id);
  const { result, progress, label } = part;
  if (part.status === "done") return [...begun, { type: "tool-output-available", ...tool, output: valueOf(result) }];
  if (result !== undefined) return [...begun, { type: "tool-output-error", ...tool, errorText: result }];
  return progress === undefined ? begun : [...begun, { type: "data-progress", id, data: { progress, label } }];
}
