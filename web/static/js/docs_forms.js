/** The forms that try requests on the page of the API. */
import { Announcer } from "./announcer.js";
import { spokenText } from "./spoken_text.js";
import { ChatCall } from "./chat_call.js";
import { Programs } from "./docs_programs.js";
import { ServiceCall } from "./service_call.js";
import { TriedAnswer } from "./tried_answer.js";

const announcer = new Announcer(document.getElementById("announcer"), spokenText);

/** One form: it sends one request at a time, which can be cancelled while it runs. */
class TriedForm {
  #call = null;

  constructor(form) {
    this.form = form;
    this.send = form.querySelector(".primary");
    this.cancel = form.querySelector("[data-cancel]");
    this.answer = new TriedAnswer(form.querySelector(".answer"), announcer);
    form.addEventListener("submit", (event) => this.#submit(event));
    const programs = new Programs(form);
    form.querySelector("[data-reset]").addEventListener("click", () => {
      form.reset();
      programs.show();
    });
    this.cancel.addEventListener("click", () => this.#cancel());
  }

  async #submit(event) {
    event.preventDefault();
    if (this.#call) return;
    this.#call = this.form.dataset.service ? new ServiceCall(this.form, this.answer) : new ChatCall(this.form, this.answer);
    this.#show(true);
    this.answer.begin();
    try {
      await this.#call.run();
    } catch {
      this.answer.break(this.#call.isCancelled);
    } finally {
      this.#call = null;
      this.#show(false);
    }
  }

  #cancel() {
    this.answer.showCancelling();
    this.#call?.cancel();
  }

  /** A button keeps the focus while it is of no use, and hands it over before it is hidden. */
  #show(running) {
    this.send.setAttribute("aria-disabled", running);
    if (!running && document.activeElement === this.cancel) this.send.focus();
    this.cancel.hidden = !running;
  }
}

for (const form of document.querySelectorAll(".try")) new TriedForm(form);
