/** Keeps the frames that the server has not acknowledged; the client sends them after every reconnect, with the same ids. */
export class Outbox {
  constructor() {
    this.frames = new Map();
  }

  /** Keep a frame until it is acknowledged or refused. Returns a promise of its ack. */
  keep(frame) {
    const known = this.frames.get(frame.id);
    if (known) return known.promise;
    const entry = { frame };
    entry.promise = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    entry.promise.catch(() => {});
    this.frames.set(frame.id, entry);
    return entry.promise;
  }

  /** Settle a frame by the server's answer; one that may be sent again later stays. */
  settle(answer) {
    const entry = this.frames.get(answer.id);
    if (!entry) return;
    if (answer.type === "error" && answer.retry && answer.retry_after) return;
    this.frames.delete(answer.id);
    if (answer.type === "ack") entry.resolve(answer);
    else entry.reject(Object.assign(new Error(answer.message), { code: answer.code, retry: answer.retry ?? false }));
  }

  /** Drop a frame that the caller withdrew before its ack. */
  drop(id, why = Object.assign(new Error("taken back"), { code: "taken_back" })) {
    const entry = this.frames.get(id);
    this.frames.delete(id);
    entry?.reject(why);
  }

  /** The frames without an answer, oldest first. */
  waiting() {
    return [...this.frames.values()].map((entry) => entry.frame);
  }
}
