import { Announcer } from "./announcer.js";
import { spokenText } from "./spoken_text.js";
import { ScrollFollower } from "./scroll_follower.js";
import { InboxStream } from "./inbox_stream.js";
import { Log } from "./log.js";
import { addTransform } from "./markup.js";
import { offerOlderMessages } from "./older_messages.js";
import { Reply } from "./reply.js";
import { TypingLine } from "./typing_line.js";
import { phrase, words } from "./words.js";

const PAUSE_MS = 250;
const { session, running } = document.body.dataset;
const list = document.getElementById("sessions");
const search = document.getElementById("inbox-search");
const title = document.title;
const announcer = new Announcer(document.getElementById("announcer"), spokenText);
const stream = new InboxStream(() => search.value);
let calls = list.querySelectorAll("[data-calls]").length;

/** Show the list as the server draws it: the focus stays on its conversation, and a new call for a person is announced. */
stream.addEventListener("inbox", ({ detail }) => {
  const held = list.contains(document.activeElement) ? document.activeElement.id : "";
  htmx.swap({ text: detail.content, target: list, swap: "innerHTML", sourceElement: list });
  if (held) document.getElementById(held)?.focus({ preventScroll: true });
  const now = list.querySelectorAll("[data-calls]").length;
  if (now > calls) announcer.say(words["inbox.script.calls"]);
  calls = now;
  count();
});

let later = 0;
search.addEventListener("input", () => {
  clearTimeout(later);
  later = setTimeout(() => stream.open(), PAUSE_MS);
});
search.form.addEventListener("submit", (event) => event.preventDefault());
list.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const all = [...list.querySelectorAll("a")];
  const here = all.indexOf(document.activeElement);
  if (!step || here < 0) return;
  event.preventDefault();
  all[here + step]?.focus();
});

function count() {
  document.title = calls ? `(${calls}) ${title}` : title;
}

if (session) talk();
count();
stream.open();

function talk() {
  // An operator fetches pictures at the inbox's address: the visitor's address requires the visitor's cookie.
  addTransform((text) => text.replaceAll(`/v1/sessions/${session}/blobs/`, `/inbox/s/${session}/blobs/`));
  const follow = new ScrollFollower();
  const log = new Log({ announcer, follow, running });
  const beginAt = offerOlderMessages(log.log, follow, () => session, "/inbox");
  const reply = new Reply({ session, announcer });
  const typing = new TypingLine({ announcer, follow });
  // The notice of an operator has a name: that of the visitor has none.
  stream.addEventListener("typing", ({ detail }) => detail.name || typing.show(words["inbox.script.typing"]));
  stream.addEventListener("frame", ({ detail }) => {
    log.apply(detail);
    reply.showOperator(detail.event);
    if (detail.event.role === "user") typing.end();
  });
  stream.addEventListener("snapshot", ({ detail }) => {
    log.snapshot(detail);
    beginAt(detail.before);
  });
  const bar = document.getElementById("connection");
  stream.addEventListener("state", ({ detail }) => {
    document.body.dataset.state = detail;
    bar.hidden = detail === "open";
  });
  reply.addEventListener("noted", ({ detail }) => {
    htmx.swap({ text: detail, target: log.log, swap: "beforeend", sourceElement: log.log });
    follow.toEnd();
  });
  reply.addEventListener("joined", ({ detail }) => {
    document.getElementById("answering").textContent = detail ? phrase("inbox.script.answers", { name: detail }) : words["inbox.script.agents"];
  });
}
