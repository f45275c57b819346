"""The lines between the days of a conversation, by the reader's clock."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

from server.html.days import Clock, days_before
from server.html.render import Renderer
from server.protocol.transcript import Transcript

MIDNIGHT = 1_795_132_800_000
"""A midnight of UTC: the 20th of November 2026 begins."""
HOUR = 3_600_000
WEB = Path(__file__).parents[3] / "web"


def test_a_day_begins_with_its_first_row():
    moments = [MIDNIGHT - HOUR, None, MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + HOUR]
    eve, day = dt.date(2026, 11, 19), dt.date(2026, 11, 20)
    assert days_before(moments, Clock(MIDNIGHT + 2 * HOUR)) == [eve, None, None, day, None]
    assert days_before(moments, Clock(MIDNIGHT + 2 * HOUR, 30)) == [eve, None, day, None, None]
    assert days_before(moments, Clock(MIDNIGHT + 2 * HOUR, -180)) == [None] * 5


def test_a_conversation_of_today_has_no_line():
    assert days_before([MIDNIGHT, None, MIDNIGHT + HOUR], Clock(MIDNIGHT + 2 * HOUR)) == [None] * 3
    assert days_before([], Clock(MIDNIGHT)) == []
    assert days_before([None], Clock(MIDNIGHT)) == [None]


def test_the_lines_are_drawn_in_the_language_of_the_page():
    moments = [MIDNIGHT - 72 * HOUR, MIDNIGHT - HOUR, MIDNIGHT + HOUR]
    messages = [
        {
            "id": f"msg_{at}",
            "role": "user",
            "content": "x",
            "metadata": {"loopwire": {"at": at, "run_id": "r"}},
        }
        for at in moments
    ]
    renderer = Renderer(WEB)
    drawn = {
        language: renderer.log(Transcript.of(messages, {}), language, Clock(MIDNIGHT + 2 * HOUR))
        for language in ("pt", "en")
    }
    lines = {
        language: re.findall(r'<p class="day">.*?>(.*?)</time>', html) for language, html in drawn.items()
    }
    assert lines == {"pt": ["17/11/2026", "Ontem", "Hoje"], "en": ["2026-11-17", "Yesterday", "Today"]}
    assert '<time datetime="2026-11-19">' in drawn["pt"]
    assert '<time datetime="2026-11-19T23:00:00.000Z" data-clock></time>' in drawn["pt"]
    assert 'class="day"' not in renderer.log(Transcript.of(messages, {}), "pt")
