const COME_BACK_MS = 5_000;
const LONGEST_MS = 300_000;
const FAILURES = 2;

/** Chooses the kind of transport that is tried next. A socket is preferred; a stream gets through where a socket does not. */
export class TransportChoice {
  #failures = 0;
  #pause = COME_BACK_MS;
  /** Whether the stream is tried first, because sockets did not get through. */
  streams = false;

  /** Remember that the server welcomed a transport of this kind. */
  succeed(name) {
    this.streams = name === "sse";
    this.#failures = 0;
    if (!this.streams) this.#pause = COME_BACK_MS;
  }

  /** Remember that a transport of this kind ended before its welcome. A close code of the server itself is no failure. */
  fail(name, code) {
    if (code >= 1011 && code !== 1015) return;
    if (name === "sse") this.#failures = FAILURES - 1;
    else this.#failures += 1;
    this.streams = this.#failures >= FAILURES;
  }

  /** Milliseconds to stay with the stream before the socket is tried again; they double each time. */
  pause() {
    const pause = this.#pause;
    this.#pause = Math.min(LONGEST_MS, 2 * pause);
    return pause;
  }
}
