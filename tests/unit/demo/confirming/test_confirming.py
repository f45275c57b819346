"""A yes to "… Is that right?" with more words: it is about what was shown, and never read as another answer."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

ITEM = ("dyson v11 absolute", "yes")
WORKS = "vacuums.works"
FAULTY = "it works with faults then, the battery"


async def begin(harness: RunnerHarness, *said: str) -> HarnessVisitor:
    """Return a seller who is asked back what `said` means."""
    visitor = await harness.visitor("en")
    for text in (*ITEM, "good", *said):
        await visitor.say(text)
    (asked,) = visitor.open_blocks()
    yes = asked.get("confirm") or asked["choices"][0]
    assert yes["value"] == "answer:right"
    return visitor


def stored(visitor: HarnessVisitor) -> str | None:
    answer: str | None = visitor.state["answers"].get(WORKS)
    return answer


@pytest.mark.parametrize(
    "said",
    [
        "yes",
        "aye thats right",
        "Correct, your honour",
        "yes, but write that it smells",
        "yh. is that bad?",
        "Yes, that is fine",
    ],
)
async def test_a_yes_with_other_words_keeps_what_was_shown(harness: RunnerHarness, said: str) -> None:
    visitor = await begin(harness, FAULTY)
    await visitor.say(said)
    assert (stored(visitor) or "").startswith("It works, with faults")


async def test_a_yes_that_names_another_option_is_a_correction(harness: RunnerHarness) -> None:
    visitor = await begin(harness, FAULTY)
    await visitor.say("Yes, everything works")
    assert stored(visitor) in (None, "Yes, everything works")
    assert (
        stored(visitor) == "Yes, everything works" or "everything works" in visitor.open_blocks()[0]["legend"]
    )


async def test_a_yes_that_denies_something_is_asked_once_more(harness: RunnerHarness) -> None:
    visitor = await begin(harness, FAULTY)
    await visitor.say("yes, but that is not the whole story")
    assert stored(visitor) is None
    (asked,) = visitor.open_blocks()
    assert asked["choices"][0]["value"] == "answer:right"


async def test_a_yes_with_a_question_does_not_refuse_the_item(harness: RunnerHarness) -> None:
    visitor = await begin(harness, "it does not work")
    await visitor.say("yes. can 2 people still buy it?")
    assert visitor.state["status"] == "draft" and stored(visitor) is None
    await visitor.say("yes")
    assert visitor.state["status"] == "refused"


@pytest.mark.parametrize(
    "said",
    [
        "nice one cheers",
        "How lovely, thank you very much for your help.",
        "i was only saying thanks, its fine",
        "ok bye",
    ],
)
async def test_a_polite_end_after_the_card_changes_nothing(harness: RunnerHarness, said: str) -> None:
    visitor = await begin(harness, FAULTY)
    for text in ("yes", "40", "yes", "2021", "nothing"):
        await visitor.say(text)
    before = dict(visitor.state["answers"])
    reply = await visitor.say(said)
    assert "kept" not in reply.text and visitor.state["answers"] == before
    assert not [each for each in visitor.open_blocks() if each["kind"] in ("choices", "form")]


async def test_a_price_behind_a_yes_confirms_the_date_and_is_asked_back_at_the_end(
    harness: RunnerHarness,
) -> None:
    visitor = await begin(harness, "works fine", "20", "yes", "christmas 2020")
    await visitor.say("yes. oh, and 130 euros")
    assert visitor.state["answers"]["vacuums.purchase_date"] == "December 2020"
    await visitor.say("nothing")
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "asking_price" and "€130" in asked["legend"]


CAMERA = {
    "pt": ("canon eos 250d com 18-55, preta", "sim", "sim"),
    "en": ("canon eos 250d with 18-55, black", "yes", "yes"),
}
CONDITION, SHOOTS = "cameras.condition", "cameras.works"


@pytest.mark.parametrize(
    ("language", "told", "said", "stored"),
    [
        (
            "en",
            "good but the grip is faded by the sun",
            "yes, grip faded, thats it",
            "Good (the grip is faded by the sun)",
        ),
        ("en", "fair, grip faded", "no I said good", "Good"),
        ("pt", "razoável, a pega está gasta", "a pega gasta, isso mesmo", "Razoável (a pega está gasta)"),
        ("en", "I'd say fair", "that's right only the grip is faded", "Fair (only the grip is faded)"),
        ("pt", "acho que razoável", "isso, mas só a pega está gasta", "Razoável (só a pega está gasta)"),
        (
            "pt",
            "acho que bom",
            "sim é isso. Há um gato, mas ninguém fuma",
            "Bom",
        ),
        ("en", "i guess good", "right, no scratches", "Good"),
        ("pt", "bom, risco no ecrã", "exato, só o ecrã", "Bom (risco no ecrã)"),
    ],
)
async def test_a_yes_that_repeats_what_was_told_changes_no_grade(
    harness: RunnerHarness, language: str, told: str, said: str, stored: str
) -> None:
    visitor = await talk(harness, language, *CAMERA[language], told, said)
    assert visitor.state["answers"][CONDITION] == stored


@pytest.mark.parametrize(
    ("language", "said", "understood"),
    [
        (
            "pt",
            ("acho que sim", "sim mas o flash às vezes não levanta"),
            "Sim (o flash às vezes não levanta)",
        ),
        (
            "pt",
            ("não, a câmara dispara e foca, é só o flash que não levanta",),
            "Sim (é só o flash que não levanta)",
        ),
        ("pt", ("acho que sim", "sim mas não foca"), "Não"),
        ("en", ("i guess yes", "right, the flash doesn't pop up"), "Yes (the flash doesn't pop up)"),
    ],
)
async def test_a_fault_of_another_thing_leaves_the_yes(
    harness: RunnerHarness, language: str, said: tuple[str, ...], understood: str
) -> None:
    good = "bom" if language == "pt" else "good"
    visitor = await talk(harness, language, *CAMERA[language], good, *said)
    assert visitor.open_blocks()[0]["name"] == SHOOTS and understood in legend(visitor)


MACHINE = {
    "pt": ("máquina de café delonghi dedica", "sim", "metal", "bom"),
    "en": ("delonghi dedica", "yes", "metal", "good"),
}
COFFEE = "coffee-machines.works"


@pytest.mark.parametrize(
    ("language", "told", "said", "understood"),
    [
        (
            "pt",
            "faz bem, so pinga o vapor",
            "sim, é isso, mas o café sai bem",
            "Funciona, com defeitos (so pinga",
        ),
        (
            "pt",
            "faz bem",
            "não, escreva que funciona com defeito, pinga o vapor",
            "com defeitos (pinga o vapor)",
        ),
        (
            "en",
            "makes fine coffee, only the steam wand leaks",
            "yes, that's it, but the coffee comes out fine",
            "It works, with faults (only the steam wand leaks",
        ),
        (
            "en",
            "makes fine coffee",
            "no, write that it works with a fault, the steam wand drips",
            "It works, with faults (the steam wand drips",
        ),
        (
            "en",
            "makes fine coffee, only the steam wand leaks",
            "yes, but actually everything works",
            "Yes, everything works",
        ),
    ],
)
async def test_a_remark_or_a_wish_never_turns_an_answer_to_its_opposite(
    harness: RunnerHarness, language: str, told: str, said: str, understood: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (*MACHINE[language], told, said):
        await visitor.say(text)
    assert understood in (visitor.state["answers"].get(COFFEE) or legend(visitor))
