/** The copy buttons of the pages of the API. */
import { Announcer } from "./announcer.js";
import { copyText, showCopied } from "./copy.js";

const region = document.getElementById("announcer");
const announcer = new Announcer(region);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const copied = await copyText(button.closest("details, .answer").querySelector("pre").textContent);
  if (copied) showCopied(button);
  announcer.say(copied ? region.dataset.copied : region.dataset.notCopied);
});
