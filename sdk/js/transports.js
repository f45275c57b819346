import { SocketTransport } from "./socket_transport.js";
import { TransportChoice } from "./transport_choice.js";

const BESIDE_MS = 4_000;
const QUIET_MS = 2_000;

const socket = () => SocketTransport;
/** Most clients never need it: it is loaded after the first welcome. Where it cannot be loaded, a socket is tried again. */
const stream = () => import("./stream_transport.js").then(({ StreamTransport }) => StreamTransport, socket);

/**
 * The transports of one client: at most one is in use, a socket, or a stream while no socket gets through.
 * The old one is closed after the welcome of the new one, so nothing is missed.
 */
export class Transports {
  #all = new Set();
  #later;
  #lastFrame;
  #round = 0;
  #choice = new TransportChoice();
  /** The sentence in which the server says why it refuses the connection, if it says one. */
  refusal;
  used;

  /**
   * @param {object} options  the client's
   * @param {() => Promise<{session: string, hello: object}>} introduce  returns the hello of a new transport
   * @param {{receive: (frame: object) => void, end: (code: number, early: boolean) => void, expire: () => void}} owner
   */
  constructor(options, introduce, owner) {
    Object.assign(this, { options, introduce, owner });
  }

  /** Open anew. If the transport hangs, one of the other kind is tried as well. Throws what `introduce` throws. */
  async open() {
    this.close();
    this.refusal = undefined;
    const round = this.#round;
    const streams = this.#choice.streams || !this.#hasSockets;
    const [first, second] = streams ? [stream, socket] : [socket, stream];
    try {
      await this.#start(first);
    } catch (error) {
      if (round === this.#round) throw error;
    }
    if (round === this.#round && !this.used && this.#hasSockets)
      this.#later = setTimeout(() => this.#start(second).catch(() => {}), BESIDE_MS);
  }

  /** Node 20 has no WebSocket: a socket there would only spend the ticket of the stream. */
  get #hasSockets() {
    return Boolean(this.options.WebSocket ?? globalThis.WebSocket);
  }

  /** Close every transport. */
  close() {
    this.#round++;
    clearTimeout(this.#later);
    for (const transport of this.#all) transport.close();
    this.#all.clear();
    this.used = undefined;
  }

  async #start(kind) {
    const round = this.#round;
    const Kind = await kind();
    const { session, hello } = await this.introduce();
    if (round !== this.#round) return;
    const listener = { receive: (transport, frame) => this.#hear(transport, frame), end: (transport, code) => this.#end(transport, code) };
    this.#all.add(new Kind(this.options, session, hello, listener));
  }

  #hear(transport, frame) {
    if (frame.type === "welcome") this.#use(transport);
    if (frame.type === "error" && frame.id === undefined) this.refusal = frame.message;
    if (this.used && transport !== this.used) return;
    this.#lastFrame = Date.now();
    this.owner.receive(frame);
  }

  #use(transport) {
    clearTimeout(this.#later);
    for (const other of this.#all) if (other !== transport) other.close();
    this.used = transport;
    this.#choice.succeed(transport.name);
    stream(); // Without a network it could not be loaded.
    if (transport.name === "sse" && this.#hasSockets) this.#comeBack(this.#choice.pause());
  }

  #end(transport, code) {
    this.#all.delete(transport);
    if (transport === this.used) {
      this.close();
      return this.owner.end(code, false);
    }
    this.#choice.fail(transport.name, code);
    if (this.used) {
      // The try to return to a socket failed: the stream stays in use.
      this.#choice.streams = true;
      if (code === 4401) this.owner.expire();
      return this.#comeBack(this.#choice.pause());
    }
    if (this.#all.size === 0) {
      this.close();
      this.owner.end(code, true);
    }
  }

  /** Try a socket after a pause, while no frames arrive: readers notice a page redrawn in mid-sentence. */
  #comeBack(ms) {
    clearTimeout(this.#later);
    this.#later = setTimeout(() => {
      if (Date.now() - this.#lastFrame < QUIET_MS) return this.#comeBack(QUIET_MS);
      return this.#start(socket).catch(() => this.#comeBack(this.#choice.pause()));
    }, ms);
  }
}
