"""A text that is asked back: a yes keeps it, more words are added, and `write only …` puts others in its place."""

import pytest

from server.loopos.core import AskingPrice
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES = "smartphones.notes"
EN = (
    *("iphone 12 black 128", "yes", "yes", "good", "free", "87, and the frame is scratched"),
    *("yes", "yes", "2021", "case and cable"),
)
PT = (
    *("iphone 12 preto de 128", "sim", "sim", "bom", "sim ta livre", "87, mas a moldura tem um risco"),
    *("sim", "sim", "2021", "capa e cabo"),
)


async def _sold(harness: RunnerHarness, language: str, *more: str) -> HarnessVisitor:
    """Sell a phone whose fault is asked to be added to the notes, and say these words then."""
    return await _spoken(harness, language, *(EN if language == "en" else PT), *more)


async def _spoken(harness: RunnerHarness, language: str, *texts: str) -> HarnessVisitor:
    """Let a new person say these messages."""
    visitor = await harness.visitor(language)
    for each in texts:
        await visitor.say(each)
    return visitor


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("en", "ok watever yea", "case and cable; the frame is scratched"),
        ("en", "ok yes fair enough", "case and cable; the frame is scratched"),
        ("pt", "Sim, está bem assim.", "capa e cabo; a moldura tem um risco"),
        ("en", "yes, and the box too", "case and cable; the frame is scratched; the box too"),
        ("pt", "sim, e também a caixa", "capa e cabo; a moldura tem um risco; a caixa"),
        ("en", "yes. and i'd like 320 for it", "case and cable; the frame is scratched"),
        ("en", "no just write case, small scratch on frame", "case, small scratch on frame"),
        ("pt", "não, põe só: capa, risco na moldura", "capa, risco na moldura"),
    ],
)
async def test_a_text_that_is_asked_back_gets_what_the_seller_says_to_it(
    harness: RunnerHarness, language: str, said: str, kept: str
) -> None:
    visitor = await _sold(harness, language, said)
    if NOTES in visitor.state["answers"] and visitor.state["answers"][NOTES] != kept:
        await visitor.say("yes" if language == "en" else "sim")
    assert visitor.state["answers"][NOTES] == kept


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "no thats enough now"),
        ("pt", "não, isso não tem nada"),
        ("pt", "Não, é outra coisa"),
        ("pt", "nao, ja ta"),
    ],
)
async def test_a_no_to_an_addition_says_that_nothing_changes(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await _sold(harness, language, said)
    assert visitor.state["answers"][NOTES] == ("case and cable" if language == "en" else "capa e cabo")
    assert visitor.state["status"] == "complete"
    assert visitor.replies[-1].text.startswith(("Nothing changes", "It stays", "Não mudo nada", "Fica como"))


async def test_words_added_to_a_text_are_not_offered_as_an_addition_again(harness: RunnerHarness) -> None:
    visitor = await _sold(harness, "en", "no. few scratches on the frame, no box", "yes")
    assert visitor.state["answers"][NOTES] == "case and cable; few scratches on the frame, no box"
    assert [each for each in visitor.open_blocks() if each["name"] == NOTES] == []


async def test_put_and_a_number_answers_the_question_for_a_number(harness: RunnerHarness) -> None:
    visitor = await _spoken(
        harness,
        "en",
        "ps5 slim with disc drive",
        "yes",
        "yes",
        "good",
        "yes",
        "yes",
        "2 but one drifts so 1 really",
    )
    await visitor.say("no, put 1")
    assert visitor.state["answers"]["consoles.controllers"].startswith("1")
    assert "asking_price" not in visitor.state["answers"]


async def test_a_yes_in_other_words_confirms_what_was_shown_and_not_the_question(
    harness: RunnerHarness,
) -> None:
    visitor = await _spoken(
        harness,
        "en",
        "ps5 slim with disc drive",
        "yes",
        "yes",
        "good",
        "yes the console does, just one controller drifts",
    )
    await visitor.say("ok yes fair enough")
    assert visitor.state["answers"]["consoles.works"].startswith("It works, with faults")


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ("Então salte, por favor.", True),
        ("Não sei quantos cafés tirou. Posso deixar em branco?", True),
        ("Não faço ideia, nunca contei. Talvez umas poucas por dia.", True),
        ("umas poucas", False),
    ],
)
async def test_a_question_is_passed_over_by_a_seller_who_says_so(
    harness: RunnerHarness, said: str, answered: bool
) -> None:
    visitor = await _spoken(
        harness, "pt", "delonghi dedica metal", "sim", "sim", "bom", "sim tudo funciona", "sim"
    )
    await visitor.say(said)
    assert [each["name"] for each in visitor.open_blocks()] == [
        "coffee-machines.descaled" if answered else "coffee-machines.coffees"
    ]


async def test_a_price_is_offered_beside_an_item_that_has_none(harness: RunnerHarness) -> None:
    visitor = await _spoken(
        harness, "en", "iphone 12 black 128", "yes", "yes", "good", "free", "87", "yes", "2021", "case"
    )
    assert "To set a price" in visitor.replies[-1].text
    await visitor.say("120 euros")
    (item,) = [each for each in await visitor.items() if each.product == "iPhone 12"]
    assert item.asking_price == AskingPrice(12_000)


async def test_early_answers_about_an_unsold_item_are_not_kept_for_the_next_item(
    harness: RunnerHarness,
) -> None:
    visitor = await _spoken(
        harness,
        "en",
        "I have a Lego Technic 42083, bought in November 2018, with the original box",
        "then my iphone 12 black 128",
        *("yes", "yes", "yes", "good", "free", "87", "yes"),
    )
    (asked,) = visitor.open_blocks()
    assert (asked["name"], asked["kind"]) == ("smartphones.purchase_date", "form"), "no date is asked back"


async def test_early_answers_are_kept_when_the_same_item_is_named_in_other_words(
    harness: RunnerHarness,
) -> None:
    visitor = await _spoken(
        harness,
        "en",
        "selling an iphonne tvelve qx, bought in November 2021",
        "iphone 12 black 128",
        *("yes", "yes", "good", "free", "87", "yes"),
    )
    (asked,) = visitor.open_blocks()
    assert "November 2021" in asked["legend"]


async def test_a_question_behind_a_text_is_not_written_into_it(harness: RunnerHarness) -> None:
    visitor = await _spoken(
        harness, "en", "iphone 12 black 128", "yes", "yes", "good", "free", "87", "yes", "2021"
    )
    await visitor.say("The charger is included. No repairs. Is it safe to sell here, by the way?")
    assert visitor.state["answers"][NOTES] == "The charger is included. No repairs."
