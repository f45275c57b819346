import { takePictures } from "./form_pictures.js";
import { markup } from "./markup.js";
import { errorCard } from "./error_card.js";
import { reopen, ask } from "./visitor.js";
import { words } from "./words.js";

/** The form of a service in a frame. The server draws and validates it; its answer is a conversation. */
export class RequestForm {
  constructor(place) {
    this.place = place;
    place.addEventListener("submit", (event) => this.#submit(event));
    takePictures(place);
    this.#ask({ headers: { accept: "text/html" } });
  }

  #submit(event) {
    event.preventDefault();
    const fields = new FormData(event.target);
    const body = event.target.enctype === "multipart/form-data" ? fields : new URLSearchParams(fields);
    for (const each of event.target.elements) each.disabled = true;
    this.#ask({ method: "POST", headers: { accept: "text/html" }, body }, event.target);
  }

  async #ask(options, form) {
    try {
      const answer = await ask(this.place.dataset.address, options);
      const [, session] = /^\/s\/(\w+)$/.exec(new URL(answer.url).pathname) ?? [];
      if (session) reopen(session);
      else this.#draw(await answer.text());
    } catch {
      for (const each of form?.elements ?? []) each.disabled = false;
      this.#tell(words["queue.unsent"], [words["queue.again"], () => (form ? form.requestSubmit() : this.#ask(options))]);
    }
  }

  /** Show the form of a page, or the page's heading where it has none; focus the first invalid field. */
  #draw(text) {
    const page = document.createElement("template");
    page.innerHTML = markup(text);
    const form = page.content.querySelector("form[action]");
    if (!form) return this.#tell(page.content.querySelector("h1")?.textContent ?? "");
    form.querySelectorAll(".form-actions a").forEach((link) => link.remove());
    const notice = page.content.querySelector(".notice.failure");
    this.place.replaceChildren(...(notice ? [notice, form] : [form]));
    return form.querySelector("[aria-invalid]")?.focus();
  }

  #tell(text, ...buttons) {
    this.place.querySelector(":scope > .trouble")?.remove();
    const card = errorCard(text, "", ...buttons);
    card.setAttribute("role", "alert");
    this.place.prepend(card);
  }
}
