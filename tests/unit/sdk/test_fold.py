"""The Python client folds to the server's messages: in any conversation, joined at any event."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwire.conversation import Conversation
from loopwire.patch import PatchError, patch
from loopwire.transcript import Transcript
from server.protocol.transcript import Transcript as ServerTranscript
from tests.integration.wire.test_in_javascript import ODD
from tests.unit.protocol.test_patch import BAD, CASES
from tests.unit.protocol.test_recorded import RECORDED, frames_in_order, recorded
from tests.unit.protocol.test_transcript import FULL, THREAD, conversations
from tests.unit.protocol.test_transcript import fold as fold_at_server

Json = dict[str, Any]


def fold(events: list[Json], transcript: Transcript | None = None) -> Transcript:
    """Fold events as the client does."""
    folded = transcript or Transcript()
    for event in events:
        folded.apply(event)
    return folded


def is_the_same(mine: Transcript, whole: ServerTranscript) -> None:
    """Both folds have come to the same."""
    assert mine.messages == whole.messages
    assert mine.state == whole.state
    assert mine.steps == whole.steps
    assert [*mine.texts, *mine.calls] == [*whole.open_texts, *whole.open_calls]
    assert (mine.run and asdict(mine.run)) == (whole.run and asdict(whole.run))


@pytest.mark.parametrize("events", ODD.values(), ids=ODD)
def test_odd_events_are_folded_as_at_the_server(events: list[Json]) -> None:
    is_the_same(fold(events), fold_at_server(events))


@settings(max_examples=80, deadline=None)
@given(conversations(), st.data())
def test_joining_any_conversation_at_any_event_gives_the_whole(
    events: list[Json], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(events)))
    mine = fold(fold_at_server(events[:place]).snapshot_events(THREAD))
    is_the_same(fold(events[place:], mine), fold_at_server(events))


@pytest.mark.parametrize("place", range(len(FULL) + 1))
def test_joining_at_any_event_names_what_each_event_changed(place: int) -> None:
    whole = fold_at_server(FULL[:place])
    mine = fold(whole.snapshot_events(THREAD))
    for event in FULL[place:]:
        assert mine.apply(event) == whole.apply(event)
    is_the_same(mine, whole)


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_session_comes_to_what_was_stored(name: str) -> None:
    session = recorded(name)
    mine = Conversation()
    for frame in frames_in_order(session["frames"]):
        mine.take(frame)
    assert mine.transcript.messages == session["stored"]
    assert mine.transcript.state == session["state"]
    assert (mine.transcript.texts, mine.transcript.calls, mine.transcript.steps) == ({}, {}, [])


@pytest.mark.parametrize(("document", "operations", "expected"), CASES)
def test_a_patch_gives_the_expected_document(document: Any, operations: Any, expected: Any) -> None:
    assert patch(document, operations) == expected


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ({"op": "remove", "path": "a"}, "'a' is not a JSON pointer"),
        ({"op": "remove", "path": "/list/2"}, "'2' is not an index"),
        ({"op": "remove", "path": "/list/01"}, "'01' is not an index"),
        ({"op": "test", "path": "/text/0", "value": 1}, "there is nothing under '0'"),
        ({"op": "add", "path": "/text/0", "value": 1}, "there is nothing under '0'"),
        ({"op": "move", "from": "/list", "path": "/list/0"}, "a value cannot be moved into itself"),
        ({"op": "test", "path": "/text", "value": 1}, "'/text' has another value"),
        ({"op": "odd", "path": "/text"}, "does not apply"),
    ],
)
def test_a_patch_that_does_not_fit_says_why(operation: Json, words: str) -> None:
    with pytest.raises(PatchError, match=words):
        patch({"list": [1, 2], "text": "x"}, [operation])


@pytest.mark.parametrize(("document", "operation"), BAD)
def test_a_patch_that_does_not_fit_is_refused(document: Any, operation: Any) -> None:
    with pytest.raises(PatchError):
        patch(document, [operation])
