import { LoopwireClient } from "/static/sdk/client.js";
import { Announcer } from "./announcer.js";
import { Composer } from "./composer.js";
import { closeConversation } from "./deleted_conversation.js";
import { ScrollFollower } from "./scroll_follower.js";
import { UnsentMessages } from "./unsent_messages.js";
import { keepConversation, lostConversation } from "./kept_conversation.js";
import { Log } from "./log.js";
import { REPLACED, resumeOnFocus } from "./replaced_tab.js";
import { PendingRows } from "./pending_rows.js";
import { MessageSender } from "./message_sender.js";
import { ask, frame } from "./visitor.js";
import { words } from "./words.js";

const QUEUE_ROOM = 3;
const { session, service, language, running, seq, epoch } = document.body.dataset;
const rows = document.getElementById("log");
let announceSession = () => {};
/** The scripts of the rows. A frame loads them while nothing is shown yet, and connects after that: until then a promise. */
let parts = null;
let bind = null;

export const announcer = new Announcer(document.getElementById("announcer"));
export const client = new LoopwireClient({ url: `${location.origin.replace(/^http/, "ws")}/ws`, session: session || null, html: true, ticket });
const follow = new ScrollFollower();
export const log = new Log({ announcer, follow, running });
// Frames of several apps may share a browser's storage.
const begins = frame ? `${frame.app}:${service}` : service;
export const unsent = new UnsentMessages({ session, service: begins });
const pending = new PendingRows({ cancel: (id) => client.cancel({ message_id: id }), again: (id) => sender.again(id), unsent, announcer });
export const composer = new Composer({ session: session || (frame && `new:${begins}`), send: (text, photos) => sender.say(text, photos), stop, announcer });

/** For other scripts of the page: the agents may call the tools that they offer by `loopwire.tool`. */
window.loopwire = client;
resumeOnFocus(client);
const over = (run) => log.waitForEnd(run);
const late = {
  ready: () => Promise.resolve(parts).catch(() => {}),
  foldUntil: (...given) => parts.folding.foldUntil(...given),
  upload: (...given) => parts.upload(...given),
};
const sender = new MessageSender({ client, log, unsent, pending, composer, late, follow, announcer });
const send = (parts, text, id) => sender.send(parts, text, id);

log.addEventListener("running", ({ detail }) => {
  composer.show({ running: Boolean(detail) });
  document.body.dispatchEvent(new Event("sessions:changed"));
});
log.addEventListener("drawn", ({ detail }) => pending.drop(detail));
log.addEventListener("unfocused", () => composer.focus());
client.addEventListener("frame", ({ detail }) => {
  log.apply(detail, { replayed: detail.replayed });
  document.body.dataset.seq = detail.seq;
  composer.show();
});
client.addEventListener("snapshot", ({ detail }) => {
  log.snapshot(detail);
  parts.beginAt(detail.before);
  composer.show({ running: Boolean(log.running) });
});
client.addEventListener("control", ({ detail }) => {
  if (detail.type === "feedback") parts.actions.showRating(detail.message_id, detail.value);
  if (detail.type === "error" && detail.code === "unavailable") pending.showRetry(detail.id);
  if (detail.type === "error" && detail.code === "rate_limited" && detail.retry_after) pending.showLimit(detail.id, detail.retry_after);
  if (detail.type !== "queue") return;
  composer.show({ full: pending.queue(detail.items) >= QUEUE_ROOM });
  follow.now();
});
let offline = false;
// Before the first connection the page is not offline: it is still connecting.
let wasOpen = false;
client.addEventListener("state", ({ detail }) => {
  document.body.dataset.state = detail.state;
  const paused = detail.state === "closed" && detail.code === REPLACED;
  offline = detail.state === "connecting" ? offline || wasOpen : paused || detail.state === "offline" || detail.state === "waiting";
  wasOpen ||= detail.state === "open";
  composer.show({ offline });
  pending.setOffline(offline);
  if (detail.next === "session") closeConversation(rows, composer);
  if (detail.state === "closed" && detail.next && !paused) pending.open().forEach((id) => pending.showUnsent(id));
});

/**
 * Open the conversation that the page shows; `begun` is called with the id of one that begins here, and `bindRows` gives what
 * works in the rows, or a promise of it: nothing is connected before. Where that fails, the next ticket calls it again.
 */
export function open({ begun, bindRows }) {
  announceSession = begun;
  bind = () => bindRows({ rows, client, log, composer, announcer, follow, send, over });
  parts = bind();
  if (seq) client.position.set(Number(seq), epoch);
  if (session) client.connect();
  composer.show({ running: Boolean(log.running) });
  unsent.resend({ log: rows, send, giveBack: (text) => composer.giveBack(text), lost: () => composer.complain(words["photos.lost"]) });
  const lost = lostConversation();
  if (lost) unsent.returnFrom(lost, (text) => composer.giveBack(text));
  begin(composer.form);
}

/** Send messages from now on; one that was submitted before this script was loaded (`early_submit.js`) is sent first. */
function begin(form) {
  form.dataset.ready = "";
  if (!("asked" in form.dataset)) return;
  delete form.dataset.asked;
  form.requestSubmit();
}

async function ticket(session_id) {
  try {
    parts = await parts;
  } catch {
    parts = await (parts = bind());
  }
  const response = await ask("/v1/tickets", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(session_id ? { session_id, language } : { service, language }),
  });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    const retry = response.status >= 500 || response.status === 429;
    const { message, code, retry_after } = body.error ?? {};
    const next = session_id && response.status === 404 ? "session" : "stop";
    throw Object.assign(new Error(message), { code, retry, retry_after, next });
  }
  if (!session_id) {
    announceSession(body.session_id);
    unsent.setSession(body.session_id);
  }
  composer.session = body.session_id;
  keepConversation(body.session_id);
  return body;
}

function stop() {
  if (!log.running || composer.state.stopping) return;
  composer.show({ stopping: true });
  announcer.say(pending.showStop());
  const over = () => composer.show({ stopping: false });
  client.cancel({ run_id: log.running }).then(over, over);
}
