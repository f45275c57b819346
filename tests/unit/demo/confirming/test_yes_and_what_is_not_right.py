"""A yes to what was understood with a fault or a repair beside it: neither is lost, and no fault goes under a yes."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN = ("selling my Dyson V8 Absolute hoover", "yes", "good", "works perfectly i think")
PT = ("vendo aspirador Dyson V8 Absolute", "sim", "bom", "acho que funciona tudo")
TALKS = {"en": EN, "pt": PT}
WORKS = "vacuums.works"


@pytest.mark.parametrize(
    ("language", "said", "fault"),
    [
        ("en", "yeah smells a bit tho", "smells a bit"),
        ("en", "yea the dog chewed the handle tho", "the dog chewed the handle"),
        ("en", "yes but it loses suction", "loses suction"),
        ("pt", "sim mas cheira mal", "cheira mal"),
        ("pt", "sim mas perde força", "perde força"),
    ],
)
async def test_a_fault_behind_a_yes_is_asked_back(
    harness: RunnerHarness, language: str, said: str, fault: str
) -> None:
    visitor = await talk(harness, language, *TALKS[language], said)
    assert WORKS not in visitor.state["answers"]
    assert fault in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "spot on mate"),
        ("en", "close enough"),
        ("en", "that'll do"),
        ("en", "yes, my brother's one is the dodgy one"),
        ("pt", "anda por aí"),
        ("pt", "sim, o da minha mãe é que avariou"),
    ],
)
async def test_everyday_words_for_a_yes_agree(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *TALKS[language], said)
    assert WORKS in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said", "rest", "kept"),
    [
        ("en", "yes, it was repaired last year by dyson", ("30", "yes", "2021", "no"), "repaired last year"),
        ("pt", "sim, foi reparado o ano passado", ("30", "sim", "2021", "não"), "reparado o ano passado"),
    ],
)
async def test_a_repair_told_behind_a_yes_is_kept_for_the_last_text(
    harness: RunnerHarness, language: str, said: str, rest: tuple[str, ...], kept: str
) -> None:
    visitor = await talk(harness, language, *TALKS[language], said, *rest)
    assert visitor.state["answers"][WORKS].startswith(("Yes", "Sim"))
    assert kept in legend(visitor)
