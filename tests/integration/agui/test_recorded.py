"""Every run of the recorded sessions, and every snapshot in them, passes the checks of AG-UI's own client."""

from __future__ import annotations

import pytest

from tests.parts.agui_client import Client, Json
from tests.unit.protocol.test_recorded import RECORDED, recorded, told


def stretches(frames: list[Json]) -> list[list[Json]]:
    """The runs that began before a client's eyes, and the snapshots that it got."""
    found: list[list[Json]] = []
    seen = 0
    for frame in told(frames):
        if frame.get("type") == "snapshot":
            found.append(frame["events"])
            seen = frame["seq"]
        elif "event" in frame and frame["seq"] > seen:
            seen = frame["seq"]
            if frame["event"]["type"] == "RUN_STARTED" or not found:
                found.append([])
            found[-1].append(frame["event"])
    return found


@pytest.mark.parametrize("name", RECORDED)
async def test_a_recorded_session_is_legal(agui: Client, name: str) -> None:
    judged = stretches(recorded(name)["frames"])
    assert len(judged) > 1
    for events in judged:
        assert await agui.do("verify", events=events) == {"count": len(events)}
