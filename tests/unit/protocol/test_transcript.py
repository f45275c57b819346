"""Joining at any event gives the fold of the whole log, and open messages can always be closed."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.protocol import events as ev
from server.protocol.events import Event, ours
from server.protocol.messages import RunView, with_versions
from server.protocol.transcript import Transcript, end_of_text
from tests.parts.sampled import examples
from tests.unit.protocol.test_events import _reference, unknown_fields

THREAD = "ses_1"
WAITING = {"id": "int_1", "reason": "approval"}


def fold(events: list[Event], start: Transcript | None = None) -> Transcript:
    transcript = start or Transcript()
    for event in events:
        transcript.apply(event)
    return transcript


def roles(transcript: Transcript) -> list[tuple[str, str]]:
    return [(each["id"], each["role"]) for each in transcript.messages]


def user(number: int, text: str = "Quero vender um iPhone") -> list[Event]:
    parts = [{"type": "text", "text": text}]
    start = ev.text_start(f"usr_{number}", "user", at=number, client_id=f"c{number}", content=parts)
    return [start, ev.text_content(f"usr_{number}", text), ev.text_end(f"usr_{number}")]


FULL: list[Event] = [
    ev.run_started(THREAD, "run_1", at=1),
    *user(1),
    ev.step_started("identification"),
    ev.tool_start("cal_1", "get_catalog", at=2),
    ev.tool_args("cal_1", '{"query":'),
    ev.tool_args("cal_1", '"iphone"}'),
    ev.tool_end("cal_1"),
    ev.activity("prg_cal_1", "tool_progress", {"tool_call_id": "cal_1", "progress": 0.1, "label": "x"}, at=3),
    ev.activity_delta("prg_cal_1", "tool_progress", [{"op": "replace", "path": "/progress", "value": 1.0}]),
    ev.tool_result("res_1", "cal_1", '{"total":2}', duration_ms=40, at=4),
    ev.activity("blk_1", "block", {"kind": "choices", "status": "open"}, at=5),
    ev.text_start("msg_1", "assistant", name="identification", at=6),
    ev.text_content("msg_1", "Qual "),
    ev.state_snapshot({"product": None}),
    ev.text_content("msg_1", "destes?"),
    ev.text_end("msg_1"),
    ev.step_finished("identification"),
    ev.run_finished(THREAD, "run_1"),
    ev.run_started(THREAD, "run_2", at=7),
    *user(2, "iPhone 13"),
    ev.activity("blk_1", "block", {"kind": "choices", "status": "answered"}),
    ev.state_delta([{"op": "replace", "path": "/product", "value": "iPhone 13"}]),
    ev.activity("hnd_1", "handoff", {"from": "identification", "to": "options", "status": "done"}),
    ev.run_finished(THREAD, "run_2", {"type": "cancelled"}),
    ev.run_started(THREAD, "run_3", parent_run_id="run_2", kind="note", attempt=1),
    ev.text_start("msg_2", "assistant"),
    ev.text_content("msg_2", "Um"),
    ev.text_end("msg_2"),
    ev.messages_snapshot([], scope="run", attempt=2),
    ev.run_error("The answer was interrupted.", "instance_lost"),
]


@pytest.mark.parametrize("place", range(len(FULL) + 1))
def test_joining_a_conversation_at_any_event_gives_the_whole(place: int) -> None:
    joined = fold(fold(FULL[:place]).snapshot_events(THREAD))
    assert joined == fold(FULL[:place])
    assert fold(FULL[place:], joined) == fold(FULL)


def test_a_whole_conversation_reads_as_it_was_told() -> None:
    transcript = fold(FULL)
    assert roles(transcript) == [
        ("usr_1", "user"),
        ("cal_1", "assistant"),
        ("res_1", "tool"),
        ("prg_cal_1", "activity"),
        ("blk_1", "activity"),
        ("msg_1", "assistant"),
        ("usr_2", "user"),
        ("hnd_1", "activity"),
    ]
    assert transcript.message("msg_1") == {
        "id": "msg_1",
        "role": "assistant",
        "name": "identification",
        "content": "Qual destes?",
        "metadata": {"loopwire": {"run_id": "run_1", "at": 6}},
    }
    call = transcript.messages[1]["toolCalls"][0]
    assert call == {
        "id": "cal_1",
        "type": "function",
        "function": {"name": "get_catalog", "arguments": '{"query":"iphone"}'},
    }
    assert transcript.messages[3]["content"]["progress"] == 1.0
    assert ours(transcript.messages[2]) == {"status": "done", "duration_ms": 40, "at": 4, "run_id": "run_1"}
    assert transcript.messages[4]["content"]["status"] == "answered"
    assert ours(transcript.messages[0])["client_id"] == "c1"
    assert ours(transcript.messages[-1])["ended"] == {"outcome": "cancelled"}
    assert transcript.state == {"product": "iPhone 13"}
    assert transcript.run == RunView(
        "run_3", "error", 2, "note", "run_2", code="instance_lost", message="The answer was interrupted."
    )


@pytest.mark.parametrize("looks", [1, 7, 1000])
def test_a_text_of_many_pieces_is_whole_at_each_read(looks: int) -> None:
    transcript, said = Transcript.of([], {}), ""
    transcript.apply(ev.run_started(THREAD, "run_1"))
    transcript.apply(ev.text_start("msg_1", "assistant"))
    for number in range(100):
        said += f"{number} "
        transcript.apply(ev.text_content("msg_1", f"{number} "))
        if number % looks == 0:
            assert transcript.messages[-1]["content"] == said
    assert transcript.messages[-1]["content"] == said


def test_a_snapshot_holds_the_place_of_an_open_message_only_before_a_closed_one() -> None:
    block = ev.activity("blk_1", "block", {"kind": "choices"})
    opened = [ev.text_start("msg_1", "assistant"), ev.text_content("msg_1", "Qual")]
    for said, named in (
        ([block, *opened], ["usr_1", "blk_1"]),
        ([*opened, block], ["usr_1", "msg_1", "blk_1"]),
    ):
        snapshot = fold([FULL[0], *user(1), *said]).snapshot_events(THREAD)
        (messages,) = (each["messages"] for each in snapshot if each["type"] == "MESSAGES_SNAPSHOT")
        assert [each["id"] for each in messages] == named


def test_apply_returns_the_ids_of_the_changed_messages() -> None:
    transcript = Transcript()
    changed = [transcript.apply(event) for event in FULL]
    assert changed[1:4] == [["usr_1"]] * 3
    assert changed[5:9] == [["cal_1"]] * 4
    assert changed[9:12] == [["prg_cal_1"], ["prg_cal_1"], ["res_1"]]
    assert [each for event, each in zip(FULL, changed, strict=True) if event["type"].startswith("ST")] == [
        []
    ] * 4
    cancelled = next(i for i, event in enumerate(FULL) if event.get("outcome") == {"type": "cancelled"})
    assert changed[cancelled] == ["hnd_1"]
    assert changed[-2] == ["msg_2"]


def test_a_changed_block_of_an_older_run_is_named_for_storing() -> None:
    upto = next(i for i, event in enumerate(FULL) if event.get("runId") == "run_2") + 5
    transcript = fold(FULL[:upto])
    assert transcript.revised == ["blk_1"]
    transcript.apply(ev.activity("blk_1", "block", {"status": "closed"}))
    assert transcript.revised == ["blk_1"]
    assert fold(FULL[upto:], transcript).revised == []


def test_a_message_names_its_versions_beside_what_it_says_of_itself() -> None:
    own = {"at": 4, "run_id": "run_1", "versions": ["msg_0"]}
    message = {"id": "msg_1", "role": "user", "metadata": {"loopwire": own}}
    two = with_versions(message, ["msg_1", "msg_2"])
    assert ours(two) == {"at": 4, "run_id": "run_1", "versions": ["msg_1", "msg_2"]}
    assert ours(with_versions(two, ["msg_1"])) == {"at": 4, "run_id": "run_1"}
    assert ours(message) == own


def test_an_end_counts_once_and_for_its_own_run_only() -> None:
    transcript = fold(FULL[:4])
    assert transcript.apply(ev.run_finished(THREAD, "run_0", {"type": "cancelled"})) == []
    assert transcript.apply(ev.run_error("x", "cut", run_id="run_0")) == []
    assert transcript.run is not None and transcript.run.status == "running"
    transcript.apply(ev.run_finished(THREAD, "run_1"))
    before = fold([], Transcript(list(transcript.messages), transcript.state, transcript.run))
    assert transcript.apply(ev.run_finished(THREAD, "run_1", {"type": "cancelled"})) == []
    assert transcript.apply(ev.run_error("x", "cut")) == []
    assert transcript == before


def test_an_end_alone_in_the_log_marks_the_stored_messages() -> None:
    stored = [{"id": "m", "role": "user", "content": "a", "metadata": {"loopwire": {"run_id": "run_9"}}}]
    for end, ended in (
        (ev.run_finished(THREAD, "run_9", {"type": "cancelled"}), {"outcome": "cancelled"}),
        (ev.run_error("x", "cut", run_id="run_9"), {"outcome": "error", "code": "cut"}),
    ):
        transcript = Transcript.of(stored, {"a": 1})
        assert transcript.apply(end) == ["m"]
        assert ours(transcript.messages[0])["ended"] == ended
    assert "ended" not in ours(stored[0])
    assert Transcript.of(stored, {}).apply(ev.run_error("x", "cut")) == []
    assert Transcript.of([], {}).apply(ev.run_finished(THREAD, "run_9", {"type": "cancelled"})) == []


def test_an_interrupted_run_stays_readable_and_its_call_may_be_answered_by_the_next() -> None:
    waiting = {"type": "interrupt", "interrupts": [{"id": "int_1", "reason": "approval"}]}
    first = [ev.run_started(THREAD, "run_1"), ev.tool_start("cal_1", "pay"), ev.tool_end("cal_1")]
    transcript = fold([*first, ev.run_finished(THREAD, "run_1", waiting), ev.run_started(THREAD, "run_2")])
    transcript.apply(ev.tool_result("res_1", "cal_1", "{}"))
    assert ours(transcript.messages[-1])["run_id"] == "run_2"
    assert transcript.close_events() == []


def test_closing_ends_everything_open_and_answers_every_call() -> None:
    opened = [
        ev.run_started(THREAD, "run_1"),
        ev.step_started("a"),
        ev.step_started("b"),
        ev.tool_start("cal_1", "x"),
        ev.tool_end("cal_1"),
        ev.tool_result("res_1", "cal_1", "{}"),
        ev.tool_start("cal_2", "x"),
        ev.tool_end("cal_2"),
        ev.tool_start("cal_3", "x"),
        ev.text_start("msg_1", "assistant"),
    ]
    transcript = fold(opened)
    closing = transcript.close_events()
    assert closing == [
        ev.text_end("msg_1"),
        ev.tool_end("cal_3"),
        ev.tool_result("res_cal_2", "cal_2", '{"status":"stopped"}', status="stopped"),
        ev.tool_result("res_cal_3", "cal_3", '{"status":"stopped"}', status="stopped"),
        ev.step_finished("b"),
        ev.step_finished("a"),
    ]
    assert fold(closing, transcript).close_events() == []
    assert Transcript().close_events() == []


def test_an_end_closes_what_the_log_left_open() -> None:
    opened = [ev.run_started(THREAD, "run_1"), ev.text_start("msg_1", "assistant"), ev.step_started("a")]
    for event in opened[1:]:
        assert fold([opened[0], event]) != fold([opened[0]])
    for end in (ev.run_finished(THREAD, "run_1"), ev.run_error("x", "cut"), ev.run_started(THREAD, "run_2")):
        transcript = fold([*opened, end])
        assert (transcript.steps, transcript.open_texts, transcript.open_calls) == ([], {}, {})
        assert "open" not in ours(transcript.messages[0])


def test_a_take_over_replaces_the_messages_of_its_run_where_they_stand() -> None:
    transcript = fold([ev.run_started(THREAD, "run_1"), *user(1)])
    kept = list(transcript.messages)
    fold(
        [
            ev.text_start("msg_1", "assistant"),
            ev.text_content("msg_1", "half"),
            ev.text_end("msg_1"),
            ev.messages_snapshot(kept, scope="run", attempt=2),
        ],
        transcript,
    )
    assert transcript.messages == kept
    assert transcript.run is not None and transcript.run.attempt == 2
    transcript.apply(ev.run_started(THREAD, "run_1", attempt=3))
    transcript.apply({"type": "RUN_STARTED", "threadId": THREAD, "runId": "run_1"})
    assert transcript.run.attempt == 3
    assert transcript.messages == kept


def test_a_take_over_that_shows_a_block_again_does_not_double_it() -> None:
    transcript = fold([ev.run_started(THREAD, "run_1"), *user(1)])
    for attempt, size in ((1, "S"), (2, "M")):
        transcript.apply(ev.run_started(THREAD, "run_1", attempt=attempt))
        transcript.apply(ev.activity("blk_1", "block", {"size": size}))
        transcript.apply(ev.text_start("msg_1", "assistant"))
        transcript.apply(ev.text_end("msg_1"))
        assert [each["id"] for each in transcript.messages[-2:]] == ["blk_1", "msg_1"]
        kept = transcript.run_messages("run_1")
        transcript.apply(ev.messages_snapshot(kept, scope="run", attempt=attempt + 1))
    assert [each["id"] for each in transcript.messages].count("blk_1") == 1
    block = transcript.message("blk_1")
    assert block is not None and block["content"] == {"size": "M"}


def test_a_run_snapshot_leaves_other_runs_alone_wherever_they_stand() -> None:
    def message(name: str, run_id: str) -> dict[str, Any]:
        return {"id": name, "role": "user", "content": "", "metadata": {"loopwire": {"run_id": run_id}}}

    transcript = Transcript.of([message("a", "run_0"), message("b", "run_1"), message("c", "run_0")], {})
    transcript.apply(ev.messages_snapshot([message("z", "run_0")], scope="run"))
    assert [each["id"] for each in transcript.messages] == ["z"]
    transcript = Transcript.of([message("a", "run_0"), message("b", "run_1"), message("c", "run_0")], {})
    transcript.apply(ev.run_started(THREAD, "run_1"))
    assert transcript.apply(ev.messages_snapshot([message("d", "run_1")], scope="run")) == ["b", "d"]
    assert [each["id"] for each in transcript.messages] == ["a", "d", "c"]


def test_unknown_and_misplaced_events_change_nothing_in_the_fold() -> None:
    start = [ev.run_started(THREAD, "run_1"), *user(1), ev.state_snapshot({"a": 1})]
    strange: list[Event] = [
        {"type": "CUSTOM", "name": "x", "value": 1},
        ev.text_content("nobody", "x"),
        ev.text_content("usr_1", "after its end"),
        ev.text_end("nobody"),
        ev.tool_args("nobody", "{}"),
        ev.tool_args("usr_1", "{}"),
        ev.tool_end("nobody"),
        ev.step_finished("nobody"),
        ev.state_delta([{"op": "replace", "path": "/b", "value": 1}]),
        ev.activity("usr_1", "block", {}, replace=False),
        ev.activity_delta("nobody", "block", []),
        ev.run_started(THREAD, "run_1"),
    ]
    transcript = fold(start)
    assert [transcript.apply(event) for event in strange] == [[]] * len(strange)
    assert transcript == fold(start)
    assert transcript.message("nobody") is None


def test_something_shown_outside_any_run_belongs_to_none() -> None:
    transcript = fold([ev.activity("blk_1", "block", {"a": 1}, at=3)])
    assert ours(transcript.messages[0]) == {"at": 3}


def test_snapshots_show_the_last_messages_and_never_cut_what_is_open() -> None:
    texts = [each for n in range(9) for each in user(n)]
    transcript = fold([ev.run_started(THREAD, "run_1"), *texts])
    assert [each["id"] for each in fold(transcript.snapshot_events(THREAD, limit=2)).messages] == [
        "usr_7",
        "usr_8",
    ]
    assert fold(transcript.snapshot_events(THREAD, limit=99)) == transcript
    transcript = fold([ev.run_started(THREAD, "run_1"), ev.text_start("msg_0", "assistant"), *texts])
    assert fold(transcript.snapshot_events(THREAD, limit=2)) == transcript


def test_a_snapshot_does_not_change_when_the_conversation_goes_on() -> None:
    transcript = fold(FULL[:15])
    events = transcript.snapshot_events(THREAD)
    before = json.dumps(events)
    fold(FULL[15:], transcript)
    assert json.dumps(events) == before


# Any conversation.

_names = st.sampled_from(["a", "b", "c"])
_text = st.text(alphabet="abçé \n", max_size=6)


class Author:
    """Writes any sequence of events that a run holder may write, however strangely interleaved."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.count = 0
        self.events: list[Event] = []
        self.transcript = Transcript()

    def id(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}_{self.count}"

    def write(self, *events: Event) -> None:
        for event in events:
            self.events.append(event)
            self.transcript.apply(event)

    def step(self) -> None:
        run = self.transcript.run
        if run is None or run.status != "running":
            self.write(ev.run_started(THREAD, self.id("run"), at=self.draw(st.none() | st.integers(0, 9))))
            return
        writes = [
            self.text,
            self.thought,
            self.more,
            self.end_text,
            self.call,
            self.args,
            self.end_call,
            self.result,
        ]
        writes += [
            self.activity,
            self.delta,
            self.agent,
            self.agent_ends,
            self.state,
            self.end,
            self.take_over,
        ]
        self.draw(st.sampled_from(writes))()

    def text(self) -> None:
        role = self.draw(st.sampled_from(["user", "assistant"]))
        parts = self.draw(st.none() | st.just([{"type": "text", "text": "x"}]))
        name, at = self.draw(st.none() | _names), self.draw(st.none() | st.integers(0, 9))
        self.write(ev.text_start(self.id("msg"), role, name=name, at=at, content=parts))

    def thought(self) -> None:
        self.write(ev.reasoning_start(self.id("msg"), agent=self.draw(st.none() | _names)))

    def any_of(self, ids: Any) -> str | None:
        found = sorted(ids)
        return self.draw(st.sampled_from(found)) if found else None

    def more(self) -> None:
        if message_id := self.any_of(self.transcript.open_texts):
            add = {"reasoning": ev.reasoning_content}.get(self.transcript.open_texts[message_id])
            self.write((add or ev.text_content)(message_id, self.draw(_text)))

    def end_text(self) -> None:
        if message_id := self.any_of(self.transcript.open_texts):
            self.write(end_of_text(message_id, self.transcript.open_texts[message_id]))

    def call(self) -> None:
        at = self.draw(st.none() | st.integers(0, 9))
        self.write(ev.tool_start(self.id("cal"), self.draw(_names), at=at))

    def args(self) -> None:
        if call_id := self.any_of(self.transcript.open_calls):
            self.write(ev.tool_args(call_id, self.draw(_text)))

    def end_call(self) -> None:
        if call_id := self.any_of(self.transcript.open_calls):
            self.write(ev.tool_end(call_id))

    def result(self) -> None:
        calls = [each["id"] for each in self.transcript.messages if "toolCalls" in each]
        if call_id := self.any_of(calls):
            self.write(ev.tool_result(self.id("res"), call_id, self.draw(_text), duration_ms=1))

    def activity(self) -> None:
        known = [each["id"] for each in self.transcript.messages if each["role"] == "activity"]
        message_id = self.draw(st.sampled_from([*known, self.id("act")]))
        self.write(ev.activity(message_id, "block", {"n": self.count}, replace=self.draw(st.booleans())))

    def delta(self) -> None:
        known = [each["id"] for each in self.transcript.messages if each["role"] == "activity"]
        if message_id := self.any_of(known):
            patch = [
                {"op": "replace", "path": self.draw(st.sampled_from(["/n", "/m"])), "value": -self.count}
            ]
            self.write(ev.activity_delta(message_id, "block", patch))

    def agent(self) -> None:
        self.write(ev.step_started(self.draw(_names)))

    def agent_ends(self) -> None:
        if name := self.any_of(self.transcript.steps):
            self.write(ev.step_finished(name))

    def state(self) -> None:
        delta = ev.state_delta([{"op": "add", "path": "/a", "value": self.count}])
        self.write(self.draw(st.sampled_from([ev.state_snapshot({"b": self.count}), delta])))

    def end(self) -> None:
        assert self.transcript.run is not None
        outcomes = [None, {"type": "cancelled"}, {"type": "interrupt", "interrupts": [WAITING]}]
        ends = [ev.run_finished(THREAD, self.transcript.run.id, outcome) for outcome in outcomes]
        end = self.draw(st.sampled_from([*ends, ev.run_error("x", "cut")]))
        self.write(*self.transcript.close_events(), end)

    def take_over(self) -> None:
        run = self.transcript.run
        assert run is not None
        mine = self.transcript.run_messages(run.id)
        kept = [each for each in mine[: self.draw(st.integers(0, len(mine)))] if not ours(each).get("open")]
        self.write(*self.transcript.close_events())
        self.write(ev.messages_snapshot(kept, scope="run", attempt=run.attempt + 1))


@st.composite
def conversations(draw: st.DrawFn) -> list[Event]:
    author = Author(draw)
    for _ in range(draw(st.integers(0, 40))):
        author.step()
    return author.events


@settings(max_examples=examples(300), deadline=None)
@given(conversations(), st.data())
def test_joining_any_conversation_at_any_event_gives_the_whole(
    events: list[Event], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(events)))
    prefix = fold(events[:place])
    snapshot = prefix.snapshot_events(THREAD)
    for event in snapshot:
        assert unknown_fields(_reference.validate_python(event)) == []
    joined = fold(json.loads(json.dumps(snapshot)))
    assert joined == prefix
    assert fold(events[place:], joined) == fold(events)


@settings(max_examples=examples(100), deadline=None)
@given(conversations())
def test_any_conversation_can_be_closed_and_then_everything_is_closed(events: list[Event]) -> None:
    transcript = fold(events)
    if transcript.run is None or transcript.run.status != "running":
        return
    fold(transcript.close_events(), transcript)
    assert (transcript.steps, transcript.open_texts, transcript.open_calls) == ([], {}, {})
    assert transcript.close_events() == []


@settings(max_examples=examples(100), deadline=None)
@given(conversations(), st.integers(1, 5))
def test_a_limited_snapshot_is_the_end_of_the_whole(events: list[Event], limit: int) -> None:
    whole = fold(events)
    shown = fold(whole.snapshot_events(THREAD, limit=limit))
    assert shown.messages == whole.messages[len(whole.messages) - len(shown.messages) :]
    assert len(shown.messages) >= min(limit, len(whole.messages))


def test_a_limited_snapshot_parts_no_call_from_its_result() -> None:
    said = [ev.run_started(THREAD, "run_1"), ev.tool_start("call_1", "search"), ev.tool_end("call_1")]
    whole = fold([*said, ev.tool_result("res_1", "call_1", "{}"), ev.run_finished(THREAD, "run_1")])
    shown = fold(whole.snapshot_events(THREAD, limit=1))
    assert [each["id"] for each in shown.messages] == ["call_1", "res_1"]


def test_a_text_is_whole_at_each_read_and_an_earlier_reading_does_not_change() -> None:
    transcript = fold([ev.run_started(THREAD, "run_1"), ev.text_start("m", "assistant")])
    seen = []
    for word in ("a", "b", "c", "d"):
        assert transcript.apply(ev.text_content("m", word)) == ["m"]
        if word in "bd":
            seen.append(transcript.message("m"))
    assert [each and each["content"] for each in seen] == ["ab", "abcd"]
    transcript.apply(ev.text_content("m", "e"))
    part = transcript.only([])
    assert (part.messages, part.run, part.open_texts) == ([], transcript.run, transcript.open_texts)
    assert [each["content"] for each in transcript.messages] == ["abcde"]


def test_a_text_whose_message_was_taken_away_is_heard_no_more() -> None:
    transcript = fold([ev.run_started(THREAD, "run_1"), ev.text_start("m", "assistant")])
    transcript.apply(ev.text_content("m", "a"))
    transcript.messages = []
    transcript.apply(ev.text_content("m", "b"))
    assert transcript.messages == []
    assert transcript != fold([]) and transcript != THREAD


def test_a_call_for_which_a_run_waits_is_marked_with_the_run_that_asked() -> None:
    """The stored mark tells a client that reloads that no process works on the call."""
    folded = Transcript()
    own = {"kind": "approval", "block_id": "blk_1"}
    waits = {"id": "int_1", "toolCallId": "cal_1", "metadata": {"loopwire": own}}
    gone = {"id": "int_2", "toolCallId": "cal_gone"}
    for event in (
        ev.run_started("ses_1", "run_1"),
        ev.tool_start("cal_1", "create_item"),
        ev.tool_end("cal_1"),
        ev.run_finished("ses_1", "run_1", {"type": "interrupt", "interrupts": [waits, gone]}),
    ):
        changed = folded.apply(event)
    assert changed == ["cal_1"]
    assert ours(folded.messages[0])["waits"] == own
    folded.apply(ev.run_started("ses_1", "run_2", parent_run_id="run_1"))
    assert folded.apply(ev.run_finished("ses_1", "run_2", {"type": "interrupt", "interrupts": [waits]})) == []
    assert folded.revised == []


def waiting() -> Transcript:
    """Return a run that ended with a question, as it is stored."""
    block = {"kind": "approval", "status": "open", "interrupt_id": "int_1"}
    waits = ev.interrupt("int_1", "cal_1", "?", {}, expires_at=0, kind="approval", block_id="blk_1")
    folded = Transcript()
    for event in (
        ev.run_started("ses_1", "run_1"),
        ev.tool_start("cal_1", "give"),
        ev.tool_end("cal_1"),
        ev.activity("blk_1", "block", block),
    ):
        folded.apply(event)
    assert folded.close_events({"cal_1"}) == []
    folded.apply(ev.run_finished("ses_1", "run_1", {"type": "interrupt", "interrupts": [waits]}))
    return folded


def test_a_waiting_call_is_not_closed_with_its_run_but_by_what_comes_instead_of_an_answer() -> None:
    folded = waiting()
    folded.apply(ev.run_started("ses_1", "run_2"))
    assert folded.close_events() == []
    assert folded.settle_events({"cal_1", "blk_1"}) == []
    for event in folded.settle_events():
        folded.apply(event)
    result, block = folded.message("res_cal_1"), folded.message("blk_1")
    assert result is not None and result["metadata"]["loopwire"]["run_id"] == "run_2"
    assert block is not None and block["content"]["status"] == "closed"
    assert folded.revised == ["blk_1"]
    assert folded.settle_events() == []


def test_an_interrupt_is_told_as_ag_ui_has_it() -> None:
    told = ev.interrupt("int_1", "cal_1", "?", {"type": "string"}, expires_at=1_500, kind="tool")
    assert told["expiresAt"] == "1970-01-01T00:00:01.500Z"
    assert told["metadata"] == {"loopwire": {"kind": "tool"}}
    assert (told["reason"], told["toolCallId"], told["responseSchema"]) == (
        "tool_call",
        "cal_1",
        {"type": "string"},
    )
