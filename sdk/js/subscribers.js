const report = (error) => (globalThis.reportError ?? console.error)(error);

/** The subscribers of changes: each is called once a turn, and an error of one does not stop the others. */
export class Subscribers {
  #all = new Set();
  #due = false;

  /** Add a listener; returns the function that removes it. */
  add(listener) {
    const subscriber = () => listener();
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
