import { words } from "./words.js";

const PATIENCE_MS = 1500;
const LEAVE_MS = 600;
const LOST = { connecting: "connection.lost", waiting: "connection.lost", offline: "connection.offline" };
const ASKS_RELOAD = { stop: "connection.stop", session: "connection.session", reload: "connection.version" };

/** The bar that says when the wire is cut: only after a while, and with what happens to one's words. */
export class ConnectionBar {
  #lost = "";
  #shown = "";
  #timer = 0;

  constructor(client) {
    this.bar = document.getElementById("connection");
    this.client = client;
    client.addEventListener("state", ({ detail }) => this.#changed(detail));
  }

  #changed({ state, next }) {
    document.body.dataset.transport = this.client.transport ?? "";
    this.#lost = LOST[state] ?? "";
    if (this.#lost && !this.#shown) {
      this.#timer ||= setTimeout(() => this.#tell(), PATIENCE_MS);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.#lost) this.#tell();
    else if (next) this.#draw(ASKS_RELOAD[next], "connection.reload", () => location.reload());
    else if (this.#shown) this.#timer = setTimeout(() => this.#hide(), LEAVE_MS);
  }

  #tell() {
    this.#timer = 0;
    if (this.#lost === this.#shown) return;
    if (this.#lost === "connection.offline") this.#draw(this.#lost);
    else this.#draw(this.#lost, "connection.now", () => this.client.hurry());
  }

  #hide() {
    this.#timer = 0;
    this.#shown = "";
    this.bar.hidden = true;
    this.bar.replaceChildren();
  }

  #draw(key, action, act) {
    this.#shown = key;
    this.bar.className = key === "connection.offline" ? "connection offline" : "connection";
    this.bar.hidden = false;
    const said = Object.assign(document.createElement("b"), { textContent: words[key] });
    this.bar.replaceChildren(said, ` ${words[`${key}.rest`] ?? ""} `);
    if (!action) return;
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "link", textContent: words[action] });
    button.addEventListener("click", act);
    this.bar.append(button);
  }
}
