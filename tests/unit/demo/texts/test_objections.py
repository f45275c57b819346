"""An objection to a part of a text is no yes: the text is asked back without it, or stands in its field."""

from __future__ import annotations

import pytest

from server.loopos.tools.drafts.product_traits import colours_in
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

ASYNC = pytest.mark.asyncio(loop_scope="module")
TEXT = "cameras.accessories"
SALE = {
    "en": "GoPro HERO9 Black|yes|good|yes|I don't know|yes|2021".split("|"),
    "pt": "GoPro HERO9 preta|sim|bom|sim|não sei|sim|2021".split("|"),
}
FIRST = {
    "en": "GoPro HERO9 Black with a gold case and the cable",
    "pt": "GoPro HERO9 preta com uma capa dourada e o cabo",
}


async def _proposed(harness: RunnerHarness, language: str, said: str) -> HarnessVisitor:
    return await talk(harness, language, FIRST[language], *SALE[language][1:], said)


@ASYNC
@pytest.mark.parametrize(
    ("language", "said", "gone"),
    [
        ("en", "A gold case? no, the cable is all there is", "gold"),
        ("en", "a gold case. No, the cable", "gold"),
        ("pt", "capa dourada? não, é só o cabo", "dourada"),
    ],
)
async def test_a_questioned_part_and_a_no_are_no_yes(
    harness: RunnerHarness, language: str, said: str, gone: str
) -> None:
    visitor = await _proposed(harness, language, said)
    (asked,) = visitor.open_blocks()
    assert TEXT not in visitor.state["answers"] and asked["name"] == TEXT
    assert asked["kind"] == "form" or gone not in legend(visitor)


@ASYNC
@pytest.mark.parametrize(
    ("language", "written", "said", "left"),
    [
        ("en", "the cable; wall dock missing", "dock is NOT missing, i found it. and new filter",
         "the cable; new filter"),
        ("en", "wall dock missing", "dock is NOT missing, i found it. and new filter", "new filter"),
        ("pt", "o cabo; falta a base de parede", "a base não falta, encontrei-a. e filtro novo",
         "o cabo; filtro novo"),
    ],
)  # fmt: skip
async def test_a_part_that_is_denied_is_taken_out(
    harness: RunnerHarness, language: str, written: str, said: str, left: str
) -> None:
    visitor = await talk(harness, language, *SALE[language], written, said)
    assert f": {left}. " in legend(visitor) and visitor.state["answers"][TEXT] == written


@ASYNC
@pytest.mark.parametrize(
    ("language", "written", "said"),
    [("en", "wall dock missing", "the dock is not missing"), ("pt", "falta a base", "a base não falta")],
)
async def test_a_text_that_is_denied_as_a_whole_stands_in_its_field(
    harness: RunnerHarness, language: str, written: str, said: str
) -> None:
    visitor = await talk(harness, language, *SALE[language], written, said)
    (asked,) = [each for each in visitor.open_blocks() if each["kind"] == "form"]
    assert asked["value"] == written and visitor.state["answers"][TEXT] == written


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("grey, the brakes are good as gold", ["grey"]),
        ("cinzenta, os travões são bons como o ouro", ["cinzenta"]),
        ("a gold one", ["gold one"]),
    ],
)
def test_what_something_is_compared_with_is_no_colour(message: str, found: list[str]) -> None:
    assert list(colours_in(message, frozenset(), frozenset())) == found
