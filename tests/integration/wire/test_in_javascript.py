"""The JavaScript client folds to the server's messages: in any conversation, joined at any event."""

from __future__ import annotations

import asyncio
import json
import subprocess
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.protocol import events as ev
from server.protocol.transcript import Transcript
from tests.parts.agui_client import NODE
from tests.parts.sampled import later
from tests.parts.server import Served
from tests.parts.wait import PATIENCE_S
from tests.unit.protocol.test_patch import BAD, CASES
from tests.unit.protocol.test_recorded import RECORDED, frames_in_order, recorded
from tests.unit.protocol.test_transcript import FULL, THREAD, conversations, fold

pytestmark = pytest.mark.once

Json = dict[str, Any]
SCRIPTS = Path(__file__).parents[3] / "sdk/js/tests"
TEXTS = ["I want to sell an iPhone 12", "yes", "the second one", "like new"]

BEGUN = ev.run_started(THREAD, "run_1", at=1)
OPEN = [BEGUN, ev.text_start("msg_1", "assistant"), ev.text_content("msg_1", "Um")]
ASKED = ev.interrupt("int_1", "cal_1", "?", {}, expires_at=0, kind="approval", block_id="blk_1")
ASKED_AGAIN = {**ASKED, "metadata": {"loopwire": {"kind": "form"}}}


def waits_for(run_id: str, *interrupts: Json) -> Json:
    """A run ends with questions."""
    return ev.run_finished(THREAD, run_id, {"type": "interrupt", "interrupts": list(interrupts)})


ODD: dict[str, list[Json]] = {
    "an activity that is known stays": [
        BEGUN,
        ev.activity("blk_1", "block", {"a": 1}),
        ev.activity("blk_1", "block", {"a": 2}, replace=False),
    ],
    "an end counts once": [*OPEN, ev.run_finished(THREAD, "run_1"), ev.run_error("x", "cut", run_id="run_1")],
    "an end counts for its own run": [*OPEN, ev.run_finished(THREAD, "run_0", {"type": "cancelled"})],
    "an end of nothing known": [ev.run_error("x", "cut"), ev.run_finished(THREAD, "run_none")],
    "an end of what is not known": [ev.run_finished(THREAD, "run_9", {"type": "cancelled"})],
    "a question is marked once": [
        BEGUN,
        ev.tool_start("cal_1", "give"),
        ev.tool_end("cal_1"),
        waits_for("run_1", ASKED, {"id": "int_2", "reason": "tool_call"}),
        ev.run_started(THREAD, "run_2", parent_run_id="run_1"),
        waits_for("run_2", ASKED_AGAIN),
    ],
    "of two steps of one name the last one ends": [
        BEGUN,
        *(ev.step_started(name) for name in "aba"),
        ev.step_finished("a"),
    ],
    "a text that was taken back is not heard": [
        *OPEN,
        ev.messages_snapshot([{"id": "msg_1", "role": "assistant", "content": "Um"}], scope="run", attempt=2),
        ev.text_content("msg_1", "x"),
    ],
    "a text that was begun again goes on": [
        *OPEN,
        ev.text_start("msg_1", "assistant", name="a"),
        ev.text_content("msg_1", "dois"),
        ev.run_started(THREAD, "run_1", attempt=2),
    ],
    "a text without its end is closed by the next run": [*OPEN, ev.run_started(THREAD, "run_2")],
    "a snapshot of a run leaves the others alone": [
        *OPEN,
        ev.run_started(THREAD, "run_2"),
        ev.text_start("msg_2", "user"),
        ev.messages_snapshot([{"id": "msg_3", "role": "user", "content": ""}], scope="run"),
    ],
    "what fits nothing changes nothing": [
        *OPEN,
        {"type": "CUSTOM", "name": "x", "value": 1},
        ev.text_end("nobody"),
        ev.text_content("nobody", "x"),
        ev.tool_args("msg_1", "{}"),
        ev.tool_end("msg_1"),
        ev.step_finished("nobody"),
        ev.state_delta([{"op": "replace", "path": "/b", "value": 1}]),
        ev.activity_delta("nobody", "block", []),
    ],
}


class Folding:
    """A Node that folds."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def asked(self, **question: Any) -> Json:
        """Ask one thing."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(question), file=self._process.stdin, flush=True)
        answer: Json = json.loads(self._process.stdout.readline())
        return answer

    def folded(self, *frames: Json) -> Json:
        """Come to a conversation by these frames."""
        return self.asked(frames=frames)


@pytest.fixture(scope="module")
def folding() -> Iterator[Folding]:
    """Yield a Node with the fold of the client."""
    argv = [NODE, SCRIPTS / "fold_frames.mjs"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Folding(process)
        assert process.stdin is not None
        process.stdin.close()


def is_the_same(seen: Json, whole: Transcript) -> None:
    """Both folds have come to the same."""
    assert seen["messages"] == whole.messages
    assert seen["state"] == whole.state
    assert seen["steps"] == whole.steps
    assert seen["run"] == run_of(whole)


def run_of(whole: Transcript) -> Json | None:
    """Return the run as JavaScript names it: what is not known is left out."""
    if whole.run is None:
        return None
    run = {name: getattr(whole.run, name) for name in whole.run.__slots__}
    run["parentRunId"] = run.pop("parent_run_id")
    return {name: value for name, value in run.items() if value is not None}


def snapshot(whole: Transcript, seq: int = 0) -> Json:
    """Return the frame with which a client joins here."""
    return {"type": "snapshot", "seq": seq, "epoch": "1.1", "events": whole.snapshot_events(THREAD)}


def numbered(events: list[Json]) -> list[Json]:
    """Events as they come after such a frame."""
    return [{"seq": seq, "event": event} for seq, event in enumerate(events, 1)]


@pytest.mark.parametrize("events", ODD.values(), ids=ODD)
def test_odd_events_are_folded_alike_in_javascript(folding: Folding, events: list[Json]) -> None:
    is_the_same(folding.folded(snapshot(Transcript()), *numbered(events)), fold(events))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(conversations(), st.data())
def test_a_join_of_any_conversation_at_any_event_gives_the_whole(
    folding: Folding, events: list[Json], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(events)))
    seen = folding.folded(snapshot(fold(events[:place])), *numbered(events[place:]))
    is_the_same(seen, fold(events))


@pytest.mark.parametrize("place", range(len(FULL) + 1))
def test_a_fold_after_a_join_names_what_each_event_changed(folding: Folding, place: int) -> None:
    whole = fold(FULL[:place])
    seen = folding.folded(snapshot(whole), *numbered(FULL[place:]))
    assert seen["changed"][1:] == [whole.apply(event) for event in FULL[place:]]
    is_the_same(seen, whole)


@pytest.mark.parametrize("name", RECORDED)
def test_a_join_of_a_recorded_session_at_any_event_gives_its_stored_messages(
    folding: Folding, name: str
) -> None:
    session = recorded(name)
    frames = [each for each in frames_in_order(session["frames"]) if each.keys() & {"event", "events"}]
    whole = Transcript()
    for place, frame in enumerate(frames, 1):
        if "events" in frame:
            whole = Transcript()
        fold(frame.get("events") or [frame["event"]], whole)
        seen = folding.folded(snapshot(whole, frame["seq"]), *frames[place:])
        assert (seen["messages"], seen["state"]) == (session["stored"], session["state"])


@pytest.mark.parametrize(("document", "operations", "expected"), CASES)
def test_a_patch_gives_the_same_document_in_javascript(
    folding: Folding, document: Any, operations: Any, expected: Any
) -> None:
    assert folding.asked(document=document, patch=operations) == {"document": expected}


@pytest.mark.parametrize(("document", "operation"), BAD)
def test_a_patch_that_does_not_fit_is_refused(folding: Folding, document: Any, operation: Any) -> None:
    assert folding.asked(document=document, patch=[operation]) == {"refused": "PatchError"}


@pytest.mark.parametrize("transport", [later("websocket"), "sse"])
async def test_a_conversation_over_either_transport_is_what_a_newcomer_sees_and_what_is_stored(
    place: Served, transport: str
) -> None:
    asked = {"server": place.url, "texts": TEXTS, "streams": transport == "sse"}
    process = await asyncio.create_subprocess_exec(
        NODE, SCRIPTS / "send_texts.mjs", json.dumps(asked), stdout=PIPE
    )
    out, _ = await asyncio.wait_for(process.communicate(), 4 * PATIENCE_S)
    assert process.returncode == 0
    seen = json.loads(out)
    assert seen["transport"] == transport
    assert {each["role"] for each in seen["stored"]} == {"user", "assistant", "tool", "activity"}
    assert seen["live"] == seen["joined"] == seen["stored"]
    assert seen["states"][0] == seen["states"][1] != {}
