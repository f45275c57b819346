import { ours } from "./messages.js";
import { partOf, endOf } from "./parts.js";
import { same } from "./patch.js";

/**
 * The answer to one message: its parts, each once and in order, and its end. Runs that continue it with the results of
 * this page's tools belong to it. It reads the folded conversation, so a reconnect repeats no part.
 */
export class Run {
  #cancel;
  #ended = false;
  #found;
  #held;
  #ids = new Set();
  #parts = [];
  #resolve;
  #stopped;
  #told = new Map();
  #usage = [];
  #waiting = [];

  /**
   * @param {string} id
   * @param {(target: {run_id: string}) => Promise<object>} cancel
   */
  constructor(id, cancel) {
    this.id = id;
    this.#cancel = cancel;
    this.done = new Promise((resolve) => (this.#resolve = resolve));
    this.join(id);
  }

  /** Whether the run has ended, or the client no longer waits for its end. */
  get ended() {
    return this.#ended;
  }

  /** Whether neither the conversation nor this list of queued runs has its latest run. */
  isMissing(queued) {
    return !this.#found && !queued.includes(this.current);
  }

  /** Whether this is the run, or one that continues it. */
  has(run_id) {
    return this.#ids.has(run_id);
  }

  /** Stop it, whether it is running or queued; resolves when the server has stored the stop. */
  stop() {
    this.#stopped = true;
    return this.#cancel({ run_id: this.current });
  }

  /** Follow the run that continues it. */
  join(id) {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    this.current = id;
    [this.#found, this.#held] = [false, null];
    if (this.#stopped) this.stop().catch(() => {});
  }

  /** All parts from the first one. Leaving the loop does not stop the run. */
  async *[Symbol.asyncIterator]() {
    for (let at = 0; at < this.#parts.length || !this.#ended; ) {
      if (at < this.#parts.length) yield this.#parts[at++];
      else await new Promise((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Take the changes of the conversation. `finished` is the last RUN_FINISHED; `isTaken` says whether this page answers. */
  follow(conversation, ids, finished, isTaken) {
    if (this.#ended) return;
    const { messages, before } = conversation;
    const find = (id) => messages.findLast((each) => each.id === id);
    if (ids.some((id) => !find(id))) this.#retract(find, before === null);
    for (const id of ids) {
      const message = find(id);
      if (message && this.#ids.has(ours(message).run_id)) this.#tell(partOf(message, messages));
    }
    this.#settle(conversation, finished, isTaken);
  }

  /** End it where it waits, since this page does not answer its interrupt. */
  release() {
    if (this.#held) this.end(this.#held);
  }

  /** End it: no more parts follow. */
  end(how) {
    if (this.#ended) return;
    for (const ask of how.outcome?.interrupts ?? []) this.#push({ ...ask, ...ours(ask), type: "ask" });
    this.#ended = true;
    this.#resolve({ ...how, ...(this.#usage.length && { usage: this.#usage }) });
    this.#wake();
  }

  #settle({ run, messages }, finished, isTaken) {
    if (this.#held && this.#ids.has(run?.parentRunId)) this.join(run.id);
    const { current } = this;
    const isOf = (each) => ours(each).run_id === current;
    if (run?.id !== current) {
      this.#found ||= messages.some(isOf);
      if (this.#found) this.end(this.#held ?? endOf(current, messages.findLast(isOf)));
      return;
    }
    this.#found = true;
    if (run.status === "running" || this.#held) return;
    if (finished?.runId === current) this.#usage.push(...(finished.usage ?? []));
    if (run.outcome?.interrupts?.some(({ id }) => isTaken(id))) this.#held = run;
    else this.end(run);
  }

  /** Retract the parts that the conversation no longer has, unless they are older than the messages of a snapshot. */
  #retract(find, isWhole) {
    let within = isWhole;
    for (const id of [...this.#told.keys()]) {
      if (find(id)) within = true;
      else if (within && this.#told.delete(id)) this.#push({ type: "retract", id });
    }
  }

  #tell(part) {
    let known = this.#told.get(part?.id);
    if (!part || (known && same(known, part))) return;
    this.#told.set(part.id, part);
    if (part.type !== "text" && part.type !== "reasoning") return part.type && this.#push(part);
    if (known && !part.text.startsWith(known.text)) {
      this.#push({ type: "retract", id: part.id });
      known = null;
    }
    const { text, ...rest } = part;
    const delta = text.slice(known?.text.length ?? 0);
    if (delta) this.#push({ ...rest, delta });
  }

  #push(part) {
    this.#parts.push(part);
    this.#wake();
  }

  #wake() {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
