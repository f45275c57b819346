"""The list of conversations is grouped by the reader's own days, and a frame that does not open can be tried again."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from server.html.page import groups, with_feedback
from server.html.render import Renderer

NOON = 1_795_176_000_000
HOUR = 3_600_000
DAY = 24 * HOUR


def grouped(*ages: int, offset: int = 0) -> dict[str, int]:
    lines = [SimpleNamespace(updated_at=NOON - age) for age in ages]
    return {name: len(found) for name, found in groups(lines, NOON, offset)}


def test_lines_stand_by_day_and_empty_groups_are_left_out():
    assert grouped(0, HOUR, DAY, 3 * DAY, 6 * DAY, 7 * DAY, 90 * DAY) == {
        "today": 2,
        "yesterday": 1,
        "week": 2,
        "before": 2,
    }
    assert grouped() == {}


def test_conversations_are_grouped_by_days_of_the_readers_time_zone():
    assert grouped(13 * HOUR) == {"yesterday": 1}
    assert grouped(13 * HOUR, offset=120) == {"today": 1}
    assert grouped(11 * HOUR, offset=-120) == {"yesterday": 1}


def test_a_clock_ahead_of_ours_is_today():
    assert grouped(-HOUR) == {"today": 1}


def test_thumbs_are_put_to_their_messages_without_changing_them():
    messages = [{"id": "a", "metadata": {"loopwire": {"run_id": "run_1"}}}, {"id": "b"}]
    rated = with_feedback(messages, {"a": "up"})
    assert rated[0]["metadata"]["loopwire"] == {"run_id": "run_1", "feedback": "up"}
    assert messages[0]["metadata"]["loopwire"] == {"run_id": "run_1"}
    assert rated[1] is messages[1]


@pytest.mark.parametrize(("status", "seconds"), [(404, 0), (409, 0), (429, 9), (500, 0), (503, 9)])
def test_a_frame_that_does_not_open_can_always_be_tried_again(status, seconds):
    """A frame that stands in its page has nothing else to press."""
    renderer = Renderer(Path(__file__).parents[3] / "web")
    html = renderer.page("embed_failure.html", "en", status=status, theme="", seconds=seconds)
    assert '<a class="button" href="">Try again</a>' in html
    assert ('http-equiv="refresh"' in html) is bool(seconds)
