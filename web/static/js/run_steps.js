import { stripOverrides } from "./bidi.js";
import { icon } from "./icon.js";
import { words } from "./words.js";

const ICONS = { running: "clock", waiting: "clock", done: "check", stopped: "stopped" };
const AGENT = "agent ";
const LASTS = { RUN_FINISHED: "done", RUN_ERROR: "failed" };

/** The steps of a run as a list: its agents, the calls of their tools with their progress, and its handoffs. */
export class RunSteps {
  #rows = new Map();

  constructor(list) {
    this.list = list;
  }

  clear() {
    this.#rows.clear();
    this.list.replaceChildren();
    this.list.hidden = true;
  }

  /** Show what an event of the run changes; most change nothing here. */
  apply(event) {
    this[event.type]?.(event);
  }

  STEP_STARTED({ stepName }) {
    this.#show(AGENT + stepName, { kind: words["docs.script.agent"], name: stepName, status: "running" });
  }

  STEP_FINISHED({ stepName }) {
    this.#show(AGENT + stepName, { status: "done" });
  }

  TOOL_CALL_START({ toolCallId, toolCallName }) {
    this.#show(toolCallId, { kind: words["docs.script.tool"], name: toolCallName, status: "running" });
  }

  TOOL_CALL_RESULT({ toolCallId, metadata }) {
    this.#show(toolCallId, { status: metadata?.loopwire?.status ?? "done", progress: undefined });
  }

  ACTIVITY_SNAPSHOT({ messageId, activityType, content }) {
    if (activityType === "tool_progress") this.#show(content.tool_call_id, content);
    if (activityType !== "handoff") return;
    const name = `${content.from} → ${content.to}`;
    this.#show(messageId, { kind: words["docs.script.handoff"], name, status: "done", label: content.reason });
  }

  RUN_FINISHED({ type, outcome }) {
    this.#end(outcome?.type === "cancelled" ? "stopped" : LASTS[type]);
  }

  RUN_ERROR({ type }) {
    this.#end(LASTS[type]);
  }

  /** End the steps at work as their run ends. A run that fails or is stopped finishes its agents first: the last one was at work. */
  #end(status) {
    const last = [...this.#rows.keys()].findLast((id) => id.startsWith(AGENT));
    const wasAtWork = (id, row) => row.dataset.status === "running" || (id === last && status !== "done");
    for (const [id, { row }] of this.#rows) if (wasAtWork(id, row)) this.#show(id, { status, progress: undefined });
  }

  #show(id, changes) {
    if (!changes.name && !this.#rows.has(id)) return;
    const known = this.#rows.get(id) ?? { row: this.list.appendChild(document.createElement("li")) };
    const step = { ...known, ...changes };
    this.#rows.set(id, step);
    this.list.hidden = false;
    draw(step);
  }
}

/** Draw a step into its row. A part that stays is not written again: a screen reader would read it once more. */
function draw({ row, kind, name, status, progress, label }) {
  if (!row.hasChildNodes()) row.append(element("span", "kind", kind), " ", element("code", "", stripOverrides(name)), " ", element("span", "state", ""));
  if (row.dataset.status !== status) {
    row.querySelector("svg")?.remove();
    row.prepend(icon(ICONS[status] ?? "warning", 16));
    row.dataset.status = status;
  }
  const percent = progress === undefined ? "" : `${Math.round(progress * 100)} %`;
  const said = status === "running" ? words["docs.script.running"] : words[`tool.status.${status}`];
  row.querySelector(".state").textContent = [said, percent, stripOverrides(label ?? "")].filter(Boolean).join(" · ");
}

const element = (tag, className, textContent) => Object.assign(document.createElement(tag), { className, textContent });
