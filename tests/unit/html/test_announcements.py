"""A screen reader is told the options of a question and what became of an item: what `rows.js` announces of a row."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from server.html.render import Renderer
from server.protocol import blocks
from server.protocol.transcript import Transcript
from tests.e2e import scenarios

MARKED = re.compile(r"<(\w+)[^>]*\sdata-announce(?=[\s>])[^>]*>(.*?)</\1>", re.DOTALL)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(Path(__file__).parents[3] / "web")


def announced(renderer: Renderer, block: blocks.Block, *after: object) -> list[str]:
    """Return the texts of a block's row that are announced, in their order."""
    transcript = Transcript()
    for event in [*scenarios.said(1, "a"), *scenarios.shown("blk_1", block), *after]:
        transcript.apply(event)
    html = renderer.row(transcript, "blk_1", "pt")
    return [" ".join(re.sub(r"<[^>]+>", "", text).split()) for _, text in MARKED.findall(html)]


def of(count: int) -> blocks.Choices:
    """Return a question with so many options."""
    options = tuple(blocks.Choice(str(each), f"Cor {each}") for each in range(1, count + 1))
    return blocks.Choices("colour", "Que cor?", options)


def test_a_question_is_announced_with_its_options(renderer):
    assert announced(renderer, of(2)) == ["Que cor? escolha ou escreva", "Cor 1", "Cor 2"]


@pytest.mark.parametrize(("first", "count"), [(None, 9), (12, 9), (4, 4)])
def test_of_many_options_the_first_nine_that_are_shown_are_announced(renderer, first, count):
    assert announced(renderer, replace(of(12), first=first))[1:] == [f"Cor {n + 1}" for n in range(count)]


@pytest.mark.parametrize(("tone", "tag"), [("good", "Artigo criado"), ("bad", "Artigo recusado")])
def test_an_item_is_announced_with_what_became_of_it(renderer, tone, tag):
    assert announced(renderer, blocks.Card("Bimby TM5", tag=tag, tone=tone)) == [tag, "Bimby TM5"]


def test_an_item_that_has_changed_since_is_not_announced_again(renderer):
    card = blocks.Card("Bimby TM5", tag="Artigo criado", tone="good")
    assert announced(renderer, card, scenarios.settled("blk_1", "closed")) == []
