"""What a message tells of other things than its question: it is kept for where it fits, and the question stays open."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

VACUUM = {
    "en": ("selling my Dyson V11 vacuum", "yes", "good"),
    "pt": ("vendo aspirador Dyson V11", "sim", "bom"),
}
PHONE = {
    "en": ("selling iPhone 13 128GB black, battery 87%", "yes", "yes", "good"),
    "pt": ("vendo iPhone 13 128GB preto, bateria 87%", "sim", "sim", "bom"),
}
REST = {"en": ("yes it works", "40 min", "yes", "2021"), "pt": ("sim", "40 min", "sim", "2021")}
LATER = {"en": "comes up again", "pt": "volta a aparecer"}


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        (
            "en",
            "the bin is fine, all heads there except the crevice tool",
            "all heads there except the crevice tool",
        ),
        ("en", "the brush head is missing", "brush head is missing"),
        ("pt", "tem tudo menos o bocal das frinchas", "tem tudo menos o bocal das frinchas"),
        ("pt", "falta o suporte de parede", "falta o suporte de parede"),
    ],
)
async def test_a_missing_thing_is_kept_for_the_last_text(
    harness: RunnerHarness, language: str, said: str, kept: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "vacuums.works" and len(asked["choices"]) == 3
    assert LATER[language] in visitor.replies[-1].text
    for text in (*REST[language], "no" if language == "en" else "mais nada"):
        await visitor.say(text)
    assert kept in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "yes, battery is actually 82"),
        ("en", "yes, and the battery's at 82 actually"),
        ("pt", "sim, e a bateria afinal é 82%"),
    ],
)
async def test_a_figure_put_right_beside_an_answer_is_the_one_that_is_proposed(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language], said)
    assert visitor.open_blocks()[0]["name"] == "smartphones.battery_health"
    assert "82" in legend(visitor) and "87" not in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "look, battery's actually 82"), ("pt", "olha, a bateria afinal é 82%")],
)
async def test_a_figure_of_another_question_is_no_answer_to_a_choice(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language], said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "smartphones.account_lock" and len(asked["choices"]) == 3
    assert LATER[language] in visitor.replies[-1].text
    await visitor.say("yes" if language == "en" else "sim")
    assert "82" in legend(visitor)


SWITCH = ("Nintendo Switch OLED white standard", "yes", "yes", "good")


@pytest.mark.parametrize(
    ("language", "start", "said", "values"),
    [
        ("en", PHONE["en"], "it's the white one actually, not black", "Starlight"),
        ("en", PHONE["en"], "actually it's white", "Starlight"),
        ("en", SWITCH, "it's the black one actually, not white", "Neon blue and neon red"),
        ("pt", PHONE["pt"], "afinal é o branco, não é preto", "Luz das estrelas"),
    ],
)
async def test_a_colour_that_the_catalog_lacks_asks_for_the_right_one(
    harness: RunnerHarness, language: str, start: tuple[str, ...], said: str, values: str
) -> None:
    visitor = await talk(harness, language, *start, said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "option:12" and values in str(asked["choices"])
    assert values in visitor.replies[-1].text


async def test_a_colour_of_another_thing_asks_for_none(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *PHONE["en"], "the strap is actually black")
    assert visitor.open_blocks()[0]["name"] == "smartphones.account_lock"


COFFEE = {
    "en": ("selling a delonghi magnifica coffee machine black", "yes", "yes", "good"),
    "pt": ("vendo máquina de café delonghi magnifica preta", "sim", "sim", "bom"),
}


@pytest.mark.parametrize(
    ("language", "said", "after"),
    [
        (
            "en",
            "works but loud at times. My washing machine is leaking though",
            ("yes", "yes", "100", "yes", "2022", "the washing machine has nothing to do with it"),
        ),
        (
            "pt",
            "Funciona tudo. A minha máquina de lavar é que perde água",
            ("sim", "100", "sim", "2022", "a máquina de lavar não tem nada a ver"),
        ),
    ],
)
async def test_a_sentence_about_another_thing_of_the_home_is_kept_nowhere(
    harness: RunnerHarness, language: str, said: str, after: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *COFFEE[language], said, *after)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "coffee-machines.notes"
    await visitor.say("no" if language == "en" else "nada")
    stored = str(visitor.state["answers"])
    assert visitor.state["status"] == "complete"
    assert all(
        word not in f"{stored} {visitor.open_blocks()}" for word in ("washing", "leaking", "lavar", "perde")
    )
