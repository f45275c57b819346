"""A mark on another part, told where the screen is asked about: it is never guessed to be on the screen."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN = ("iphone 13 128gb blue", "yes", "yes", "good", "free", "90")
PT = ("iphone 13 128gb preto", "sim", "sim", "bom", "sim", "90")
SCREEN = "smartphones.screen"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "screen is perfect, the scratch is on the side"),
        ("pt", "o ecrã não está riscado, o risco é na moldura"),
        ("pt", "tem um risco pequeno num canto mas o ecrã não está riscado"),
    ],
)
async def test_the_screen_is_understood_to_be_intact(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT), said)
    assert ("Yes" if language == "en" else "Sim") in legend(visitor)
    assert SCREEN not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "small scratch on the back not the screen"),
        ("en", "a scratch in the corner, not on the screen"),
        ("pt", "um risco pequeno atrás, não no ecrã"),
    ],
)
async def test_the_screen_is_asked_again(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT), said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == SCREEN and len(asked["choices"]) == len(("yes", "no"))
    assert not any(each["value"].startswith("answer:") for each in asked["choices"])


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "the screen is fine but there is a crack in the corner"),
        ("en", "a crack in the corner"),
        ("pt", "o ecrã está bom mas tem uma fissura num canto"),
    ],
)
async def test_a_mark_that_may_be_on_the_screen_is_no_yes(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT), said)
    assert SCREEN not in visitor.state["answers"]
    assert ("No" if language == "en" else "Não") in str(visitor.open_blocks())


@pytest.mark.parametrize(("language", "no"), [("en", "No, something else"), ("pt", "Não, é outra coisa")])
async def test_a_plain_no_is_followed_by_the_question_alone(
    harness: RunnerHarness, language: str, no: str
) -> None:
    said = "a crack in the corner" if language == "en" else "uma fissura num canto"
    visitor = await talk(harness, language, *(EN if language == "en" else PT), said)
    for _ in range(2):
        reply = await visitor.say(no)
        assert not reply.text.startswith(("Not yet", "Ainda não"))
        await visitor.say(said)
