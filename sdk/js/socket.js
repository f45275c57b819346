import { LOST, Line } from "./line.js";

/** A WebSocket: the hello is its first frame. */
export class SocketLine extends Line {
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
      this.reached();
    };
    this.#socket.onmessage = ({ data }) => this.hear(JSON.parse(data));
    this.#socket.onclose = ({ code }) => this.end(code);
  }

  send(frame) {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  released() {
    if (!this.#socket) return;
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close(1000);
  }
}
