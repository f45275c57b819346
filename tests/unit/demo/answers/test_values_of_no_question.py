"""A colour or a language alone, where something else is open: it changes nothing unless the seller confirms it."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

PHONE = {"pt": ("iphone 12 64gb preto", "sim", "sim"), "en": ("iphone 12 64gb black", "yes", "yes")}
LAPTOP = {
    "pt": ("macbook air m1 256gb 8gb cinzento", "sim", "sim", "bom", "sim", "100"),
    "en": ("macbook air m1 256gb 8gb space grey", "yes", "yes", "good", "yes", "100"),
}


@pytest.mark.parametrize(
    ("language", "said", "kept", "yes", "changed"),
    [
        ("pt", "azul", "Preto", "sim", "Azul"),
        ("pt", "é azul", "Preto", "sim", "Azul"),
        ("en", "blue", "Black", "yes", "Blue"),
        ("en", "it's blue", "Black", "yes", "Blue"),
    ],
)
async def test_a_colour_at_another_question_is_asked_back(
    harness: RunnerHarness, language: str, said: str, kept: str, yes: str, changed: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language])
    asked = legend(visitor)
    await visitor.say(said)
    assert kept in visitor.state["options"].values() and changed in legend(visitor)
    await visitor.say(yes)
    assert changed in visitor.state["options"].values() and legend(visitor) == asked


@pytest.mark.parametrize(
    ("language", "said", "changed"),
    [("pt", "afinal é azul", "Azul"), ("en", "actually it's blue", "Blue")],
)
async def test_a_colour_that_is_put_right_is_changed_at_once(
    harness: RunnerHarness, language: str, said: str, changed: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language])
    asked = legend(visitor)
    await visitor.say(said)
    assert changed in visitor.state["options"].values() and legend(visitor) == asked


@pytest.mark.parametrize(("language", "said"), [("pt", "inglês"), ("pt", "ingles"), ("en", "english")])
async def test_a_language_at_the_keyboard_is_a_layout(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *LAPTOP[language])
    assert visitor.open_blocks()[0]["name"] == "laptops.keyboard"
    await visitor.say(said)
    assert ("Reino Unido" if language == "pt" else "UK") in visitor.replies[-1].text
    assert not visitor.state["answers"].get("laptops.keyboard")


@pytest.mark.parametrize(
    ("language", "said", "meant"),
    [("pt", "o que é razoável?", "marcas visíveis"), ("en", "what is fair?", "visible marks")],
)
async def test_what_a_grade_means_is_told(
    harness: RunnerHarness, language: str, said: str, meant: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language], said)
    assert meant in visitor.replies[-1].text and not visitor.state["answers"]
