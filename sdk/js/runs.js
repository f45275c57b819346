import { ours } from "./messages.js";
import { Run } from "./run.js";

const LOST_MS = 5_000;

/** The runs that this client follows, until their ends. */
export class Runs {
  #all = new Set();
  #client;
  #conversation;
  #finished;
  #joined = false;
  #timer;

  constructor(client, conversation) {
    [this.#client, this.#conversation] = [client, conversation];
  }

  /** Follow a run from its beginning, of which some parts may have been given already. */
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

  /** The conversation changed. */
  follow({ ids, snapshot }) {
    this.#joined ||= snapshot;
    for (const run of this.#all) this.#tell(run, ids);
  }

  /** The first list after a snapshot: a run that neither has ended beyond what the snapshot shows, or begins just now. */
  list(items) {
    if (!this.#joined) return;
    this.#joined = false;
    const queued = items.map((item) => item.run_id);
    this.#await([...this.#all].filter((run) => run.isMissing(queued)));
  }

  /** The run that goes on with the result of a tool belongs to the one that asked. */
  async followAnswer(call, ack) {
    const asked = ours(this.#conversation.messages.findLast((each) => each.id === call) ?? {}).run_id;
    const run = [...this.#all].find((each) => each.has(asked));
    await ack.then(
      ({ run_id }) => run?.join(run_id),
      () => run?.release(), // Another client was faster, or it is too late.
    );
    if (run) this.#tell(run, this.#everything);
    return ack;
  }

  /** Nobody follows any more. */
  close() {
    clearTimeout(this.#timer);
    for (const run of this.#all) this.#end(run, { id: run.current, status: "running" });
  }

  /** Give these up when nothing runs behind which they may wait: not everything that waits is listed. */
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
