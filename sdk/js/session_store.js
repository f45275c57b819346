/** Stores the session's id and the unacknowledged frames for the next page; no secret. */
export class SessionStore {
  #changes = new Map();
  #due = false;
  #key;
  #session;
  #storage;

  /** @param {Pick<Storage, "getItem" | "setItem">} [storage]  without one nothing outlives the page */
  constructor(storage, key) {
    [this.#storage, this.#key] = [storage, key];
  }

  /** Read what the previous page stored: `session`, and its `frames`, oldest first. */
  read() {
    try {
      return { session: null, frames: [], ...JSON.parse(this.#storage?.getItem(this.#key) ?? "{}") };
    } catch {
      return { session: null, frames: [] };
    }
  }

  /** Store the id of the session; null deletes it, and all frames with it. */
  begin(session) {
    this.#session = session;
    this.#change();
  }

  /** Store a frame, or delete it when none is given. A `cancel` is not stored: the next page must not stop another run. */
  put(id, frame) {
    if (frame?.type === "cancel") return;
    this.#changes.set(id, frame);
    this.#change();
  }

  /** Write once for all changes of a turn of the event loop. */
  #change() {
    if (!this.#due) queueMicrotask(() => this.#write());
    this.#due = true;
  }

  /** Merge the changes, since another tab may have written meanwhile. */
  #write() {
    const { session, frames } = this.read();
    const kept = new Map(frames.map((frame) => [frame.id, frame]));
    for (const [id, frame] of this.#changes) frame ? kept.set(id, frame) : kept.delete(id);
    const left = this.#session === null ? {} : { session: this.#session ?? session, frames: [...kept.values()] };
    this.#changes.clear();
    this.#due = false;
    try {
      this.#storage?.setItem(this.#key, JSON.stringify(left));
    } catch {
      // The storage is full: nothing is stored, and frames are still sent.
    }
  }
}
