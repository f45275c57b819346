"""Short answers: the place of a choice, a yes in everyday words, a date put right, and what a seller does not say."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

CAMERA = {
    "pt": ("vendo canon eos 250d com 18-55, preta", "sim", "sim", "bom", "sim", "sim"),
    "en": ("canon eos 250d with 18-55, black", "yes", "yes", "good", "yes", "yes"),
}
DATED = {language: (*said, "12000", said[1]) for language, said in CAMERA.items()}
SWITCH = ("nintendo switch lite", "sim", "amarelo", "excelente", "sim", "sim")


def answers(visitor: HarnessVisitor) -> dict[str, str]:
    found: dict[str, str] = visitor.state["answers"]
    return found


@pytest.mark.parametrize("place", ["2", "opção 2", "a segunda"])
async def test_a_typed_place_takes_the_choice(harness: RunnerHarness, place: str) -> None:
    visitor = await talk(harness, "pt", *SWITCH[:3], place)
    assert answers(visitor)["consoles.condition"] == "Bom"


@pytest.mark.parametrize(
    ("place", "shown"), [("1", "It works, with faults (the mic crackles"), ("option 3", "Yes")]
)
async def test_a_typed_place_settles_a_proposal(harness: RunnerHarness, place: str, shown: str) -> None:
    said = ("sony wh-1000xm4", "yes", "black", "good", "yes", "works but the mic crackles", place)
    visitor = await talk(harness, "en", *said)
    assert answers(visitor)["audio.works"].startswith(shown)


async def test_a_figure_is_no_place_at_a_question_for_one(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *SWITCH, "1")
    assert answers(visitor)["consoles.controllers"] == "1\xa0comando"


@pytest.mark.parametrize(
    ("language", "agreed"),
    [
        ("en", "yeah safe"),
        ("en", "yeppp"),
        ("en", "yes next"),
        ("pt", "iso"),
        ("pt", "sim. próxima"),
        ("pt", "sim pronto"),
    ],
)
async def test_everyday_words_agree(harness: RunnerHarness, language: str, agreed: str) -> None:
    visitor = await talk(harness, language, *DATED[language], "black friday 2023", agreed)
    assert "2023" in answers(visitor)["cameras.purchase_date"]
    assert "November" in answers(visitor)["cameras.purchase_date"] or language == "pt"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "prefiro não pôr isso, foi prenda e não tenho a fatura"),
        ("pt", "prefiro não dizer"),
        ("en", "I would rather not state when I bought it"),
        ("en", "dunno leave that out"),
        ("en", "May I leave the year of purchase out please?"),
    ],
)
@pytest.mark.parametrize("proposed", [False, True])
async def test_what_a_seller_does_not_say_is_left_out(
    harness: RunnerHarness, language: str, said: str, *, proposed: bool
) -> None:
    before = ("black friday 2023",) if proposed else ()
    visitor = await talk(harness, language, *DATED[language], *before, said)
    assert visitor.open_blocks()[0]["name"] == "cameras.accessories"
    assert answers(visitor)["cameras.purchase_date"] in ("Não sei", "I don't know")


@pytest.mark.parametrize(
    ("proposed", "said", "shown"),
    [
        ("março de 2021, acho", "maio", "maio de 2021"),
        ("outubro de 2020, acho", "afinal foi 2019", "outubro de 2019"),
    ],
)
async def test_one_part_of_a_date_is_put_right(
    harness: RunnerHarness, proposed: str, said: str, shown: str
) -> None:
    visitor = await talk(harness, "pt", *DATED["pt"], proposed, said)
    assert shown in legend(visitor)


async def test_the_figure_of_another_answer_is_no_year(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *CAMERA["pt"], "Cerca de 2000", "sim", "sim")
    assert legend(visitor) == "Quando a comprou?"


@pytest.mark.parametrize("said", ["nada, apaga isso", "Não sei"])
async def test_a_figure_of_the_card_can_be_taken_out(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(
        harness,
        "pt",
        *SWITCH,
        "a lite n tem comandos soltos, tao na consola",
        "sim",
        "sim",
        "não sei",
        "mario kart",
    )
    assert answers(visitor)["consoles.controllers"] == "0\xa0comandos"
    await visitor.click("change", "consoles.controllers")
    reply = await visitor.say(said)
    (card,) = (each for each in reply.blocks if each["kind"] == "card")
    assert "Comandos" not in [each["label"] for each in card["pairs"]]
    assert "Não sei" not in reply.text


async def test_the_count_does_not_go_up_by_the_price(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *SWITCH[:3], "excelente, quero 90 euros")
    asked = visitor.open_blocks()[0]
    assert (asked["position"], asked["total"]) == (2, 7)
    assert "7" not in visitor.replies[-1].text and "6" in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        ("en", "Yes it does. Can I still sell it without the door?", "Yes"),
        ("pt", "sim, tem. Posso vendê-lo sem a tampa?", "Sim"),
    ],
)
async def test_a_yes_in_a_short_sentence_counts_before_a_question(
    harness: RunnerHarness, language: str, said: str, shown: str
) -> None:
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    visitor = await talk(harness, language, "sony wh-1000xm4", yes, "black", good, said)
    waits = visitor.state["answers"].get("audio.authentic", visitor.open_blocks()[0].get("legend"))
    assert shown in str(waits) or "«Sim" in str(waits)
