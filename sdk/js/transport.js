const HANDSHAKE_MS = 30_000;
const SILENCE_MS = 8_000;

/** The close code of a connection that broke without a close frame, as WebSocket defines it. */
export const LOST = 1006;

/** One connection to the server, of any kind: it receives frames, sends frames, and ends once, with a close code. */
export class Transport {
  #listener;
  #timer;

  /** @param {{receive: (transport: Transport, frame: object) => void, end: (transport: Transport, code: number) => void}} listener */
  constructor(listener) {
    this.#listener = listener;
    // A server that is starting answers as soon as it can. Closing earlier would only begin the wait anew.
    this.within(HANDSHAKE_MS);
  }

  /** Expect the welcome soon, since the connection is open. */
  awaitWelcome() {
    this.within(SILENCE_MS);
  }

  /** End the transport unless a frame arrives within so many milliseconds; 0 waits for ever. */
  within(ms) {
    clearTimeout(this.#timer);
    if (ms && this.#listener) this.#timer = setTimeout(() => this.end(LOST), ms);
  }

  receive(frame) {
    if (frame.type === "welcome") this.within(0);
    this.#listener?.receive(this, frame);
  }

  /** Close without a call of the listener. */
  close() {
    this.#listener = null;
    clearTimeout(this.#timer);
    this.release();
  }

  /** Close and tell the listener, once. */
  end(code) {
    const listener = this.#listener;
    this.close();
    listener?.end(this, code);
  }
}
