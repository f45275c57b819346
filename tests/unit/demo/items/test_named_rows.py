"""A row of a finished card that a message names: that one is asked back with the value or note that it says."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE = {
    "en": ("iphone 12 black 128", "yes", "yes", "good", "free", "84", "yes", "2021", "nothing"),
    "pt": ("iphone 12 preto de 128", "sim", "sim", "bom", "livre", "86", "sim", "2021", "nada"),
}


@pytest.mark.parametrize(
    ("language", "said", "row", "shown"),
    [
        ("en", "In Condition it should say: fair", "condition", "Fair"),
        (
            "en",
            "Condition is Good (one scratch). The box doesn't belong there",
            "condition",
            "Good (one scratch)",
        ),
        (
            "pt",
            "No estado: a capa está descosida de lado",
            "condition",
            "Bom (a capa está descosida de lado)",
        ),
        ("pt", "muda as notas para: caixa, cabo e carregador", "notes", "caixa, cabo e carregador"),
    ],
)
async def test_the_named_row_is_asked_back(
    harness: RunnerHarness, language: str, said: str, row: str, shown: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language], said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == f"smartphones.{row}" and shown in legend(visitor)
    await visitor.say("yes" if language == "en" else "sim")
    assert visitor.state["answers"][f"smartphones.{row}"] == shown
