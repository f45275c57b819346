"""A summary of reasoning is one folded line of the page, which folds with the calls of its turn."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from server.html.export import export_turns
from server.html.render import Renderer
from server.html.rows import rows
from server.protocol import events as ev
from server.protocol.events import Event
from server.protocol.transcript import Transcript
from tests.e2e.scenarios import called, said, spoke

RENDERER = Renderer(Path(__file__).parents[3] / "web", {})
AGENT = "identification"


def thought(id: str, text: str, milliseconds: int | None = 4_200, *, more: bool = False) -> list[Event]:
    """Return a whole summary."""
    return [
        ev.reasoning_start(id, agent=AGENT),
        ev.reasoning_content(id, text),
        ev.reasoning_end(id, duration_ms=milliseconds, truncated=more),
    ]


def folded(*events: list[Event]) -> Transcript:
    """Return a conversation that goes on: a message, and what follows."""
    return Transcript.fold(chain([ev.run_started("ses_1", "run_1")], said(1, "What is it?"), *events))


def summaries(html: str) -> list[str]:
    """Return the lines that can be unfolded, without their marks."""
    found = re.findall(r'<summary.*?<span class="said"><b[^>]*>(.*?)</b>', html, re.DOTALL)
    return [each.replace("\N{NO-BREAK SPACE}", " ") for each in found]


def test_an_open_thought_is_folded_and_says_that_it_goes_on() -> None:
    transcript = folded([ev.reasoning_start("msg_t", agent=AGENT), ev.reasoning_content("msg_t", "It **may")])
    html = RENDERER.row(transcript, "msg_t", "en")
    assert summaries(html) == ["Thinking…"]
    assert '<details class="tool-line">' in html and "data-announce" not in html
    assert '<loopwire-text id="text-msg_t">It **may</loopwire-text>' in html


@pytest.mark.parametrize(
    ("language", "line", "short"),
    [
        ("en", "Thought for 4 s", "Thought"),
        ("pt", "Pensou durante 4 s", "Pensou"),
        ("es", "Pensó durante 4 s", "Pensó"),
        ("fr", "A réfléchi pendant 4 s", "A réfléchi"),
        ("de", "Hat 4 s nachgedacht", "Hat nachgedacht"),
    ],
)
def test_a_whole_thought_says_how_long_it_took_where_that_is_known(
    language: str, line: str, short: str
) -> None:
    for milliseconds, told in ((4_200, line), (900, short), (None, short)):
        html = RENDERER.row(folded(thought("msg_t", "*It* may.", milliseconds)), "msg_t", language)
        assert summaries(html) == [told]
        assert "<em>It</em> may." in html


def test_a_thought_of_which_more_is_not_shown_says_so() -> None:
    told = "The model thought more than is shown here."
    assert told in RENDERER.row(folded(thought("msg_t", "It may.", more=True)), "msg_t", "en")
    assert told not in RENDERER.row(folded(thought("msg_t", "It may.")), "msg_t", "en")


def test_thoughts_and_calls_of_a_turn_are_one_line_and_thoughts_alone_are_their_sum() -> None:
    work = folded(thought("msg_t", "Look."), called("cal_1", "search_catalog"), thought("msg_u", "Found."))
    (_, line) = rows(work)
    assert (line.kind, [each.kind for each in line.inner]) == ("steps", ["thought", "tool", "thought"])
    first, *inner = summaries(RENDERER.row(work, "msg_u", "en"))
    assert not first.startswith("Thought") and inner[0] == inner[2] == "Thought for 4 s"
    alone = folded(thought("msg_t", "Look."), thought("msg_u", "Again."))
    assert summaries(RENDERER.row(alone, "msg_u", "en")) == ["Thought for 8 s", *["Thought for 4 s"] * 2]


def test_an_open_thought_stands_below_the_line_of_work() -> None:
    opened = [ev.reasoning_start("msg_t", agent=AGENT)]
    work = folded(called("cal_1", "search_catalog"), called("cal_2", "search_catalog"), opened)
    assert [each.kind for each in rows(work)] == ["user", "steps", "thought"]


def test_the_name_of_the_agent_stands_above_its_first_words_though_it_thought_before() -> None:
    transcript = folded(thought("msg_t", "Look."), spoke("msg_a", AGENT, "A phone."))
    user, thinking, text = rows(transcript)
    assert (user.agent, thinking.agent, text.agent) == ("", AGENT, AGENT)
    assert 'class="who"' not in RENDERER.row(transcript, "msg_t", "en")
    assert 'class="who"' in RENDERER.row(transcript, "msg_a", "en")


def test_a_run_that_was_stopped_while_it_thought_says_so_at_the_thought() -> None:
    events = [*thought("msg_t", "Look.", None), ev.run_finished("ses_1", "run_1", {"type": "cancelled"})]
    transcript = folded(events)
    assert "Stopped by you" in RENDERER.row(transcript, "msg_t", "en")
    assert "Stopped by you" not in RENDERER.row(transcript, transcript.messages[0]["id"], "en")


def test_an_export_quotes_thoughts_and_says_what_was_done() -> None:
    transcript = folded(
        thought("msg_t", "**Look**\n\nAt it."),
        called("cal_1", "search_catalog"),
        spoke("msg_a", AGENT, "A phone."),
    )
    told = export_turns(transcript.messages, RENDERER.words, "en")
    assert "*Thought*\n\n> **Look**\n>\n> At it.\n" in told
    assert told.index("A phone.") > told.index("> At it.")
    assert told.count("**Identification") == 1
