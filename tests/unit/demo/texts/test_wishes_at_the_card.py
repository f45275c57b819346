"""What a message to a finished item asks to add is asked back, and none of its other parts is lost."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE = {
    "en": (
        *("iphone 12 black 128", "yes", "yes", "good", "free", "87", "yes", "march 2022"),
        *("original case, charger and a scratch on the back", "180 euros"),
    ),
    "pt": (
        *("iphone 12 preto 128", "sim", "sim", "bom", "livre", "87", "sim", "março 2022"),
        *("capa original, carregador", "180 euros"),
    ),
}
CONSOLE = (
    *("ps5 with disc drive, standard", "yes", "yes", "good", "yes", "yes", "2", "yes", "march 2021"),
    *("mario kart, charger, smoke free home", "300 euros", "yes"),
)
NOTES, GAMES = "smartphones.notes", "consoles.games"


async def _legends(visitor: HarnessVisitor, said: str) -> list[str]:
    """Say this, agree to all that is asked back, and return what was asked."""
    await visitor.say(said)
    found = list[str]()
    while visitor.open_blocks() and len(found) < 4:  # more is a loop
        found.append(legend(visitor))
        await visitor.say("yes")
    return found


@pytest.mark.parametrize(
    ("language", "said", "added"),
    [
        (
            "pt",
            "poe ai tb q foi comprado na worten e q vendo pq me deram um 15 nos anos",
            "foi comprado na worten e q vendo pq me deram um 15 nos anos",
        ),
        ("pt", "é que pode por que é pouco usado?", "é pouco usado"),
        ("pt", "podes por que a bateria aguenta um dia inteiro?", "a bateria aguenta um dia inteiro"),
        ("pt", "Pode pôr nas notas que a entrega é em mão, em Setúbal?", "a entrega é em mão, em Setúbal"),
        ("pt", "mete tambem que entrego em mao em setubal", "entrego em mao em setubal"),
        ("pt", "não puseste que é a versão de 2021", "é a versão de 2021"),
        (
            "pt",
            "esqueci, tb tem um bocado de cola de pelicula no ecra, nao tem pelicula",
            "tem um bocado de cola de pelicula no ecra, nao tem pelicula",
        ),
        ("en", "Can you add that it's from a smoke free home please", "it's from a smoke free home"),
        ("en", "you didnt put the no box bit", "no box"),
        ("en", "u forgot the pick up in lisbon", "pick up in lisbon"),
        (
            "en",
            "the notes lost a few bits - add that it's blue, dual sim, and no box",
            "it's blue, dual sim, and no box",
        ),
        (
            "en",
            "Never mind the tripod. Please add to the phone's notes that it is the US version.",
            "it is the US version",
        ),
        ("en", "it was a gift from my aunt, can you put that in", "it was a gift from my aunt"),
        ("en", "lol no just put no box", "no box"),
        (
            "en",
            "actually the scratch is on the bezel and theres one on the side too",
            "the scratch is on the bezel and theres one on the side too",
        ),
    ],
)  # fmt: skip
async def test_a_wish_to_add_a_fact_is_asked_back_without_the_words_around_it(
    harness: RunnerHarness, language: str, said: str, added: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language])
    before = visitor.state["answers"][NOTES]
    reply = await visitor.say(said)
    assert "get_catalog" not in "".join(reply.calls)
    assert f": {before}; {added}. " in legend(visitor)
    assert visitor.state["answers"][NOTES] == before, "nothing changes before the yes"


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("can you make it 130 and say no box", ["; no box. ", "€130"]),
        (
            "in condition just say fair, fan a bit loud. and add pick up in lisbon",
            ["Fair (fan a bit loud)", "; pick up in lisbon. "],
        ),
        ("make it 130 if they pick it up in lisbon", ["€130", "; 130 if they pick it up in lisbon. "]),
        (
            "can u take the smoke free home bit out actually, we've got a dog tho so maybe say that",
            [": mario kart, charger; we've got a dog. "],
        ),
        ("take out smoke free home, put that we have a dog", [": mario kart, charger; we have a dog. "]),
        (
            "can you mention i only used it twice. also change the condition to fair",
            [": Fair. ", "; i only used it twice. "],
        ),
        ("put 1 controller and say that the cable is new", ["1\N{NO-BREAK SPACE}controller", "; the cable is new. "]),
        ("add that it comes with a stand; drop the price to 250", ["; it comes with a stand. ", "€250"]),
    ],
)  # fmt: skip
async def test_all_parts_of_a_message_are_asked_one_after_the_other(
    harness: RunnerHarness, said: str, asked: list[str]
) -> None:
    visitor = await talk(harness, "en", *CONSOLE)
    found = await _legends(visitor, said)
    assert len(found) == len(asked)
    assert all(each in legend for each, legend in zip(asked, found, strict=True))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Could you add that it is the slim one? And I also have a Manfrotto tripod to sell.", "Manfrotto tripod"),
        (
            "Please say in the notes that one knob is missing, and take the bedside table out of the notes.",
            "take the bedside table out",
        ),
        ("Could you make that the manual is included too? And what do I do about photos?", "picture button"),
    ],
)  # fmt: skip
async def test_what_is_not_used_beside_an_addition_is_told(
    harness: RunnerHarness, said: str, told: str
) -> None:
    visitor = await talk(harness, "en", *CONSOLE)
    reply = await visitor.say(said)
    assert told in reply.text
    assert legend(visitor).startswith("I understood: mario kart, charger, smoke free home; ")


@pytest.mark.parametrize(
    "said",
    [
        "can you say when it will be sold?",
        "can you add photos?",
        "can you write that in portuguese?",
        "could you say what happens next",
        "can you say how much it sells for?",
    ],
)
async def test_a_question_adds_nothing(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *CONSOLE)
    await visitor.say(said)
    assert not any("I understood" in str(each.get("legend")) for each in visitor.open_blocks())
