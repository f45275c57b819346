"""Facts of the first messages that a newer one puts right, and those said beside an option, up to the finished item."""

import pytest

from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

SWITCH = "want to sell my nintendo switch, right joycon drifts, mario kart and zelda botw come with it"
CONSOLE = (
    "quero vender a minha nintendo switch, o comando direito tem drift, mario kart e zelda botw incluidos"
)
WORKS, GAMES, BOUGHT = "consoles.works", "consoles.games", "consoles.purchase_date"
PUT_RIGHT = "It works, with faults (left joycon drifts)"


@pytest.mark.parametrize(
    ("language", "messages", "told", "kept"),
    [
        ("en", (SWITCH, "yes", "sorry its the LEFT joycon", "grey"), "left joycon drifts", PUT_RIGHT),
        ("en", (SWITCH, "yes", "grey", "sorry its the LEFT joycon"), "left joycon drifts", PUT_RIGHT),
        ("en", (SWITCH, "yes. sorry its the LEFT joycon. want 190", "grey"), "left joycon drifts", PUT_RIGHT),
        (
            "pt",
            (CONSOLE, "sim", "cinzento", "desculpa, é o esquerdo"),
            "o comando esquerdo tem drift",
            "Funciona, com defeitos (o comando esquerdo tem drift)",
        ),
    ],
)
async def test_a_side_is_put_right_and_said_so(
    harness: RunnerHarness, language: str, messages: tuple[str, ...], told: str, kept: str
) -> None:
    visitor = await harness.visitor(language)
    replies = [await visitor.say(each) for each in messages]
    assert sum(told in each.text for each in replies) == 1, "it is acknowledged once"
    good, works = ("bom", "sim, tudo funciona") if language == "pt" else ("good", "yes, everything works")
    await visitor.say(good)
    await visitor.say(works)
    await visitor.say("sim" if language == "pt" else "yes")
    assert visitor.state["answers"][WORKS] == kept


async def test_a_note_that_was_kept_is_asked_back_with_the_right_side(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    for each in (SWITCH, "yes", "grey", "good", "works but right joycon drifts", "yes"):
        await visitor.say(each)
    reply = await visitor.say("sorry its the LEFT joycon")
    assert PUT_RIGHT in str(reply.blocks)
    await visitor.say("yes")
    assert visitor.state["answers"][WORKS] == PUT_RIGHT


@pytest.mark.parametrize(
    ("language", "messages", "notes"),
    [
        (
            "en",
            (
                "selling my nintendo switch",
                "yes",
                "just the normal one. mario kart and zelda botw come with it",
            ),
            "mario kart and zelda botw come with it",
        ),
        (
            "pt",
            ("vendo nintendo switch", "sim", "o mario kart e o zelda vão junto"),
            "o mario kart e o zelda vão junto",
        ),
    ],
)
async def test_games_said_at_an_option_are_proposed_for_the_text(
    harness: RunnerHarness, language: str, messages: tuple[str, ...], notes: str
) -> None:
    visitor, is_pt = await harness.visitor(language), language == "pt"
    for each in messages:
        await visitor.say(each)
    reply = None
    rest = ("cinzento", "bom", "sim", "sim", "2", "sim", "março de 2020")
    for each in rest if is_pt else ("grey", "good", "yes", "yes", "2", "yes", "march 2020"):
        reply = await visitor.say(each)
    assert notes in str(reply.blocks if reply else "")


@pytest.mark.parametrize(
    ("language", "first", "bought"),
    [
        ("en", "macbook air m1 8gb 256 space grey, got it in nov 2020", "November 2020"),
        ("pt", "macbook air m1 8gb 256gb cinzento comprei em nov 2020", "novembro de 2020"),
    ],
)
async def test_a_year_of_the_name_is_a_purchase_where_it_was_got_then(
    harness: RunnerHarness, language: str, first: str, bought: str
) -> None:
    visitor, is_pt = await harness.visitor(language), language == "pt"
    rest = ("sim", "sim", "bom", "sim", "100", "português", "sim", "sim")
    shown = [str((await visitor.say(each)).blocks) for each in (first, *(rest if is_pt else ()))]
    for each in () if is_pt else ("yes", "yes", "good", "yes", "100", "portuguese", "yes", "yes"):
        shown.append(str((await visitor.say(each)).blocks))
    assert any(bought in each for each in shown)
