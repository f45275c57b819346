const PATIENCE_MS = 60_000;
/** Characters of a result, and bytes of it in a frame: the server takes no more. */
const [MOST_RESULT, MOST_BYTES] = [32_768, 60_000];

/**
 * The tools of this page. Each message of this client carries them. When a run of such a message is interrupted for one of
 * them, the page runs the tool once and sends its result. Other tabs do nothing.
 */
export class Tools {
  #answer;
  #calls = new Map();
  #done = new Set();
  #known = new Map();
  #ownRuns = new Set();
  #open = [];
  #run;
  #ownMessages = new Set();
  #hasSnapshot;

  /** @param {(toolCallId: string, content: string) => Promise<object>} answer */
  constructor(answer) {
    this.#answer = answer;
  }

  /** Register a tool, and answer a call that waits for it already. */
  add(tool, act) {
    this.#known.set(tool.name, { tool, act });
    this.#offer(this.#open);
  }

  /** Stop offering these tools: the service has tools of these names. */
  ignore(names = []) {
    for (const name of names)
      if (this.#known.delete(name)) console.error(`Loopwire has a tool "${name}" already: yours is ignored.`);
  }

  /** The definitions of the tools, as a message carries them. */
  get list() {
    return [...this.#known.values()].map(({ tool }) => tool);
  }

  /** Whether this page answers the interrupt of this id. */
  answers(id) {
    return this.#done.has(id);
  }

  /** Remember the id of a message that this client sends. */
  claim(id) {
    this.#ownMessages.add(id);
  }

  /** Take one event of the session. */
  event(event) {
    const own = event.metadata?.loopwire;
    if (event.type === "RUN_STARTED") this.#start(event);
    else if (event.type === "TEXT_MESSAGE_START" && this.#ownMessages.has(own?.client_id)) this.#ownRuns.add(this.#run);
    else if (event.type === "TOOL_CALL_START") this.#calls.set(event.toolCallId, { name: event.toolCallName, args: "" });
    else if (event.type === "TOOL_CALL_ARGS" && this.#calls.has(event.toolCallId))
      this.#calls.get(event.toolCallId).args += event.delta;
    else if (event.type === "RUN_FINISHED" && this.#ownRuns.has(event.runId)) this.#offer(waiting(event));
  }

  /** Take a whole conversation. The first one may have calls that the previous page did not answer. */
  snapshot(events) {
    // Read the messages first: the run that continues one of ours precedes the message that began it.
    for (const { messages = [] } of events) for (const message of messages) this.#read(message);
    for (const event of events) {
      this.event(event);
      if (event.type === "RUN_FINISHED" && !this.#hasSnapshot) this.#offer(waiting(event));
    }
    this.#hasSnapshot = true;
  }

  #read({ toolCalls = [], metadata }) {
    for (const { id, function: { name, arguments: args } } of toolCalls) this.#calls.set(id, { name, args });
    const own = metadata?.loopwire;
    if (this.#ownMessages.has(own?.client_id)) this.#ownRuns.add(own.run_id);
  }

  #start({ runId, parentRunId }) {
    [this.#run, this.#open] = [runId, []];
    if (this.#ownRuns.has(parentRunId)) this.#ownRuns.add(runId);
  }

  #offer(interrupts) {
    this.#open = interrupts;
    for (const { id, toolCallId } of interrupts) {
      const call = this.#calls.get(toolCallId);
      const found = this.#known.get(call?.name);
      if (!found || this.#done.has(id)) continue;
      this.#done.add(id);
      // The answer fails when another client was faster or the interrupt expired; no caller waits for it.
      contentOf(found.act, call.args).then((content) => this.#answer(toolCallId, content)).catch(() => {});
    }
  }
}

function waiting({ outcome }) {
  if (outcome?.type !== "interrupt") return [];
  return outcome.interrupts.filter((each) => each.metadata?.loopwire?.kind === "tool");
}

async function contentOf(act, args) {
  let timer;
  const timeout = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("The page did not answer in time.")), PATIENCE_MS)));
  try {
    const result = await Promise.race([act(JSON.parse(args || "{}")), timeout]);
    const content = typeof result === "string" ? result : JSON.stringify(result ?? null);
    const bytes = content.length > MOST_RESULT ? Infinity : new TextEncoder().encode(JSON.stringify(content)).length;
    if (bytes > MOST_BYTES) throw new Error("The result is too long.");
    return content;
  } catch (error) {
    return JSON.stringify({ error: String(error?.message ?? error).slice(0, 500) });
  } finally {
    clearTimeout(timer);
  }
}
