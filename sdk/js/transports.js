import { SocketLine } from "./socket.js";
import { StreamLine } from "./stream.js";
import { Way } from "./way.js";

const BESIDE_MS = 4_000;
const QUIET_MS = 2_000;

/**
 * The lines of one client, of which one at most is in use: a socket, and where none gets through a stream, from which
 * it comes back to a socket by itself. The new line is welcomed before the old one is left, so nothing is missed.
 */
export class Lines {
  #all = new Set();
  #beside = 0;
  #heard = 0;
  #round = 0;
  #way = new Way();
  /** The server's sentence of why it refuses the line, where it says one. */
  refusal = undefined;
  used = null;

  /**
   * @param {object} options  the client's
   * @param {() => Promise<{session: string, hello: object}>} introduce  what a new line says first
   * @param {{heard: (frame: object) => void, ended: (code: number, early: boolean) => void, stale: () => void}} owner
   */
  constructor(options, introduce, owner) {
    Object.assign(this, { options, introduce, owner });
  }

  /** Begin anew; a line that hangs gets one of the other kind beside it. Throws what `introduce` throws. */
  async open() {
    this.close();
    this.refusal = undefined;
    const round = this.#round;
    const streams = this.#way.streams || !this.#hasSockets;
    const [first, second] = streams ? [StreamLine, SocketLine] : [SocketLine, StreamLine];
    try {
      await this.#start(first);
    } catch (error) {
      if (round === this.#round) throw error;
    }
    if (round === this.#round && !this.used && this.#hasSockets)
      this.#beside = setTimeout(() => this.#start(second).catch(() => {}), BESIDE_MS);
  }

  /** Node 20 has no WebSocket: a socket that is tried there only costs the ticket of the stream. */
  get #hasSockets() {
    return Boolean(this.options.WebSocket ?? globalThis.WebSocket);
  }

  /** Leave every line. */
  close() {
    this.#round += 1;
    clearTimeout(this.#beside);
    for (const line of this.#all) line.close();
    this.#all.clear();
    this.used = null;
  }

  async #start(Kind) {
    const round = this.#round;
    const { session, hello } = await this.introduce();
    if (round !== this.#round) return;
    const listener = { heard: (line, frame) => this.#hear(line, frame), ended: (line, code) => this.#end(line, code) };
    this.#all.add(new Kind(this.options, session, hello, listener));
  }

  #hear(line, frame) {
    if (frame.type === "welcome") this.#use(line);
    if (frame.type === "error" && frame.id === undefined) this.refusal = frame.message;
    if (this.used && line !== this.used) return;
    this.#heard = Date.now();
    this.owner.heard(frame);
  }

  #use(line) {
    clearTimeout(this.#beside);
    for (const other of this.#all) if (other !== line) other.close();
    this.#all = new Set([line]);
    this.used = line;
    this.#way.welcomed(line.name);
    if (line.name === "sse" && this.#hasSockets) this.#comeBack(this.#way.pause());
  }

  #end(line, code) {
    this.#all.delete(line);
    if (line === this.used) {
      this.close();
      return this.owner.ended(code, false);
    }
    this.#way.failed(line.name, code);
    if (this.used) {
      // A try to come back that failed leaves everything as it was.
      this.#way.streams = true;
      if (code === 4401) this.owner.stale();
      return this.#comeBack(this.#way.pause());
    }
    if (this.#all.size === 0) {
      this.close();
      this.owner.ended(code, true);
    }
  }

  /** Try a socket after a while, in a moment in which nothing comes: a page that is redrawn in mid-sentence is felt. */
  #comeBack(ms) {
    clearTimeout(this.#beside);
    this.#beside = setTimeout(() => {
      if (Date.now() - this.#heard < QUIET_MS) return this.#comeBack(QUIET_MS);
      return this.#start(SocketLine).catch(() => this.#comeBack(this.#way.pause()));
    }, ms);
  }
}
