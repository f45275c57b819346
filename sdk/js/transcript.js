import { folds } from "./folds.js";
import { closed, ours, stamped } from "./messages.js";

/** Run id of a snapshot of a session in which no run is known. */
const NO_RUN = "run_none";

/**
 * The state of a conversation after its events, folded as the server folds them (server/protocol/event_kinds.py).
 * It changes nothing in place: a changed message is a new object in a new list, every other one stays the same object.
 */
export class Transcript {
  messages = [];
  state = {};
  /** The session's latest run, from its events. */
  run = null;
  steps = [];
  /** Ids of the texts and of the calls that are still being written. */
  texts = new Set();
  calls = new Set();

  /** Fold one event; returns the ids of the messages that it changed. An event of an unknown type changes nothing. */
  apply(event) {
    return Object.hasOwn(folds, event.type) ? [...new Set(folds[event.type](this, event))] : [];
  }

  find(id) {
    return this.messages.findLast((each) => each.id === id);
  }

  ofRun(run_id) {
    return this.messages.filter((each) => ours(each).run_id === run_id);
  }

  /** Replace the message with this id, or append the message. */
  put(message) {
    const place = this.messages.findLastIndex(({ id }) => id === message.id);
    this.messages = place < 0 ? [...this.messages, message] : this.messages.with(place, message);
    return [message.id];
  }

  /** Put the result of a call right after it, and after the results that it has. */
  putResult(message) {
    const call = this.messages.findLastIndex(({ id }) => id === message.toolCallId);
    if (call < 0 || this.find(message.id)) return this.put(message);
    let place = call + 1;
    while (this.messages[place]?.toolCallId === message.toolCallId) place += 1;
    this.messages = this.messages.toSpliced(place, 0, message);
    return [message.id];
  }

  /** Add an open message, or reopen the known one of this id in its place. */
  open(message, event) {
    const known = this.find(message.id);
    const kept = known && "content" in known ? { content: known.content } : {};
    return this.put({ ...message, ...kept, metadata: { loopwire: { ...this.stamp(event), open: true } } });
  }

  close(opened, id, own) {
    const message = this.find(id);
    return opened.delete(id) && message ? this.put(closed(message, own)) : [];
  }

  closeAll() {
    const changed = [...this.texts, ...this.calls];
    this.messages = this.messages.map((each) => (ours(each).open ? closed(each) : each));
    this.steps = [];
    this.texts.clear();
    this.calls.clear();
    return changed;
  }

  /** The own data of a message, from the event that created it. */
  stamp({ metadata, timestamp }) {
    const own = { ...metadata?.loopwire };
    if (this.run) own.run_id = this.run.id;
    if (timestamp !== undefined) own.at = timestamp;
    return own;
  }

  /** End the latest run, once. Its last message gets `how`. */
  end(run_id, change, how) {
    const run = this.run ?? { id: run_id, status: "running", attempt: 1, kind: "agent" };
    if (!run_id || run_id === NO_RUN || run.id !== run_id || run.status !== "running") return [];
    this.run = { ...run, ...change };
    const changed = this.closeAll();
    const last = how && this.ofRun(run_id).at(-1);
    return last ? [...changed, ...this.put(stamped(last, { ...ours(last), ended: how }))] : changed;
  }
}
