import "./frame_pictures.js";
import { HostPage } from "./host_page.js";
import { bindLinks } from "./links.js";
import { loaded, loadHtmx } from "./markup.js";
import { bindRows } from "./row_parts.js";
import { loadWords } from "./words.js";

const SHEET = new URL("../css/frame_rows.css", import.meta.url).href;

/** The scripts that a frame loads once a message can be written: they draw rows and work in them. */
export async function loadRows(parts, host) {
  const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: SHEET });
  await Promise.all([loadHtmx(), loaded(sheet), loadWords()]);
  new HostPage(host, parts.client);
  host.repeat();
  bindLinks();
  return bindRows(parts);
}
