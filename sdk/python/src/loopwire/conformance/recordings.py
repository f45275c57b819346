"""The recorded sessions: every frame that a client of Loopwire got, and what was stored at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from loopwire.conformance.faults import require
from loopwire.conformance.judge import Judge

Json = dict[str, Any]


def recorded_sessions() -> Iterator[tuple[str, Json]]:
    """Yield the name of each session, and its `frames`, `stored` messages and `state`."""
    folder = files("loopwire.conformance") / "transcripts"
    for each in sorted(folder.iterdir(), key=lambda found: found.name):
        yield each.name.removesuffix(".json"), json.loads(each.read_text(encoding="utf-8"))


def judge_recorded(session: Json) -> None:
    """Raise Fault where the frames break a rule, or do not fold to what was stored."""
    judge = Judge()
    for frame in session["frames"]:
        # The permission of that day is left out of the record.
        judge.take({**frame, "resume_token": ""} if frame.get("type") == "welcome" else frame)
    require(
        judge.transcript.messages == session["stored"], "the frames fold to other messages than were stored"
    )
    require(judge.transcript.state == session["state"], "the frames fold to another state than was stored")
