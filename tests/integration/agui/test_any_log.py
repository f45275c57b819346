"""For any log, each of its runs is a legal answer, and AG-UI's client folds it into the server's messages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from server.agui.names import Names
from server.agui.translate import AnswerTranslator
from server.protocol import events as ev
from server.protocol.events import Event, ours
from server.protocol.order import whole_calls
from server.protocol.transcript import REASONING, Transcript
from server.runs.conversation.older_messages import may_change
from server.runs.execution.opening import snapshot_of_run
from tests.integration.agui.caller import told
from tests.parts.agui_client import Client, Json
from tests.parts.sampled import examples, later
from tests.unit.protocol.test_transcript import THREAD, Author

EXAMPLES = examples(150)

ALL, FEW = 1000, 2
"""Messages that an answer reads before it needs more."""


class Server(Author):
    """Writes what our server may write: one agent works at a time, and results follow their call in the same run."""

    def agent(self) -> None:
        name = self.draw(st.sampled_from(["a", "b", "c"]))
        if name not in self.transcript.steps:
            self.write(ev.step_started(name))

    def result(self) -> None:
        run = self.transcript.run
        assert run is not None
        own = self.transcript.run_messages(run.id)
        answered = {each.get("toolCallId") for each in own}
        open_calls = [each["id"] for each in own if "toolCalls" in each and each["id"] not in answered]
        if call_id := self.any_of(set(open_calls) - set(self.transcript.open_calls)):
            self.write(ev.tool_result(f"res_{call_id}", call_id, "{}", duration_ms=1))

    def activity(self) -> None:
        known = [each["id"] for each in self.transcript.messages if each["role"] == "activity"]
        message_id = self.draw(st.sampled_from([*known, self.id("act")]))
        self.write(ev.activity(message_id, "block", {"n": self.count}))

    def delta(self) -> None:
        known = [each["id"] for each in self.transcript.messages if each["role"] == "activity"]
        if message_id := self.any_of(known):
            patch = [{"op": "replace", "path": "/n", "value": -self.count}]
            self.write(ev.activity_delta(message_id, "block", patch))

    def state(self) -> None:
        delta = ev.state_delta([{"op": "add", "path": "/a", "value": self.count}])
        self.write(self.draw(st.sampled_from([ev.state_snapshot({"b": self.count}), delta])))

    def end(self) -> None:
        assert self.transcript.run is not None
        outcome = self.draw(st.sampled_from([None, {"type": "cancelled"}]))
        end = ev.run_finished(THREAD, self.transcript.run.id, outcome)
        error = ev.run_error("x", "cut", run_id=self.transcript.run.id)
        self.write(*self.transcript.close_events(), self.draw(st.sampled_from([end, error])))

    def take_over(self) -> None:
        # The parts of a call are written in one commit, so none is half told when a log is lost.
        if self.transcript.open_calls or self.draw(st.booleans()):
            super().take_over()
        else:
            self.begun_anew()

    def begun_anew(self) -> None:
        """The log was lost: its holder writes what it begins with then."""
        run = self.transcript.run
        assert run is not None
        holder: Any = SimpleNamespace(id=run.id, session_id=THREAD, attempt=run.attempt, branch=None)
        self.events += snapshot_of_run(self.transcript, holder)


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[Event], int]:
    """Return a log whose runs have all ended, and a number that chooses a place in each of them."""
    server = Server(draw)
    for _ in range(draw(st.integers(1, 50))):
        server.step()
    if server.transcript.run is not None and server.transcript.run.status == "running":
        server.end()
    return server.events, draw(st.integers(0, 1000))


def runs_of(log: list[Event], *, anew: bool = False) -> list[list[Event]]:
    """Return the log, run by run; where it was begun `anew` in the middle of a run, that begins another list."""
    found: list[list[Event]] = []
    for event in log:
        if event["type"] == "RUN_STARTED" and (anew or not found or found[-1][0]["runId"] != event["runId"]):
            found.append([])
        found[-1].append(event)
    return found


def folded(events: list[Event]) -> Transcript:
    """Return what a log comes to."""
    transcript = Transcript()
    for event in events:
        if event["type"] == "RUN_STARTED":
            transcript.steps = []  # A log that is begun anew tells them again.
        transcript.apply(event)
    return transcript


class Reader:
    """Follows one run as an answer does, from the newest messages of what was said before it."""

    def __init__(self, names: Names, before: list[Event], newest: int) -> None:
        """Know so many messages, or a few more where a result would be without its call."""
        self.names = names
        self.before = before
        messages = folded(before).messages
        self.first = whole_calls(messages, max(0, len(messages) - newest))
        self.older = {each["id"]: each for each in messages[: self.first]}
        self.translator = AnswerTranslator(names, self.part())

    def part(self) -> Transcript:
        """Return the newest messages before the run."""
        part = folded(self.before)
        part.messages, part.older = part.messages[self.first :], self.first > 0
        return part

    def take(self, event: Event) -> list[Event]:
        """Take an event."""
        self.recall(self.translator.folded, event)
        if self.translator.lacks_earlier(event):
            self.complete()
        return self.translator.translate(event)

    def jump(self, heard: list[Event]) -> list[Event]:
        """Go on after these events of the run."""
        now = self.part()
        for event in heard:
            if event["type"] == "RUN_STARTED":
                now.steps = []
            self.recall(now, event)
            now.apply(event)
        self.complete()
        return self.translator.jump(now)

    def recall(self, part: Transcript, event: Event) -> None:
        """Let it know an old message that the event changes."""
        if may_change(event, part) and event["messageId"] in self.older:
            part.recalled[event["messageId"]] = self.older[event["messageId"]]

    def complete(self) -> None:
        """Let it know the rest."""
        named = [self.names.rename_message(each) for each in self.older.values()]
        self.translator.complete({each["id"]: each for each in named})


def answers_of(log: list[Event], place: int, newest: int) -> list[list[Event]]:
    """Return each run as a caller gets it that has followed all; at a place of its own it loses its position."""
    answers, before = [], list[Event]()
    sent: dict[str, str] = {}
    for run in runs_of(log):
        names = Names(session_id=THREAD, run_id=run[0]["runId"], thread="t", run=run[0]["runId"], sent=sent)
        reader, lost = Reader(names, before, newest), place % (2 * len(run))
        answer: list[Event] = []
        for number, event in enumerate(run):
            answer += reader.take(event)
            if number == lost and not reader.translator.over:
                answer += reader.jump(run[: number + 1])
        assert reader.translator.over
        answers.append(answer)
        before = [*before, *run]
        whole = folded(before)
        sent = {str(ours(each).get("client_id") or each["id"]): names.of(each) for each in whole.messages}
    return answers


def collected() -> list[tuple[list[Event], int]]:
    """Return the same examples each time."""
    found: list[tuple[list[Event], int]] = []

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(logs())
    def collect(example: tuple[list[Event], int]) -> None:
        found.append(example)

    collect()
    return found


def replaced_and_withdrawn() -> list[Event]:
    """Return a log in which an attempt replaces a block of an earlier run, and is withdrawn."""
    start = [ev.run_started(THREAD, "run_1"), ev.activity("act_1", "block", {"n": 1})]
    texts = [each for id in ("msg_1", "msg_2") for each in (ev.text_start(id, "assistant"), ev.text_end(id))]
    change = [ev.run_started(THREAD, "run_2"), ev.activity("act_1", "block", {"n": 2})]
    withdrawal = [ev.messages_snapshot([], scope="run", attempt=2), ev.run_finished(THREAD, "run_2")]
    return [*start, *texts, ev.run_finished(THREAD, "run_1"), *change, *withdrawal]


def begun_anew_in_mid_thought() -> list[Event]:
    """Return a log that is begun anew while a summary of reasoning is open, the only one."""
    start = ev.run_started(THREAD, "run_1")
    shown = [ev.reasoning_start("msg_1"), ev.reasoning_content("msg_1", "Penso")]
    holder: Any = SimpleNamespace(id="run_1", session_id=THREAD, attempt=1, branch=None)
    rest = [ev.reasoning_end("msg_1", duration_ms=1, truncated=False), ev.run_finished(THREAD, "run_1")]
    return [start, *shown, *snapshot_of_run(folded([start, *shown]), holder), *rest]


def begun_anew_in_mid_text() -> list[Event]:
    """Return a log that is begun anew while a text is open that stands before a block."""
    start = ev.run_started(THREAD, "run_1")
    shown = [ev.text_start("msg_1", "assistant", name="a"), ev.activity("act_1", "block", {"n": 1})]
    transcript = folded([start, *shown])
    holder: Any = SimpleNamespace(id="run_1", session_id=THREAD, attempt=1, branch=None)
    rest = [ev.text_content("msg_1", "Olá"), ev.text_end("msg_1"), ev.run_finished(THREAD, "run_1")]
    return [start, *shown, *snapshot_of_run(transcript, holder), *rest]


def apart(messages: list[Json]) -> tuple[list[Json], dict[str, Json]]:
    """Return messages without summaries of reasoning, and these by their ids.

    A withdrawn one may stay in AG-UI's client, without words and at a place of its own.
    """
    thoughts = {each["id"]: told(each) for each in messages if each["role"] == REASONING}
    return [told(each) for each in messages if each["role"] != REASONING], thoughts


@pytest.mark.parametrize("newest", [ALL, later(FEW)])
async def test_every_log_is_legal_and_folds_to_the_messages_of_the_server(agui: Client, newest: int) -> None:
    written = [(replaced_and_withdrawn(), 0), (begun_anew_in_mid_text(), 0), (begun_anew_in_mid_thought(), 0)]
    for number, (log, place) in enumerate([*written, *collected()]):
        for run in runs_of(log, anew=True):
            verdict = await agui.do("verify", events=run)
            assert "error" not in verdict, (verdict, run)
        agent = f"any-{newest}-{number}"
        await agui.do("agent", agent=agent, kind="replay", threadId="t")
        after: Json = {}
        for answer in answers_of(log, place, newest):
            ran = await agui.ran(agent, events=answer)
            assert ran.error is None, (ran.error, answer)
            after = ran.after
        whole = folded(log)
        known, known_thoughts = apart(after["messages"])
        expected, thoughts = apart(whole.messages)
        assert known == expected
        assert known_thoughts | thoughts == known_thoughts
        assert after["state"] == whole.state
