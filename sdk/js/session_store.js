/** What outlives a page: the session's id, and the frames that the server has not acknowledged. Never a secret. */
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

  /** What the page before this one left: `session`, and its `frames`, oldest first. */
  read() {
    try {
      return { session: null, frames: [], ...JSON.parse(this.#storage?.getItem(this.#key) ?? "{}") };
    } catch {
      return { session: null, frames: [] };
    }
  }

  /** Keep the id of the session; null forgets it, and all frames with it. */
  begin(session) {
    this.#session = session;
    this.#change();
  }

  /** Keep a frame, or forget it when there is none. A stop belongs to its moment. */
  put(id, frame) {
    if (frame?.type === "cancel") return;
    this.#changes.set(id, frame);
    this.#change();
  }

  /** Write once for all that a turn changes. */
  #change() {
    if (!this.#due) queueMicrotask(() => this.#write());
    this.#due = true;
  }

  /** Another tab may have written meanwhile, so what stands there is changed, not replaced. */
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
      // A full storage keeps nothing; what is on its way goes on.
    }
  }
}
