import { TypingLine, reportTyping } from "./typing_line.js";
import { bindPerson } from "./with_person.js";
import { phrase } from "./words.js";

/**
 * Show the visitor that an operator writes and answers in place of the agents, and tell the operators that the visitor
 * writes. The page loads this with the first row of an operator.
 */
export function bindTyping({ rows, log, client, composer, announcer, follow }) {
  bindPerson({ rows, log, composer });
  const line = new TypingLine({ announcer, follow });
  client.addEventListener("control", ({ detail }) => {
    if (detail.type === "typing" && detail.name) line.show(phrase("person.typing", detail));
  });
  client.addEventListener("frame", ({ detail: { event } }) => {
    if (event.role === "assistant" || event.activityType === "operator") line.end();
  });
  client.addEventListener("snapshot", () => line.end());
  const isWithPerson = () => {
    // Where the row of the join is not loaded, the server decides: an operator may also write without a join.
    const last = [...rows.querySelectorAll(".row-operator")].at(-1) ?? rows.querySelector(".row-person");
    return client.state === "open" && last && !last.matches(".left");
  };
  reportTyping(composer.text, isWithPerson, () => client.transmit({ type: "typing" }));
}
