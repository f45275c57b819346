import { ours } from "./messages.js";
import { partOf, endOf } from "./parts.js";
import { same } from "./patch.js";

/**
 * The answer to one message: its parts, each once and in order, and its end. Runs that go on with the results of
 * this page's tools belong to it. Parts come from the folded conversation, so a cut or a take-over repeats none.
 */
export class Run {
  #cancel;
  #ended = false;
  #found = false;
  #held = null;
  #ids = new Set();
  #parts = [];
  #resolve;
  #stopped = false;
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

  /** Has it ended, or is its end no longer awaited? */
  get ended() {
    return this.#ended;
  }

  /** Is its latest run known to be no run of the conversation as it stands? */
  isMissing(queued) {
    return !this.#found && !queued.includes(this.current);
  }

  /** Does it hold this run? */
  has(run_id) {
    return this.#ids.has(run_id);
  }

  /** Stop it, running or queued, from this tab or another; the stop resolves when it is stored. */
  stop() {
    this.#stopped = true;
    return this.#cancel({ run_id: this.current });
  }

  /** Go on with the run that continues it. */
  join(id) {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    this.current = id;
    [this.#found, this.#held] = [false, null];
    if (this.#stopped) this.stop().catch(() => {});
  }

  /** All parts from the first one; leaving the loop stops nothing. */
  async *[Symbol.asyncIterator]() {
    for (let at = 0; at < this.#parts.length || !this.#ended; ) {
      if (at < this.#parts.length) yield this.#parts[at++];
      else await new Promise((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Take what changed in the conversation; `finished` is the last RUN_FINISHED, `isTaken` whether this page answers. */
  follow(conversation, ids, finished, isTaken) {
    if (this.#ended) return;
    const { messages, before } = conversation;
    const find = (id) => messages.findLast((each) => each.id === id);
    if (ids.some((id) => this.#told.has(id) && !find(id))) this.#retract(find, before === null);
    for (const id of ids) {
      const message = find(id);
      if (message && this.#ids.has(ours(message).run_id)) this.#tell(partOf(message, messages));
    }
    this.#settle(conversation, finished, isTaken);
  }

  /** Nobody here answers what it waited for. */
  release() {
    if (this.#held) this.end(this.#held);
  }

  /** End it here: it gives no more parts. */
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

  /** The parts that are gone: they are withdrawn, unless they are older than what a snapshot has. */
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
    if (part.type !== "text") return part.type && this.#push(part);
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
