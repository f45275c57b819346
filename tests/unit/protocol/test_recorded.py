"""Sessions as clients saw them, folded again: what they come to is what was stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from server.protocol.transcript import Transcript

FOLDER = Path(__file__).parents[3] / "sdk/python/src/loopwire/conformance/transcripts"
RECORDED = sorted(each.stem for each in FOLDER.glob("*.json"))

Json = dict[str, Any]


def recorded(name: str) -> Json:
    """Return one recorded session: `frames`, `stored` and `state`."""
    session: Json = json.loads((FOLDER / f"{name}.json").read_text())
    return session


def frames_in_order(frames: list[Json]) -> list[Json]:
    """Frames in order, those of a batch one by one."""
    return [each for frame in frames for each in frame.get("batch", [frame])]


def test_the_recorded_sessions_cover_every_kind() -> None:
    assert set(RECORDED) >= {"submission", "handoff", "error", "cancel", "take-over", "interrupt"}


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_session_comes_to_what_was_stored(name: str) -> None:
    session = recorded(name)
    transcript, seq = Transcript(), 0
    for frame in frames_in_order(session["frames"]):
        if frame.get("type") == "snapshot":
            transcript, seq = Transcript(), frame["seq"]
            for event in frame["events"]:
                transcript.apply(event)
        elif "event" in frame:
            assert frame.get("from", frame["seq"]) == seq + 1
            seq = frame["seq"]
            transcript.apply(frame["event"])
    assert transcript.messages == session["stored"]
    assert transcript.state == session["state"]
    assert (transcript.open_texts, transcript.open_calls, transcript.steps) == ({}, {}, [])
