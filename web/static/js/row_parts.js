import { AnswerActions } from "./answer_actions.js";
import { Blocks } from "./blocks.js";
import { ConnectionBar } from "./connection_bar.js";
import "./custom_elements.js";
import { writeDates } from "./days.js";
import { Interrupts } from "./interrupts.js";
import "./keys.js";
import { offerOlderMessages } from "./older_messages.js";
import { Photos } from "./photos.js";
import { QuestionFold } from "./question_fold.js";
import { spokenText } from "./spoken_text.js";
import { upload } from "./uploads.js";
import { Versions } from "./versions.js";

/**
 * Bind what works in the rows of a conversation (their blocks, questions, versions and actions, and the older ones), and
 * what else the first message does not need: pictures, keys and the bar of the connection.
 */
export function bindRows({ rows, client, log, composer, announcer, follow, send, over }) {
  announcer.spoken = spokenText;
  new ConnectionBar(client);
  const wrong = (sentence) => composer.complain(sentence);
  composer.photos = new Photos(composer.form, { changed: () => composer.show(), announcer, wrong });
  writeDates(rows);
  log.addEventListener("placed", ({ detail }) => writeDates(detail));
  document.addEventListener("visibilitychange", () => writeDates(rows)); // Midnight may have passed.
  let typing = null;
  const loadTyping = () => {
    if (!typing && rows.querySelector(".row-operator, .row-person"))
      typing = import("./typing.js").then(({ bindTyping }) => bindTyping({ rows, log, client, composer, announcer, follow }), () => (typing = null));
  };
  loadTyping();
  log.addEventListener("placed", loadTyping);
  const left = () => composer.focus();
  const isOpen = () => client.state === "open";
  const folding = new QuestionFold(rows, over);
  new Blocks(rows, { send, say: (text) => composer.say(text), over, left, stay: () => follow.stay() });
  new Interrupts(rows, { log, send: (entries) => client.resume(entries), left, announcer, follow, isOpen });
  const versions = new Versions(rows, { client, log, composer, announcer });
  const actions = new AnswerActions(rows, { client, announcer, regenerate: (id) => versions.regenerate(id) });
  return { folding, actions, upload, beginAt: offerOlderMessages(rows, follow, () => client.session) };
}
