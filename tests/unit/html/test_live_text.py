"""A text in pieces: it is drawn block by block, and equals the whole text at its end."""

from __future__ import annotations

import re
import time
from random import Random

import pytest

from server.html.live_text import LiveText, TextAdded, TextChange, live_html
from server.html.markdown import NO_LABELS, blocks_of, step_html, to_html, work_of_leaf
from server.html.markdown_blocks import MarkdownBlocks
from server.html.open_blocks import MarkdownStep
from tests.parts.sampled import one_of

PARTS = [
    "- ", "* ", "1. ", "2) ", "> ", "\n", "\n\n", "a", "word ", "```", "~~~", "#", "# ", "| ", "|", "---", "===",
    "  ", "    ", "**", "`", "[x](http://a.b)", "\t", "|---|---|\n", "a | b\n", "<b>", "- [ ] ",
]  # fmt: skip
"""What Markdown is made of."""

UNFINISHED = [
    ("```", "x"),
    ("~~~", "~"),
    ("a\n", "="),
    ("a\n", "- "),
    ("a|b\n", "-|"),
    ("```\n", "`"),
    ("```\n```", " "),
    ("1.", " "),
    ("", "1"),
    ("", " "),
    ("- ", " "),
    ("> ", "\t"),
    ("> a\n>", " "),
    ("", "#"),
]
"""Beginnings of a line that do not decide what it is, and what the line goes on with."""


def written(seed: int) -> tuple[str, list[str]]:
    """Some text, and pieces of it."""
    random = Random(seed)
    text = "".join(random.choice(PARTS) for _ in range(random.randint(1, 30)))
    pieces, at = [], 0
    while at < len(text):
        size = random.randint(1, 5)
        pieces.append(text[at : at + size])
        at += size
    return text, pieces


def drawn(steps: list[MarkdownStep]) -> str:
    return "".join(step_html(each, NO_LABELS) for each in steps)


@pytest.mark.parametrize("seed", one_of(3, range(0, 2_000, 100)))
def test_pieces_make_the_blocks_of_the_whole_text(seed: int) -> None:
    for each in range(seed, seed + 100):
        text, pieces = written(each)
        blocks, steps = MarkdownBlocks(work_of_leaf), []
        for piece in pieces:
            if not blocks.append(piece):
                blocks.feed(piece)
                steps += blocks.pop_changes()[0]
        blocks.finish()
        assert drawn([*steps, *blocks.pop_changes()[0]]) == to_html(text), (text, pieces)


@pytest.mark.parametrize(("begin", "unit"), UNFINISHED)
@pytest.mark.parametrize("length", one_of(3, [399, 398, 402, 400, 1_999, 2_000, 401, 2_001, 2_600]))
def test_an_unfinished_line_in_pieces_is_the_whole_one(begin: str, unit: str, length: int) -> None:
    line = begin + (unit * length)[:length]
    for text in (line, f"{line}\nb", f"{line}b\n", f"{line} b\n```\nc"):
        blocks, steps = MarkdownBlocks(work_of_leaf), []
        for at in range(0, len(text), 3):
            if not blocks.append(text[at : at + 3]):
                blocks.feed(text[at : at + 3])
                steps += blocks.pop_changes()[0]
        blocks.finish()
        assert drawn([*steps, *blocks.pop_changes()[0]]) == to_html(text), (begin, unit)


@pytest.mark.parametrize("seed", range(0, 1_000, 100))
def test_a_page_that_is_loaded_goes_on_where_the_live_one_is(seed: int) -> None:
    for each in range(seed, seed + 100):
        text, pieces = written(each)
        live = Page(pieces[:1])
        for piece in pieces[1:]:
            live.read(piece)
        assert live.open == Page([text]).open, (text, pieces)


class Page:
    """The open text as a page has it: what stands in the element into which pieces are written."""

    def __init__(self, pieces: list[str]) -> None:
        self._text = LiveText("m", "".join(pieces))
        self.open = _open_text(live_html("m", "".join(pieces), NO_LABELS))

    def read(self, piece: str) -> None:
        """Take a piece as the page does."""
        change = self._text.add(piece)
        if change is None:
            self.open += piece.replace("<", "&lt;").replace(">", "&gt;")
        elif isinstance(change, TextAdded):
            self.open += change.fragment(NO_LABELS).content
        else:
            assert isinstance(change, TextChange)
            self.open = _open_text(change.fragment(NO_LABELS).content)


def _open_text(html: str) -> str:
    (found,) = re.findall(r'<loopwire-text id="text-m"[^>]*>(.*?)</loopwire-text>', html, re.DOTALL)
    return str(found)


def test_a_block_is_drawn_when_its_end_is_known_and_goes_to_its_box() -> None:
    live = LiveText("m", "- um\n- do")
    assert live.add("is") is None
    change = live.add("\n\n**três**")
    assert isinstance(change, TextChange)
    fragment = change.fragment(NO_LABELS)
    assert (fragment.target, fragment.swap) == ("#open-m", "outerHTML")
    main, _, more = fragment.content.partition("<hx-partial")
    assert main == "<p>dois</p>\n"
    assert 'hx-target="#in-m-0" hx-swap="beforeend"' in more
    assert _open_text(more) == "**três**"


def test_code_is_code_from_its_first_line_and_its_end_is_never_seen() -> None:
    live = LiveText("m", "```py")
    opened = live.add("\na = **b")
    assert isinstance(opened, TextChange)
    assert re.search(r"<code><loopwire-text[^>]* plain>a = \*\*b<", opened.fragment(NO_LABELS).content)
    held = live.add("\n``")
    assert isinstance(held, TextAdded)
    assert held.text == ""
    closed = live.add("`\n")
    assert isinstance(closed, TextChange)
    assert "<code>a = **b\n</code>" in closed.fragment(NO_LABELS).content


ATTACKS = [
    "[",
    "1. a\n",
    "- ",
    "> ",
    "a|b\n-|-\n",
    "```\n",
    "a\n",
    "word ",
    "* a\n  * b\n",
    "# a\n",
    "<",
    "|\n",
]


@pytest.mark.parametrize(("begin", "unit"), [*(("", each) for each in ATTACKS), *UNFINISHED])
def test_a_piece_costs_what_its_block_costs_however_long_the_answer_is(begin: str, unit: str) -> None:
    """The last pieces of a long text are no more work than the first."""
    text = begin + unit * (60_000 // len(unit))
    pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
    live, took = LiveText("m", ""), []
    for piece in pieces:
        began = time.process_time()
        change = live.add(piece)
        if change is not None:
            change.fragment(NO_LABELS)
        took.append(time.process_time() - began)
    tenth = len(took) // 10
    assert sum(took[-tenth:]) < 5 * sum(took[:tenth]) + 0.01


def test_a_text_that_is_much_work_is_plain_from_there_on() -> None:
    text = "- **um** item\n" * 2_000
    html = to_html(text)
    assert html.count("<li>") < 1_000
    assert html.count("</p>") == html.count("<li>") + 1
    assert html.endswith("- **um** item\n</p>\n")
    assert len(re.findall("um", html)) == 2_000
    assert blocks_of(text).leaf is not None
