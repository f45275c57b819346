import { erase } from "./erase.js";
import { done, failureWords } from "./failed_requests.js";
import { focusPlace, placeOf } from "./session_list.js";
import { words } from "./words.js";

const EDGE = 8;

/** The menu of a conversation of the list: rename, export, delete; and the button that deletes all of them. */
export class SessionMenu {
  #button = null;
  #act = null;
  #place = null;

  constructor() {
    this.menu = document.getElementById("session-menu");
    this.dialog = document.getElementById("session-dialog");
    this.form = this.dialog.querySelector("form");
    document.getElementById("sessions").addEventListener("click", (event) => {
      const button = event.target.closest("[data-session-menu]");
      if (button) this.#open(button);
    });
    document.querySelector("[data-erase]").addEventListener("click", () => this.#ask("erase", eraseAll));
    this.menu.addEventListener("click", (event) => this.#choose(event.target.closest("[data-act]")));
    this.menu.addEventListener("keydown", (event) => this.#key(event));
    this.menu.addEventListener("toggle", ({ newState }) => this.#button?.setAttribute("aria-expanded", String(newState === "open")));
    this.form.addEventListener("submit", (event) => this.#submit(event));
    // The list may be a newer one than that in which the menu was opened.
    this.dialog.addEventListener("close", () => focusPlace(this.#place));
  }

  #open(button) {
    this.#button = button;
    this.#place = placeOf(button);
    const { left, bottom, top } = button.getBoundingClientRect();
    this.menu.querySelector("[data-act=export]").href = `/s/${button.dataset.sessionMenu}/export`;
    this.menu.showPopover();
    const { width, height } = this.menu.getBoundingClientRect();
    const below = bottom + height + EDGE < innerHeight ? bottom : top - height;
    this.menu.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
    this.menu.style.top = `${Math.max(EDGE, below)}px`;
    this.menu.querySelector("[role=menuitem]").focus();
  }

  #key(event) {
    const items = [...this.menu.querySelectorAll("[role=menuitem]")];
    const here = items.indexOf(document.activeElement);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Tab") this.menu.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    items.at(to % items.length).focus();
  }

  #choose(item) {
    if (!item) return;
    const { sessionMenu: id } = this.#button.dataset;
    this.menu.hidePopover();
    const title = this.#button.closest("li").querySelector("b").textContent;
    if (item.dataset.act === "rename") this.#ask("rename", (given) => rename(id, given), title);
    if (item.dataset.act === "delete") this.#ask("delete", () => remove(id));
  }

  #ask(what, act, title) {
    this.#act = act;
    const { title: field } = this.form.elements;
    this.dialog.classList.toggle("danger", what !== "rename");
    this.dialog.querySelector("h2").textContent = words[`session.${what}.title`];
    this.dialog.querySelector("p").textContent = words[`session.${what}.text`] ?? "";
    this.form.querySelector("[value=yes]").textContent = words[`session.${what}.yes`];
    this.form.querySelector(".trouble").hidden = true;
    field.closest("label").hidden = title === undefined;
    field.value = title ?? "";
    this.dialog.showModal();
    if (title === undefined) this.form.querySelector("[value=no]").focus();
    else field.select();
  }

  async #submit(event) {
    if (event.submitter?.value !== "yes") return;
    event.preventDefault();
    const yes = this.form.querySelector("[value=yes]");
    yes.disabled = true;
    try {
      await this.#act(this.form.elements.title.value.trim());
      this.dialog.close();
    } catch (error) {
      this.#showFailure(error);
    } finally {
      yes.disabled = false;
    }
  }

  /** Show why nothing was done, or not all: the list behind the dialog then has what is left. */
  #showFailure(error) {
    const card = this.form.querySelector(".trouble");
    const [title, rest] = failureWords(error);
    card.querySelector("p").replaceChildren(Object.assign(document.createElement("b"), { textContent: title }), ` ${rest}`);
    card.hidden = false;
    if (error.gone) document.body.dispatchEvent(new Event("sessions:changed"));
  }
}

async function rename(id, title) {
  if (!title) throw new Error("empty");
  const headers = { "content-type": "application/json" };
  await done(fetch(`/v1/sessions/${id}`, { method: "PATCH", headers, body: JSON.stringify({ title }) }));
  document.body.dispatchEvent(new Event("sessions:changed"));
}

async function remove(id) {
  await done(fetch(`/v1/sessions/${id}`, { method: "DELETE" }));
  if (id === document.body.dataset.session || location.pathname === `/s/${id}`) location.assign("/");
  else document.body.dispatchEvent(new Event("sessions:changed"));
}

async function eraseAll() {
  await erase(fetch);
  location.assign("/");
}
