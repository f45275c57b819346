"""Recorded sessions, drawn event by event as a page is: the result is the page of the stored messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from server.html.render import Renderer
from server.protocol import events as ev
from server.protocol.transcript import Transcript
from server.services import services
from tests.integration.conversation.painting import Painting
from tests.unit.protocol.test_recorded import RECORDED, frames_in_order, recorded

RENDERER = Renderer(Path(__file__).parents[3] / "web", services())


def drawn(whole: Transcript, frame: dict[str, Any], language: str) -> dict[str, Any]:
    """Return the frame with its fragment, as an HTML socket gets it."""
    changed: list[str] = []
    for event in frame.get("events") or [frame["event"]]:
        changed = whole.apply(event)
    event = ev.messages_snapshot([]) if "events" in frame else frame["event"]
    fragment = RENDERER.fragments(whole, event, changed, language, "submission")
    if fragment is None:
        return frame
    return {**frame, "content": fragment.content, "target": fragment.target, "swap": fragment.swap}


@pytest.mark.parametrize("language", ["pt", "en"])
@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_session_is_drawn_as_its_page(name: str, language: str) -> None:
    session = recorded(name)
    painting, whole = Painting(), Transcript()
    for frame in frames_in_order(session["frames"]):
        if "events" in frame:
            whole = Transcript()
        if frame.keys() & {"event", "events"}:
            painting.take(drawn(whole, frame, language))
    stored = Transcript(session["stored"], session["state"], whole.run)
    page = Painting()
    page.take({"type": "snapshot", "content": RENDERER.log(stored, language)})
    assert painting.rows() == page.rows()
    assert page.rows()
