import { newId } from "/static/sdk/ids.js";
import { editForm, showError, showState } from "./edit_form.js";
import { tellWaiting } from "./waiting_command.js";
import { phrase, words } from "./words.js";

/** The sentences for refused versions, by the code of the refusal. */
const REFUSED = { too_many_versions: "version.many", rate_limited: "version.often", busy: "composer.full", budget: "composer.spent" };

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
  #begin(id) {
    this.#end();
    const bubble = document.querySelector(`#row-${CSS.escape(id)} .bubble`);
    if (bubble) this.#place({ id, form: editForm(bubble.textContent.trim()), command: newId() }, bubble);
  }

  #place(open, bubble) {
    const { form } = open;
    this.#open = { ...open, row: bubble.closest(".row") };
    this.#open.row.classList.add("editing");
    bubble.closest(".spoken").after(form);
    form.elements.text.focus({ preventScroll: true });
    form.scrollIntoView({ block: "nearest" });
  }

  /** End the edit; a version that still waits to be sent is not sent. */
  #end() {
    if (!this.#open) return;
    const { form, row, command } = this.#open;
    this.#open = null;
    this.client.outbox.drop(command);
    form.remove();
    row.classList.remove("editing");
    row.querySelector("[data-edit]")?.focus({ preventScroll: true });
  }

  async #submit(event) {
    if (event.target !== this.#open?.form) return;
    event.preventDefault();
    const { id, form, row, command } = this.#open;
    const text = form.elements.text.value.trim();
    const images = [...row.querySelectorAll("[data-blob]")].map(({ dataset }) => ({ type: "image", blob_id: dataset.blob }));
    if (!text && !images.length) return form.elements.text.focus();
    const content = [...(text ? [{ type: "text", text }] : []), ...images];
    this.#hold(form, true);
    const tell = (wait) => this.announcer.say(showState(form, wait));
    const refused = await this.#send({ id: command, type: "edit", message_id: id, content }, tell);
    this.#hold(form, false);
    if (refused && "gone" in form.dataset) {
      this.composer.giveBack(text);
      this.composer.complain(refused);
    }
    if (this.#open?.form !== form) return;
    if (!refused) {
      this.#end();
      return this.composer.focus();
    }
    this.#open.command = newId();
    showError(form, refused);
    form.elements.text.focus();
  }

  #hold(form, on) {
    for (const each of form.elements) each.disabled = on && each.dataset.endEdit === undefined;
  }

  /** Send a command; `tell` shows what it waits for. Resolves with the sentence of its refusal, which is shown too. */
  async #send(frame, tell = (wait) => this.composer.complain(wait)) {
    const { id = newId() } = frame;
    this.client.tools.claim(id);
    const settled = tellWaiting(this.client, id, tell);
    const sent = this.client.command({ ...frame, id, ...(frame.type === "edit" && this.client.offer()) });
    const refused = await sent.then(() => "", ({ code }) => words[REFUSED[code] ?? "version.failed"]);
    settled();
    if (refused) this.#asked = null;
    if (refused && frame.type !== "edit") this.composer.complain(refused);
    return refused;
  }

  /** After rows were drawn anew: focus the requested version, and restore the open edit. */
  #afterPlacing() {
    this.#focusVersion();
    const open = this.#open;
    if (!open || open.form.isConnected) return;
    const { value, disabled } = open.form.elements.text;
    const bubble = document.querySelector(`#row-${CSS.escape(open.id)} .bubble`);
    if (bubble) return this.#place(open, bubble);
    this.#open = null;
    if (disabled) open.form.dataset.gone = ""; // The version was sent.
    else this.composer.giveBack(value);
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
