/** What the tab is called: the conversation's title, after how many messages came while nobody looked. */
const NAME = "Loopwire";
const TEXT = new Set(["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"]);
const own = new Set();
const unread = new Set();
let title = document.title;

/** The title of the conversation, as the list gives it. */
export function setTitle(text) {
  title = `${text} · ${NAME}`;
  show();
}

/** Count the messages of the other side that grow while the tab is hidden; who looks at it has read them. */
export function countUnread(client) {
  client.addEventListener("frame", ({ detail: { event } }) => {
    if (!TEXT.has(event.type)) return;
    if (event.role === "user") own.add(event.messageId);
    if (!document.hidden || own.has(event.messageId)) return;
    unread.add(event.messageId);
    show();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    unread.clear();
    show();
  });
}

function show() {
  document.title = unread.size ? `(${unread.size}) ${title}` : title;
}
