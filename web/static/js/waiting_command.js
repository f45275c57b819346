import { timeWords } from "./time_words.js";
import { phrase, words } from "./words.js";

/**
 * Tell what a command waits for: the connection, or the end of a rate limit. `tell` gets a sentence, or an empty one when
 * it waits no more. Returns what ends that, to be called when the command is settled.
 */
export function tellWaiting(client, id, tell) {
  const ending = new AbortController();
  let told = "";
  let limit = "";
  const show = () => {
    const sentence = client.state === "open" ? limit : words["composer.offline"];
    if (sentence !== told) tell((told = sentence));
  };
  const take = ({ detail: { type, id: of, code, retry_after } }) => {
    if (type !== "error" || of !== id || !retry_after) return;
    limit = code === "rate_limited" ? phrase("version.limited", { when: timeWords(retry_after) }) : words["queue.trying"];
    show();
  };
  client.addEventListener("state", show, ending);
  client.addEventListener("control", take, ending);
  show();
  return () => {
    ending.abort();
    if (told) tell("");
  };
}
