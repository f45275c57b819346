import { keep, recall } from "./drafts.js";
import { reportTyping } from "./typing_line.js";
import { words } from "./words.js";
import { newId } from "/static/sdk/ids.js";

/** The form in which an operator writes, and the buttons to join and leave the conversation. */
export class Reply extends EventTarget {
  #id = newId();

  constructor({ session, announcer }) {
    super();
    this.path = `/inbox/s/${session}`;
    this.draft = `loopwire:inbox:${session}`;
    this.announcer = announcer;
    this.form = document.getElementById("reply");
    this.text = document.getElementById("reply-text");
    this.button = document.getElementById("send");
    this.whisper = document.getElementById("whisper");
    this.hint = document.getElementById("reply-hint");
    this.hinted = this.hint.textContent;
    this.acts = [...document.querySelectorAll("form[data-act]")];
    this.form.addEventListener("submit", (event) => this.#send(event));
    this.text.addEventListener("input", () => this.#changed());
    this.text.addEventListener("keydown", (event) => this.#key(event));
    // The visitor learns nothing of a note for the agents.
    reportTyping(this.text, () => this.#isJoined() && !this.whisper.checked, () => this.#post("typing"));
    for (const each of this.acts) each.addEventListener("submit", (event) => this.#act(event, each));
    document.getElementById("notes")?.addEventListener("change", (event) => this.#insert(event.target));
    this.text.value ||= recall(this.draft);
    this.#changed();
  }

  /** Show who answers, the operator or the agents, after an event of the conversation. */
  showOperator(event) {
    if (event.type !== "ACTIVITY_SNAPSHOT" || event.activityType !== "operator") return;
    const joined = event.content.status === "joined";
    const hadFocus = this.acts.some((each) => each.contains(document.activeElement));
    for (const each of this.acts) each.hidden = (each.dataset.act === "join") === joined;
    if (hadFocus) this.acts.find((each) => !each.hidden).querySelector("button").focus();
    this.dispatchEvent(new CustomEvent("joined", { detail: joined ? event.content.name : null }));
  }

  #isJoined() {
    return this.acts.some((each) => each.dataset.act === "leave" && !each.hidden);
  }

  /** Append a prepared text to the field, so that the operator can edit and send it. */
  #insert(notes) {
    this.text.value = [this.text.value.trim(), notes.value].filter(Boolean).join("\n");
    notes.value = "";
    this.#changed();
    this.text.focus();
  }

  #changed() {
    this.button.disabled = !this.text.value.trim();
    keep(this.draft, this.text.value);
    this.#say("");
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.form.requestSubmit();
  }

  async #act(event, form) {
    event.preventDefault();
    this.#showError(await this.#post(form.dataset.act));
  }

  async #send(event) {
    event.preventDefault();
    const content = this.text.value.trim();
    if (!content || this.button.disabled) return;
    this.button.disabled = true;
    const answer = await this.#post("messages", { id: this.#id, content, whisper: this.whisper.checked });
    if (this.#showError(answer)) return void (this.button.disabled = false);
    this.#id = newId();
    this.text.value = "";
    this.#changed();
    if (this.whisper.checked) this.#tell(words["inbox.script.whispered"]);
    this.whisper.checked = false;
  }

  /** Post, and return the error of the response; null when there is none. */
  async #post(what, body) {
    const headers = body ? { "content-type": "application/json" } : {};
    const answer = await fetch(`${this.path}/${what}`, { method: "POST", headers, body: body && JSON.stringify(body) }).catch(() => null);
    if (answer?.status === 401) location.reload();
    const told = await answer?.json().catch(() => null);
    // No event of the conversation brings the row of a note for the agents.
    if (told?.row) this.dispatchEvent(new CustomEvent("noted", { detail: told.row }));
    return answer?.ok ? null : (told?.error ?? {});
  }

  #showError(error) {
    if (error) this.#say(words[`inbox.script.${error.code}`] ?? words["inbox.script.failed"]);
    return Boolean(error);
  }

  #say(wrong) {
    this.hint.classList.toggle("wrong", Boolean(wrong));
    this.#tell(wrong);
  }

  #tell(text) {
    this.hint.textContent = text || this.hinted;
    if (text) this.announcer.say(text);
  }
}
