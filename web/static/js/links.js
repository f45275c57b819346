import { fetchPictures } from "./frame_pictures.js";
import { icon } from "./icon.js";
import { markup } from "./markup.js";
import { ask, reload } from "./visitor.js";
import { words } from "./words.js";

/** Links in a frame: none leaves the conversation. An item opens in a dialog, any other link in a new tab, or where the host opens it. */
export function bindLinks(host) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    const [, kind, name] = link?.getAttribute("href").match(/^\/(items|s)\/([^/?]+)/) ?? [];
    if (!link || link.getAttribute("href").startsWith("#")) return;
    if (!kind && !host.opensLinks) return Object.assign(link, { target: "_blank", rel: "noopener" });
    event.preventDefault();
    if (!kind) return host.tell("ui/open-link", { url: link.href });
    return kind === "s" ? reload(name) : show(link.getAttribute("href"));
  });
}

async function show(address) {
  const answer = await ask(address, { headers: { accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return;
  const page = document.createElement("template");
  page.innerHTML = markup(await answer.text());
  const dialog = Object.assign(document.createElement("dialog"), { className: "over" });
  const close = Object.assign(document.createElement("button"), { type: "button", className: "tool-button" });
  close.setAttribute("aria-label", words["embed.back"]);
  close.append(icon("close", 18));
  close.addEventListener("click", () => dialog.close());
  const item = page.content.querySelector("article");
  dialog.setAttribute("aria-labelledby", item.getAttribute("aria-labelledby"));
  dialog.append(close, item);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  fetchPictures(dialog);
  dialog.showModal();
}
