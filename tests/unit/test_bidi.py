"""Direction overrides are left out of agents' words and sentences, and stay in a person's own message."""

from __future__ import annotations

import pytest

from server.bidi import strip_overrides
from server.html.markdown import to_html
from server.protocol import blocks
from tests.e2e.gallery import Gallery, folded
from tests.e2e.scenarios import HOUR, IDENTIFICATION, NOW, OPTIONS, Scenario, handed, said, shown, spoke

TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
MARKS = "\u200e\u200f\u061c"


@pytest.mark.parametrize("turn", TURNS, ids=ascii)
def test_each_direction_override_is_removed_from_a_message(turn: str) -> None:
    assert strip_overrides(f"a{turn}b") == "ab"
    assert to_html(f"«a{turn}b» [c{turn}](https://x.example/{turn}) `d{turn}`") == (
        '<p>«ab» <a href="https://x.example/" target="_blank" rel="noopener noreferrer nofollow">c</a>'
        " <code>d</code></p>\n"
    )


def test_direction_marks_are_kept() -> None:
    assert strip_overrides(f"سعر {MARKS} 12") == f"سعر {MARKS} 12"


def test_only_the_message_of_a_person_keeps_direction_overrides() -> None:
    turned = f"a{TURNS}b"
    events = [
        *said(1, turned),
        *spoke("msg_1", IDENTIFICATION, turned),
        *shown("blk_1", blocks.Approval("int_1", turned, NOW + HOUR)),
        *handed("hnd_1", IDENTIFICATION, OPTIONS, turned),
        *spoke("msg_2", IDENTIFICATION, turned, open_=True),
    ]
    drawn = Gallery().renderer.log(folded(Scenario("turned", events)), "pt")
    own, _, others = drawn.partition("msg_1")
    assert turned in own
    assert others.count("ab</") == 4
    assert not set(TURNS) & set(others)
