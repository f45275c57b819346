const report = (error) => (globalThis.reportError ?? console.error)(error);

/** Who hears of changes: once for all that a turn changes, and nobody's error keeps it from the others. */
export class Subscribers {
  #all = new Set();
  #due = false;

  /** Returns what ends it. */
  add(heard) {
    const subscriber = () => heard();
    this.#all.add(subscriber);
    return () => void this.#all.delete(subscriber);
  }

  tell() {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      for (const subscriber of this.#all)
        try {
          subscriber();
        } catch (error) {
          report(error);
        }
    });
  }
}
