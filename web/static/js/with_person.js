/**
 * Close the questions of the agents while an operator answers: the agents are silent, and nothing would take the answer.
 * Where the row of the join is not loaded, the questions stay as they are.
 */
export function bindPerson({ rows, log, composer }) {
  const show = () => {
    const isWithPerson = [...rows.querySelectorAll(".row-operator")].at(-1)?.matches(".joined") ?? false;
    rows.toggleAttribute("data-person", isWithPerson);
    // A fieldset of its own: a block that waits for its answer enables its buttons again by themselves.
    for (const each of rows.querySelectorAll(".row-block.open fieldset")) each.disabled = isWithPerson;
    composer.show();
  };
  log.addEventListener("placed", show);
  show();
}
