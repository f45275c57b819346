import { ours } from "./messages.js";
import { Run } from "./run.js";

const LOST_MS = 5_000;

/** The runs that this client follows, until their ends. */
export class Runs {
  #all = new Set();
  #client;
  #conversation;
  #finished;
  #joined;
  #timer;

  constructor(client, conversation) {
    [this.#client, this.#conversation] = [client, conversation];
  }

  /** Follow a run from its first part, which the conversation may have already. */
  add(id) {
    const run = new Run(id, (target) => this.#client.cancel(target));
    this.#all.add(run);
    this.#tell(run, this.#everything);
    return run;
  }

  /** Remember an event before it is folded: the fold keeps no usage. */
  remember(event) {
    if (event.type === "RUN_FINISHED") this.#finished = event;
  }

  /** Pass the changes of the conversation to each run. */
  follow({ ids, snapshot }) {
    this.#joined ||= snapshot;
    for (const run of this.#all) this.#tell(run, ids);
  }

  /** Take the first queue after a snapshot. A run in neither has ended, or begins now. */
  list(items) {
    if (!this.#joined) return;
    this.#joined = false;
    const queued = items.map((item) => item.run_id);
    this.#await([...this.#all].filter((run) => run.isMissing(queued)));
  }

  /** Join the run that continues with a tool's result to the run that called the tool. */
  async followAnswer(call, ack) {
    const asked = ours(this.#conversation.messages.findLast((each) => each.id === call) ?? {}).run_id;
    const run = [...this.#all].find((each) => each.has(asked));
    await ack.then(
      ({ run_id }) => run?.join(run_id),
      () => run?.release(), // Another client was faster, or it is too late.
    );
    return ack;
  }

  /** End all runs here, since the client is closed. */
  close() {
    clearTimeout(this.#timer);
    for (const run of this.#all) this.#end(run, { id: run.current, status: "running" });
  }

  /** End these when no run is active: the server does not list every queued run. */
  #await(missing) {
    clearTimeout(this.#timer);
    if (missing.length === 0) return;
    this.#timer = setTimeout(() => {
      const left = missing.filter((run) => run.isMissing([]));
      if (this.#conversation.run?.status === "running") this.#await(left);
      else for (const run of left) this.#end(run, { id: run.current, status: "unknown" });
    }, LOST_MS);
  }

  get #everything() {
    return this.#conversation.messages.map((each) => each.id);
  }

  #tell(run, ids) {
    run.follow(this.#conversation, ids, this.#finished, (id) => this.#client.tools.answers(id));
    if (run.ended) this.#all.delete(run);
  }

  #end(run, how) {
    run.end(how);
    this.#all.delete(run);
  }
}
