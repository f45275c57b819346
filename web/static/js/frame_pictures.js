import { addTransform } from "./markup.js";
import { ask } from "./visitor.js";

/**
 * Pictures of a conversation in a frame. An `img` sends no bearer, so this module moves its address to `data-src` and
 * fetches the picture with the credentials of the visitor.
 */
const OWN = /(<img\b[^>]*?\s)src="(\/v1\/sessions\/[^"]*)"/g;
const log = document.getElementById("log");

addTransform((text) => text.replace(OWN, '$1data-src="$2"'));

async function fetchPicture(image) {
  const address = image.dataset.src;
  image.removeAttribute("data-src");
  const answer = await ask(address).catch(() => null);
  if (!answer?.ok) return;
  image.addEventListener("load", () => URL.revokeObjectURL(image.src), { once: true });
  image.src = URL.createObjectURL(await answer.blob());
}

/** Fetch the pictures of a part of the page. */
export const fetchPictures = (root) => root.querySelectorAll("img[data-src]").forEach(fetchPicture);

new MutationObserver(() => fetchPictures(log)).observe(log, { childList: true, subtree: true });
