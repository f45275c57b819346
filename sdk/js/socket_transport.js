import { LOST, Transport } from "./transport.js";

/** A WebSocket: the hello is its first frame. */
export class SocketTransport extends Transport {
  name = "websocket";
  #socket = null;

  constructor(options, session, hello, listener) {
    super(listener);
    const Socket = options.WebSocket ?? globalThis.WebSocket;
    try {
      this.#socket = new Socket(options.url, [options.html ? "loopwire.v1.html" : "loopwire.v1"]);
    } catch {
      queueMicrotask(() => this.end(LOST));
      return;
    }
    this.#socket.onopen = () => {
      this.#socket.send(JSON.stringify(hello));
      this.awaitWelcome();
    };
    this.#socket.onmessage = ({ data }) => this.receive(JSON.parse(data));
    this.#socket.onclose = ({ code }) => this.end(code);
  }

  send(frame) {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  release() {
    if (!this.#socket) return;
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close(1000);
  }
}
