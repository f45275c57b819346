import { icon } from "./icon.js";
import { words } from "./words.js";

/** Return the focus to a choice that was refused, unless the person writes in another field. */
function refocus(option) {
  const { activeElement } = document;
  if (option && !activeElement.value) option.focus({ preventScroll: true });
}

/** Answers given by clicking: a block's button or form becomes a typed part of a message. */
export class Blocks {
  constructor(log, { send, say, over, left, stay }) {
    this.log = log;
    this.send = send;
    this.over = over;
    this.left = left;
    this.stay = stay;
    document.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-answer], button[data-say], button[data-new], button[data-again]");
      if (!button || button.disabled) return;
      if (button.dataset.again !== undefined) this.#open(button);
      else if (button.dataset.new !== undefined) document.getElementById("new").click();
      else if (button.dataset.say !== undefined) say(button.dataset.say);
      else this.#answer(button, button.dataset);
    });
    log.addEventListener("submit", (event) => this.#submit(event));
  }

  /** Open an answered question where it stands, or close it again. */
  #open(button) {
    const place = document.getElementById(button.getAttribute("aria-controls"));
    this.stay();
    place.hidden = !place.hidden;
    button.setAttribute("aria-expanded", String(!place.hidden));
    if (place.hidden) return;
    place.querySelector("input, button:enabled")?.focus({ preventScroll: true });
    button.closest(".row").scrollIntoView({ block: "nearest" });
  }

  #submit(event) {
    const form = event.target.closest("form[data-block]");
    if (!form) return;
    event.preventDefault();
    const field = form.elements.answer;
    const value = field.value.trim();
    if (value) this.#answer(form.querySelector(".primary"), { ...form.dataset, value, label: value });
    else this.#showEmpty(form, field);
  }

  /** Show at the field that it is empty. */
  #showEmpty(form, field) {
    const id = field.id.replace("field-", "error-");
    const line = document.getElementById(id) ?? Object.assign(document.createElement("p"), { id, className: "error" });
    const textContent = words[form.querySelector("[data-answer]") ? "form.empty" : "form.empty.required"];
    line.replaceChildren(icon("warning", 18), Object.assign(document.createElement("span"), { textContent }));
    field.parentElement.classList.add("wrong");
    field.parentElement.after(line);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", id);
    field.focus();
  }

  /** Send an answer, and disable the block until its run is over; if the block is still there, enable it again. */
  async #answer(button, { block, name, value, label }) {
    const row = button.closest(".row");
    const held = [...row.querySelectorAll("button, input")].filter((each) => !each.disabled);
    const isOption = button.classList.contains("option");
    if (isOption) button.classList.add("chosen");
    if (isOption) row.firstElementChild.classList.add("chosen-one");
    const hadFocus = row.contains(document.activeElement);
    held.forEach((each) => (each.disabled = true));
    if (hadFocus) this.left();
    try {
      const { run_id } = await this.send([{ type: "answer", block_id: block, name, value, label }], label);
      await this.over(run_id);
    } catch {
      // The server refused it; the message's row says so.
    }
    row.querySelectorAll(".chosen, .chosen-one").forEach((each) => each.classList.remove("chosen", "chosen-one"));
    held.forEach((each) => (each.disabled = false));
    refocus(document.querySelector(`#${CSS.escape(row.id)} fieldset[aria-invalid] .option`));
  }
}
