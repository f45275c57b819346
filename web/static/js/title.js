import { UnreadMessages } from "./unread.js";

/** The title of the tab: the number of messages since it was hidden, and the conversation's title. */
const NAME = "Loopwire";
let count = 0;
let title = document.title;

/** Set the title of the conversation, as the list has it. */
export function setTitle(text) {
  title = `${text} · ${NAME}`;
  show();
}

/** Count the messages of others that arrive while the tab is hidden; showing the tab resets the count. */
export function countUnread(client) {
  const onChange = (unread) => {
    count = unread;
    show();
  };
  const unread = new UnreadMessages(client, { isSeen: () => !document.hidden, onChange });
  document.addEventListener("visibilitychange", () => document.hidden || unread.clear());
}

function show() {
  document.title = count ? `(${count}) ${title}` : title;
}
