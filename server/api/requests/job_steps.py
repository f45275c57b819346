"""The steps of a job: its agents and the calls of their tools, from the events of its run or from what it stored.

Nothing here is estimated: a step is done when its end was published, and a tool reports its own progress.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from server.protocol.events import Event, ours

Json = dict[str, Any]
StepStatus = Literal["queued", "running", "done", "failed", "stopped", "unknown"]

MOST_STEPS = 200
"""The most steps of one job; later ones are left out."""

_ENDS: dict[str, StepStatus] = {"success": "done", "interrupt": "done", "cancelled": "stopped"}
"""The end of the steps at work when their run ends, by the run's outcome."""


@dataclass(frozen=True)
class JobStep:
    """An agent at work, or a call of a tool."""

    type: Literal["agent", "tool"]
    name: str
    status: StepStatus
    call_id: str | None = None
    agent: str | None = None
    """The agent that made the call."""
    started_at: int | None = None
    duration_ms: int | None = None
    progress: float | None = None
    """The part of a tool's work that is done, 0 to 1, where the tool tells it."""
    label: str | None = None
    """The tool's own description of its progress."""

    def to_json(self) -> Json:
        """Return it as a client reads it, without what is not known."""
        told = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "call_id"}
        return {name: value for name, value in told.items() if value is not None}


def ids_of_earlier_calls(events: Iterable[Event], messages: Iterable[Json]) -> list[str]:
    """Return the calls whose results are among these events or messages of a run, and which are not."""
    told, begun = [], set()
    for each in events:
        if each["type"] == "TOOL_CALL_RESULT":
            told.append(each["toolCallId"])
        elif each["type"] == "TOOL_CALL_START":
            begun.add(each["toolCallId"])
    for each in messages:
        begun.update(call["id"] for call in each.get("toolCalls", ()))
        told += [each["toolCallId"]] if each["role"] == "tool" else []
    return [each for each in dict.fromkeys(told) if each not in begun]


def step_of_call(message: Json) -> JobStep:
    """Return the step of a call by its message, before it is carried out."""
    own, call = ours(message), message["toolCalls"][0]
    return JobStep("tool", call["function"]["name"], "running", call["id"], own.get("agent"), own.get("at"))


@dataclass
class JobSteps:
    """The steps of one run, folded from its events.

    `planned` are the agents that a request asks one after the other; a conversation plans none.
    """

    planned: Sequence[str] = ()
    steps: list[JobStep] = field(default_factory=list)
    waited: Mapping[str, JobStep] = field(default_factory=dict)
    """Calls that an earlier run showed and that this one carries out, by id: they were waiting for a person."""
    _rest: StepStatus = "queued"
    """The status of planned agents without an event."""
    _rewound: bool = False
    """Another instance took the run over: the agent that was at work then begins again."""

    def apply(self, event: Event) -> None:
        """Fold one event of the run; those that change no step are passed over."""
        match event["type"]:
            case "STEP_STARTED":
                self._begin_agent(event["stepName"])
            case "STEP_FINISHED":
                self._end_agent(event["stepName"])
            case "TOOL_CALL_START":
                own = ours(event)
                self._begin_call(
                    event["toolCallId"], event["toolCallName"], own.get("agent"), event.get("timestamp")
                )
            case "TOOL_CALL_RESULT":
                self._end_call(event["toolCallId"], ours(event))
            case "ACTIVITY_SNAPSHOT":
                self._note_progress(event["activityType"], event["content"])
            case "MESSAGES_SNAPSHOT":
                self._read_snapshot(event["messages"])

    def read_messages(self, messages: Iterable[Json]) -> None:
        """Add the calls of stored messages, which name no beginning and end of an agent."""
        for each in messages:
            own = ours(each)
            for call in each.get("toolCalls", ()):
                self._begin_call(call["id"], call["function"]["name"], own.get("agent"), own.get("at"))
            if each["role"] == "tool":
                self._end_call(each["toolCallId"], own)
            elif each["role"] == "activity":
                self._note_progress(each["activityType"], each["content"])

    def finish_run(self, outcome: str | None) -> None:
        """End with the run. A run that fails or is stopped closes its agents first; the last one was at work."""
        status: StepStatus = _ENDS.get(outcome or "", "failed")
        self.steps = [
            replace(each, status=status) if each.status == "running" else each for each in self.steps
        ]
        last = self._last_agent()
        if last is not None and status != "done":
            self.steps[last] = replace(self.steps[last], status=status)
            self._rest = "stopped"
        else:
            self._rest = status if status != "failed" else "unknown"

    def all_steps(self) -> list[JobStep]:
        """Return the steps and the planned agents without an event; these are first where only calls are known."""
        told = {each.name for each in self.steps if each.type == "agent"}
        rest = [JobStep("agent", name, self._rest) for name in self.planned if name not in told]
        return ([*self.steps, *rest] if told else [*rest, *self.steps])[:MOST_STEPS]

    def progress(self) -> float | None:
        """Return the part of the planned agents that has answered; None where nothing is planned."""
        if not self.planned:
            return None
        done = {each.name for each in self.all_steps() if each.type == "agent" and each.status == "done"}
        return round(len(done & set(self.planned)) / len(self.planned), 4)

    # Agents.

    def _begin_agent(self, name: str) -> None:
        rewound, self._rewound = self._rewound, False
        last = self._last_agent()
        if rewound and last is not None:
            again = self.steps[last].name == name
            self.steps[last] = replace(self.steps[last], status="running" if again else "done")
            if again:
                return
        self.steps.append(JobStep("agent", name, "running"))

    def _end_agent(self, name: str) -> None:
        for at in reversed(range(len(self.steps))):
            each = self.steps[at]
            if (each.type, each.name, each.status) == ("agent", name, "running"):
                self.steps[at] = replace(each, status="done")
                return

    def _last_agent(self) -> int | None:
        places = [at for at, each in enumerate(self.steps) if each.type == "agent"]
        return places[-1] if places else None

    # Calls.

    def _begin_call(self, call_id: str, name: str, agent: str | None, at: int | None) -> None:
        if self._place_of(call_id) is None:
            self.steps.append(JobStep("tool", name, "running", call_id, agent, at))

    def _end_call(self, call_id: str, own: Json) -> None:
        self._change(call_id, status=own.get("status", "done"), duration_ms=own.get("duration_ms"))

    def _note_progress(self, kind: str, content: Json) -> None:
        if kind == "tool_progress":
            self._change(content["tool_call_id"], progress=content["progress"], label=content.get("label"))

    def _change(self, call_id: str, **changes: Any) -> None:
        if self._place_of(call_id) is None and call_id in self.waited:
            self.steps.append(self.waited[call_id])
        place = self._place_of(call_id)
        if place is not None:
            self.steps[place] = replace(self.steps[place], **changes)

    def _place_of(self, call_id: str) -> int | None:
        return next((at for at, each in enumerate(self.steps) if each.call_id == call_id), None)

    def _read_snapshot(self, messages: list[Json]) -> None:
        """Restore these messages of the run: the later steps happen again, or did not happen."""
        known = {call["id"] for each in messages for call in each.get("toolCalls", ())}
        self.steps = [each for each in self.steps if each.type == "agent" or each.call_id in known]
        self.read_messages(messages)
        last = self._last_agent()
        if last is not None and self.steps[last].status == "done":
            self.steps[last] = replace(self.steps[last], status="queued")
            self._rewound = True
