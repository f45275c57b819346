import "./frame_pictures.js";
import { HostPage } from "./host_page.js";
import { bindLinks } from "./links.js";
import { loaded, loadHtmx } from "./markup.js";
import { bindRows } from "./row_parts.js";
import { UnreadMessages } from "./unread.js";
import { loadWords, phrase } from "./words.js";

const SHEET = new URL("../css/frame_rows.css", import.meta.url).href;

/**
 * The scripts that a frame loads once a message can be written: they draw rows and work in them. `isOpen` says whether the
 * window of the chat is open.
 */
export async function loadRows(parts, host, isOpen) {
  const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: SHEET });
  await Promise.all([loadHtmx(), loaded(sheet), loadWords()]);
  new HostPage(host, parts.client);
  host.repeat();
  countUnread(parts.client, host, isOpen);
  bindLinks(host);
  return bindRows(parts);
}

/** Tell the page how many messages arrived while the window was closed, and what the chat's button is called then. */
function countUnread(client, host, isOpen) {
  const onChange = (count) => {
    const label = phrase(count === 1 ? "embed.unread.one" : "embed.unread", { count });
    host.tell("loopwire/unread", count ? { count, label } : { count });
  };
  const unread = new UnreadMessages(client, { isSeen: isOpen, onChange });
  host.addEventListener("loopwire/opened", () => unread.clear());
}
