/** Parses server-sent events from pieces of text. It reads `data` alone: the position of a frame is in its data. */
export class SseParser {
  #rest = "";

  /** Take a piece of text, and return the data of every event that is complete now. */
  take(text) {
    const blocks = (this.#rest + text).split(/\r?\n\r?\n/);
    this.#rest = blocks.pop();
    return blocks.map(dataOf).filter((data) => data !== "");
  }
}

function dataOf(block) {
  const lines = block.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
}
