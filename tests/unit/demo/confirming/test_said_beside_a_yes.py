"""Words behind a yes to "… Certo?" that tell more of the answer, or the opposite of it, are asked back and not lost."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

SCREEN = "smartphones.screen"
PHONE = {
    "pt": ("iphone 12 64gb azul", "sim", "sim", "bom", "sim", "85"),
    "en": ("iphone 12 64gb blue", "yes", "yes", "good", "yes", "85"),
}


async def asked_back(harness: RunnerHarness, language: str, *said: str) -> HarnessVisitor:
    visitor = await talk(harness, language, *PHONE[language], *said)
    assert [each["name"] for each in visitor.open_blocks()] == [SCREEN]
    return visitor


@pytest.mark.parametrize(
    ("language", "first", "said", "shown", "yes"),
    [
        ("pt", "acho que sim", "sim, mas tem um risco no canto", "Sim (tem um risco no canto)", "sim"),
        ("pt", "acho que sim", "sim, tem um risquinho", "Sim (tem um risquinho)", "sim"),
        (
            "en",
            "i think so",
            "yes, but there's a scratch in the corner",
            "Yes (there's a scratch in the corner)",
            "yes",
        ),
    ],
)
async def test_a_mark_behind_a_yes_stands_beside_the_answer(
    harness: RunnerHarness, language: str, first: str, said: str, shown: str, yes: str
) -> None:
    visitor = await asked_back(harness, language, first, said)
    assert shown in legend(visitor) and not visitor.state["answers"].get(SCREEN)
    await visitor.say(yes)
    assert visitor.state["answers"][SCREEN] == shown


@pytest.mark.parametrize(
    ("language", "first", "said", "side"),
    [
        ("pt", "acho que não", "sim, está bom", "Sim"),
        ("pt", "acho que não", "sim, o ecrã está impecável", "Sim"),
        ("en", "i don't think so", "yes, the screen is fine", "Yes"),
    ],
)
async def test_a_yes_that_says_the_opposite_of_a_no_is_asked_back(
    harness: RunnerHarness, language: str, first: str, said: str, side: str
) -> None:
    visitor = await asked_back(harness, language, first, said)
    assert side in legend(visitor) and not visitor.state["answers"].get(SCREEN)


@pytest.mark.parametrize(
    ("language", "first", "said", "side"),
    [
        ("pt", "acho que não", "sim, tá bom", "Não"),
        ("pt", "acho que não", "sim, está partido", "Não"),
        ("en", "i don't think so", "yes, it's cracked", "No"),
        ("pt", "acho que sim", "sim, está bom", "Sim"),
        ("en", "i think so", "yes, it's fine", "Yes"),
    ],
)
async def test_a_yes_that_says_the_same_is_a_yes(
    harness: RunnerHarness, language: str, first: str, said: str, side: str
) -> None:
    visitor = await asked_back(harness, language, first)
    await visitor.say(said)
    assert visitor.state["answers"][SCREEN] == side
