const HANDSHAKE_MS = 30_000;
const SILENCE_MS = 8_000;

/** The code of a transport that just broke, as WebSocket has it. */
export const LOST = 1006;

/** One connection to the server, of any kind: it receives frames, sends frames, and ends once, with a close code. */
export class Transport {
  #listener;
  #timer;

  /** @param {{receive: (transport: Transport, frame: object) => void, end: (transport: Transport, code: number) => void}} listener */
  constructor(listener) {
    this.#listener = listener;
    // A server that is starting answers as soon as it can: leaving it earlier only begins the wait anew.
    this.within(HANDSHAKE_MS);
  }

  /** The connection is open: now a welcome has to come soon. */
  awaitWelcome() {
    this.within(SILENCE_MS);
  }

  /** End unless a frame arrives in time; 0 waits for ever. */
  within(ms) {
    clearTimeout(this.#timer);
    if (ms && this.#listener) this.#timer = setTimeout(() => this.end(LOST), ms);
  }

  receive(frame) {
    if (frame.type === "welcome") this.within(0);
    this.#listener?.receive(this, frame);
  }

  /** Leave without a word to the listener. */
  close() {
    this.#listener = null;
    this.within(0);
    this.release();
  }

  /** Tell the end, once. */
  end(code) {
    const listener = this.#listener;
    this.close();
    listener?.end(this, code);
  }
}
