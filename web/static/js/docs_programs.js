/** The programs beside a form of the page of the API: they post what the form says. */
const ESCAPES = { curl: (json) => json.replaceAll("'", "'\\''") };

/** The programs of one form, each with the place of the example's JSON in it. */
export class Programs {
  constructor(form) {
    this.form = form;
    this.example = form.dataset.body ?? form.elements.body.defaultValue;
    this.programs = [...form.closest("section").querySelectorAll(".snippet")].map((each) => {
      const shown = each.querySelector("pre");
      return { shown, text: shown.textContent, escape: ESCAPES[each.dataset.language] ?? String };
    });
    form.addEventListener("input", () => this.show());
  }

  /** Write the form's request into each program; what is no JSON yet leaves them as they are. */
  show() {
    const body = this.#body();
    if (body === null) return;
    for (const { shown, text, escape } of this.programs) {
      shown.textContent = text.split(escape(this.example)).join(escape(body));
    }
  }

  #body() {
    const { body, text, session_id, loopos_core_base_url } = this.form.elements;
    try {
      if (body) return JSON.parse(body.value) && body.value.trim();
    } catch {
      return null;
    }
    const asked = { ...JSON.parse(this.example), messages: [{ role: "user", text: text.value }] };
    asked.loopos_core_base_url = loopos_core_base_url.value.trim();
    if (session_id.value.trim()) asked.session_id = session_id.value.trim();
    return JSON.stringify(asked, null, 2);
  }
}
