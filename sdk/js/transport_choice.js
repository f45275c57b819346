const COME_BACK_MS = 5_000;
const LONGEST_MS = 300_000;
const FAILURES = 2;

/** Which kind of line is tried next. The socket is the better one; a stream gets through where a socket does not. */
export class TransportChoice {
  #failures = 0;
  #pause = COME_BACK_MS;
  /** Does the stream come first, because sockets did not get through? */
  streams = false;

  /** Remember that a line of this kind was welcomed. */
  succeed(name) {
    this.streams = name === "sse";
    this.#failures = 0;
    if (!this.streams) this.#pause = COME_BACK_MS;
  }

  /** Remember that a line of this kind ended before it was welcomed; a server's own code says that it got through. */
  fail(name, code) {
    if (code >= 1011 && code !== 1015) return;
    if (name === "sse") this.#failures = FAILURES - 1;
    else this.#failures += 1;
    this.streams = this.#failures >= FAILURES;
  }

  /** How long to stay with the stream before the socket is tried again: twice as long each time. */
  pause() {
    const pause = this.#pause;
    this.#pause = Math.min(LONGEST_MS, 2 * pause);
    return pause;
  }
}
