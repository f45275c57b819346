import { icon } from "./icon.js";
import { REPLACED } from "./replaced_tab.js";
import { reload } from "./visitor.js";
import { timeWords } from "./time_words.js";
import { words } from "./words.js";

const PATIENCE_MS = 1500;
const LEAVE_MS = 600;
const LOST = { connecting: "connection.lost", waiting: "connection.lost", offline: "connection.offline" };
const ASKS_RELOAD = { stop: "connection.stop", session: "connection.session", reload: "connection.version" };
/** Codes of a rate limit: of the socket, and of its ticket. */
const LIMITED = new Set([4429, "rate_limited"]);
const CALM = new Set(["", "connection.degraded"]);
const QUIET = new Set(["connection.offline", "connection.degraded"]);
/** States that do not end by themselves: the bar looks like every other error. */
const FAULT = new Set(["connection.stop", "connection.session"]);

/** The bar that says that the connection is lost or the server slow, and what happens to messages. It appears after a pause. */
export class ConnectionBar {
  #degraded = false;
  #over = "";
  #lost = "";
  #shown = "";
  #timer = 0;
  #wait = 0;

  constructor(client) {
    this.bar = document.getElementById("connection");
    this.client = client;
    client.addEventListener("state", ({ detail }) => this.#change(detail));
    client.addEventListener("control", ({ detail }) => this.#receive(detail));
  }

  #change({ state, next, code, in: wait = 0 }) {
    document.body.dataset.transport = this.client.transport ?? "";
    const limited = state === "waiting" ? LIMITED.has(code) : state === "connecting" && this.#lost === "connection.limited";
    this.#lost = limited ? "connection.limited" : LOST[state] ?? "";
    if (state === "waiting") this.#wait = wait / 1_000;
    this.#over = code === REPLACED && next ? "connection.paused" : ASKS_RELOAD[next] ?? "";
    this.#judge();
  }

  /** A welcome ends the state `degraded`: the new server reports its own state. */
  #receive({ type, on }) {
    if (type !== "degraded" && type !== "welcome") return;
    this.#degraded = type === "degraded" && on;
    this.#judge();
  }

  get #trouble() {
    return this.#over || this.#lost || (this.#degraded ? "connection.degraded" : "");
  }

  #judge() {
    const isNew = this.#trouble && this.#trouble !== this.#shown;
    if (isNew && !this.#over && CALM.has(this.#shown)) {
      this.#timer ||= setTimeout(() => this.#tell(), PATIENCE_MS);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.#trouble) this.#tell();
    else if (this.#shown) this.#timer = setTimeout(() => this.#hide(), LEAVE_MS);
  }

  #tell() {
    const key = this.#trouble;
    this.#timer = 0;
    if (key === this.#shown) return;
    if (key === "connection.paused") this.#draw(key, "connection.resume", () => this.client.connect());
    else if (this.#over) this.#draw(key, "connection.reload", () => reload(key === "connection.version" ? this.client.session : ""));
    else if (QUIET.has(key)) this.#draw(key);
    else this.#draw(key, "connection.now", () => this.client.hurry());
  }

  #hide() {
    this.#timer = 0;
    this.#shown = "";
    this.bar.hidden = true;
    this.bar.replaceChildren();
    if (this.#trouble) this.#judge();
  }

  #draw(key, action, act) {
    this.#shown = key;
    this.bar.className = ["connection", QUIET.has(key) && "quiet", FAULT.has(key) && "fault"].filter(Boolean).join(" ");
    this.bar.hidden = false;
    const said = Object.assign(document.createElement("b"), { textContent: words[key] });
    this.bar.replaceChildren(...(FAULT.has(key) ? [icon("warning", 18), " "] : []), said, ` ${(words[`${key}.rest`] ?? "").replace("{when}", timeWords(this.#wait))} `);
    if (!action) return;
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "link", textContent: words[action] });
    button.addEventListener("click", act);
    this.bar.append(button);
  }
}
