/** What sends something to the conversation, or asks for more of it. */
const CONTROLS = "#log :is(button, input, select, textarea), .leads button, #older button, .attach";

/** Disable what acts on a conversation that was deleted. What is written in the composer can still be copied. */
export function closeConversation(rows, composer) {
  const hadFocus = rows.contains(document.activeElement);
  for (const each of document.querySelectorAll(CONTROLS)) each.disabled = true;
  document.getElementById("talk").dataset.gone = "";
  composer.show({ gone: true });
  if (hadFocus) composer.focus();
}
