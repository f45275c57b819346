const HANDSHAKE_MS = 30_000;
const SILENCE_MS = 8_000;

/** The code of a line that just broke, as WebSocket has it. */
export const LOST = 1006;

/** One connection to the server, of any kind: it receives frames, sends frames, and ends once, with a close code. */
export class Line {
  #listener;
  #timer;

  /** @param {{heard: (line: Line, frame: object) => void, ended: (line: Line, code: number) => void}} listener */
  constructor(listener) {
    this.#listener = listener;
    // A server that is starting answers as soon as it can: leaving it earlier only begins the wait anew.
    this.within(HANDSHAKE_MS);
  }

  /** The connection is open: now a welcome has to come soon. */
  reached() {
    this.within(SILENCE_MS);
  }

  /** End unless a frame arrives in time; 0 waits for ever. */
  within(ms) {
    clearTimeout(this.#timer);
    if (ms && this.#listener) this.#timer = setTimeout(() => this.end(LOST), ms);
  }

  hear(frame) {
    if (frame.type === "welcome") this.within(0);
    this.#listener?.heard(this, frame);
  }

  /** Leave without a word to the listener. */
  close() {
    this.#listener = null;
    this.within(0);
    this.released();
  }

  /** Tell the end, once. */
  end(code) {
    const listener = this.#listener;
    this.close();
    listener?.ended(this, code);
  }
}
