/** The position of a client in a session's log, by which it judges the next frame. */
export class Position {
  constructor() {
    this.seq = null;
    this.epoch = null;
  }

  /** Take over the position of a snapshot or a welcome. */
  set(seq, epoch) {
    this.seq = seq;
    this.epoch = epoch;
  }

  /**
   * Judge a durable frame: "apply" it, "drop" it as already seen, or "hole" when something is missing before it.
   * A frame that stands for several events carries `from`, the number of its first one.
   */
  judge(frame) {
    if (this.seq === null) return "hole";
    if (frame.seq <= this.seq) return "drop";
    const from = frame.from ?? frame.seq;
    if (from > this.seq + 1) return "hole";
    return "apply";
  }

  /** Move past a frame that was applied. */
  pass(frame) {
    this.seq = frame.seq;
    if (frame.epoch) this.epoch = frame.epoch;
  }
}
