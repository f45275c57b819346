import { uiMessagesOf, valueOf } from "./ai-messages.js";

/** A chat of Loopwire as a `ChatTransport` of the AI SDK. */
export class LoopwireTransport {
  /** The id of the version that is shown, by the id that the AI SDK uses for all versions of the message. */
  #shown = new Map();

  /** The stream of `reconnectToStream` begins with the first part of the run. */
  resumeStreamIsReplay = true;

  /** @param {object} chat  the chat that `loopwire` returned */
  constructor(chat) {
    this.chat = chat;
  }

  /** The conversation so far, as `useChat` keeps it, with the parts so far of a run that is not over. */
  async load() {
    await this.chat.follow();
    return uiMessagesOf(this.chat);
  }

  async sendMessages({ trigger, messageId, messages, abortSignal: signal }) {
    const again = trigger !== "submit-message";
    const { id, role, parts = [] } = messages.findLast((each) => !again || each.role === "user") ?? {};
    if (role !== "user") return this.#answer(parts, signal);
    const content = () => Promise.all(parts.flatMap((part) => this.#sent(part)));
    const shown = this.#shown.get(id) ?? id;
    let run;
    try {
      run = again ? await this.chat.regenerate(shown) : messageId && (await this.chat.edit(shown, await content()));
    } catch (error) {
      // A message whose sending failed was never stored.
      if (error.code !== "not_found") throw error;
    }
    run ||= await this.chat.send(await content(), { id, signal });
    this.#shown.set(id, run.id);
    return streamOf(run, signal);
  }

  async reconnectToStream({ abortSignal } = {}) {
    const run = await this.chat.follow();
    return run?.ended === false ? streamOf(run, abortSignal) : null;
  }

  close() {
    this.chat.close();
  }

  #sent({ type, text, url }) {
    if (type === "text") return { type, text };
    if (type !== "file") return [];
    return fetch(url).then(async (file) => this.chat.upload(await file.blob()));
  }

  /** Send what a person decided about calls; the run continues in the same message. */
  async #answer(parts, signal) {
    const calls = parts.filter((part) => part.toolCallId);
    let run;
    for (const { approval, state } of calls) {
      if (state !== "approval-responded") continue;
      await run?.done;
      run = await this.chat.answer(approval.id, { approved: approval.approved });
      // Another tab answered first: follow the run of its answer.
      if (run.lost) run = await this.chat.follow();
    }
    if (!run) throw new Error("There is nothing to answer.");
    return streamOf(run, signal, calls.map(({ toolCallId }) => toolCallId));
  }
}

/** A run as a stream of `UIMessageChunk`; with `known` calls it goes on with their message. */
function streamOf(run, signal, known) {
  const stop = () => run.stop().catch(() => {});
  if (signal?.aborted) stop();
  else signal?.addEventListener("abort", stop);
  return new ReadableStream({
    async start(out) {
      for await (const chunk of chunksOf(run, known)) out.enqueue(chunk);
      out.close();
    },
  });
}

async function* chunksOf(run, known) {
  const calls = new Set(known);
  let told = [];
  let open;
  yield { type: "start", ...(!known && { messageId: run.id }) };
  yield { type: "start-step" };
  for await (const part of run) {
    const { type, id, delta } = part;
    const chunks = [];
    if (open && open.id !== id) chunks.push(open);
    if (delta && open?.id !== id) chunks.push({ type: `${type}-start`, id });
    open = delta && { type: `${type}-end`, id };
    if (delta) chunks.push({ type: `${type}-delta`, id, delta });
    else if (type !== "retract") chunks.push(...chunksOfPart(part, calls));
    yield* chunks;
    told.push(...chunks);
    if (type !== "retract") continue;
    // The AI SDK withdraws whole steps only, so the chunks that stay are sent again.
    told = told.filter((each) => each.id !== id && each.toolCallId !== id);
    calls.delete(id);
    yield { type: "reset-step" };
    yield* told;
  }
  if (open) yield open;
  const { status, outcome, usage, message, code } = await run.done;
  yield status === "error" ? { type: "error", errorText: message ?? code } : { type: "finish-step" };
  yield { type: "finish", finishReason: { success: "stop", interrupt: "tool-calls" }[outcome?.type] ?? "other", ...(usage && { messageMetadata: { usage } }) };
}

function chunksOfPart({ type, id, ...part }, calls) {
  if (type === "ask" && part.kind === "approval")
    return [{ type: "tool-approval-request", approvalId: id, toolCallId: part.toolCallId, reason: part.message }];
  if (type !== "tool") return [{ type: `data-${type}`, id, data: part }];
  const tool = { toolCallId: id, toolName: part.name, dynamic: true, providerExecuted: true };
  const begun = calls.has(id) ? [] : [{ ...tool, type: "tool-input-available", input: valueOf(part.arguments) }];
  calls.add(id);
  const { result, progress, label } = part;
  if (part.status === "done") return [...begun, { ...tool, type: "tool-output-available", output: valueOf(result) }];
  if (result !== undefined) return [...begun, { ...tool, type: "tool-output-error", errorText: result }];
  return progress === undefined ? begun : [...begun, { type: "data-progress", id, data: { progress, label } }];
}
