import { AnswerActions } from "./answer_actions.js";
import { Blocks } from "./blocks.js";
import { Interrupts } from "./interrupts.js";
import { offerOlderMessages } from "./older_messages.js";
import { QuestionFold } from "./question_fold.js";
import { Versions } from "./versions.js";

/** Bind what works in the rows of a conversation: their blocks, questions, versions and actions, and the older ones. */
export function bindRows({ rows, client, log, composer, announcer, follow, send, feedback, over }) {
  let typing = null;
  const loadTyping = () => {
    if (!typing && rows.querySelector(".row-operator, .row-person"))
      typing = import("./typing.js").then(({ bindTyping }) => bindTyping({ rows, client, composer, announcer, follow }), () => (typing = null));
  };
  loadTyping();
  log.addEventListener("placed", loadTyping);
  const left = () => composer.focus();
  const isOpen = () => client.state === "open";
  const folding = new QuestionFold(rows, over);
  new Blocks(rows, { send, say: (text) => composer.say(text), over, left, stay: () => follow.stay() });
  new Interrupts(rows, { log, send: (entries) => client.resume(entries), left, announcer, follow, isOpen });
  const versions = new Versions(rows, { client, log, composer, announcer });
  const actions = new AnswerActions(rows, { announcer, feedback, regenerate: (id) => versions.regenerate(id) });
  return { folding, actions, beginAt: offerOlderMessages(rows, follow, () => client.session) };
}
