import { newId } from "/static/sdk/ids.js";
import { editForm } from "./edit_form.js";
import { phrase, words } from "./words.js";

/** The sentences for refused versions, by the code of the refusal. */
const REFUSED = { too_many_versions: "version.many", rate_limited: "composer.full", budget: "composer.spent" };

/** The versions of messages: a message is edited in its place, and the page switches between versions. */
export class Versions {
  /** The message that is being edited, with its form and its row. */
  #open = null;
  /** The requested version and its button, which gets the focus when the version is shown. */
  #asked = null;

  /** `parts` are those of the page: client, log, composer, announcer. */
  constructor(rows, parts) {
    Object.assign(this, parts);
    this.rows = rows;
    rows.addEventListener("click", ({ target }) => this.#click(target.closest("button")));
    rows.addEventListener("keydown", (event) => this.#key(event));
    rows.addEventListener("submit", (event) => this.#submit(event));
    this.log.addEventListener("placed", () => this.#afterPlacing());
  }

  /** Have a message answered once more: it is named by its own id, or by that of its answer. */
  regenerate(message_id) {
    return this.#send({ type: "regenerate", message_id });
  }

  #click(button) {
    if (!button) return;
    const { switchTo, edit } = button.dataset;
    if (button.dataset.endEdit !== undefined) this.#end();
    if (edit !== undefined) this.#begin(edit);
    if (switchTo === undefined) return;
    this.#asked = { id: switchTo, way: button.dataset.way };
    this.#send({ type: "switch", message_id: switchTo });
  }

  #key(event) {
    if (!this.#open?.form.contains(event.target)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.#end();
    }
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.target.localName !== "textarea") return;
    event.preventDefault();
    this.#open.form.requestSubmit();
  }

  /** Edit a message: a field replaces its text. */
  #begin(id, text) {
    this.#end();
    const row = document.getElementById(`row-${id}`);
    const bubble = row?.querySelector(".bubble");
    if (!bubble) return;
    const form = editForm(text ?? bubble.textContent.trim());
    this.#open = { id, form, row };
    row.classList.add("editing");
    bubble.closest(".spoken").after(form);
    form.elements.text.focus({ preventScroll: true });
    form.scrollIntoView({ block: "nearest" });
  }

  /** End the edit without a change. */
  #end() {
    if (!this.#open) return;
    const { form, row } = this.#open;
    this.#open = null;
    form.remove();
    row.classList.remove("editing");
    row.querySelector("[data-edit]")?.focus({ preventScroll: true });
  }

  async #submit(event) {
    if (event.target !== this.#open?.form) return;
    event.preventDefault();
    const { id, form, row } = this.#open;
    const text = form.elements.text.value.trim();
    const images = [...row.querySelectorAll("[data-blob]")].map(({ dataset }) => ({ type: "image", blob_id: dataset.blob }));
    if (!text && !images.length) return form.elements.text.focus();
    const content = [...(text ? [{ type: "text", text }] : []), ...images];
    this.#hold(form, true);
    const refused = await this.#send({ type: "edit", message_id: id, content });
    this.#hold(form, false);
    if (this.#open?.form !== form) return;
    if (!refused) {
      this.#end();
      return this.composer.focus();
    }
    const line = form.querySelector(".error");
    Object.assign(line, { textContent: refused, hidden: false });
    form.elements.text.focus();
  }

  #hold(form, on) {
    for (const each of form.elements) each.disabled = on && each.dataset.endEdit === undefined;
  }

  /** Send a command; resolves with the sentence of its refusal, which is shown too. */
  async #send(frame) {
    const id = newId();
    this.client.tools.claim(id);
    try {
      await this.client.command({ id, ...frame, ...(frame.type === "edit" && this.client.offer()) });
      return "";
    } catch ({ code }) {
      this.#asked = null;
      const sentence = words[REFUSED[code] ?? "version.failed"];
      if (frame.type === "edit") return sentence;
      this.composer.complain(sentence);
      return sentence;
    }
  }

  /** After rows were drawn anew: focus the requested version, and restore the open edit. */
  #afterPlacing() {
    this.#focusVersion();
    const open = this.#open;
    if (!open || open.form.isConnected) return;
    this.#open = null;
    const text = open.form.elements.text.value;
    if (open.form.elements.text.disabled) return; // The version was sent.
    if (document.getElementById(`row-${open.id}`)) this.#begin(open.id, text);
    else this.composer.giveBack(text);
  }

  #focusVersion() {
    const row = this.#asked && document.getElementById(`row-${this.#asked.id}`);
    if (!row) return;
    const buttons = [...row.querySelectorAll("[data-switch-to]:not(:disabled)")];
    const button = buttons.find(({ dataset }) => dataset.way === this.#asked.way) ?? buttons[0];
    this.#asked = null;
    button?.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
    const { number, total } = row.querySelector(".versions")?.dataset ?? {};
    if (number) this.announcer.say(phrase("version.at", { number, total }));
  }
}
