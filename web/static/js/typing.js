import { TypingLine, reportTyping } from "./typing_line.js";
import { phrase } from "./words.js";

/**
 * Show the visitor that an operator writes, and tell the operators that the visitor writes. The page loads this with the
 * first row of an operator.
 */
export function bindTyping({ rows, client, composer, announcer, follow }) {
  const line = new TypingLine({ announcer, follow });
  client.addEventListener("control", ({ detail }) => {
    if (detail.type === "typing" && detail.name) line.show(phrase("person.typing", detail));
  });
  client.addEventListener("frame", ({ detail: { event } }) => {
    if (event.role === "assistant" || event.activityType === "operator") line.end();
  });
  client.addEventListener("snapshot", () => line.end());
  const isWithPerson = () => {
    const last = [...rows.querySelectorAll(".row-operator, .row-person")].at(-1);
    return client.state === "open" && last && !last.matches(".left");
  };
  reportTyping(composer.text, isWithPerson, () => client.transmit({ type: "typing" }));
}
