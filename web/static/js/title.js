/** The title of the tab: the number of messages since it was hidden, and the conversation's title. */
const NAME = "Loopwire";
const TEXT = new Set(["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"]);
const own = new Set();
const unread = new Set();
let title = document.title;

/** Set the title of the conversation, as the list has it. */
export function setTitle(text) {
  title = `${text} · ${NAME}`;
  show();
}

/** Count the messages of others that arrive while the tab is hidden; showing the tab resets the count. */
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
