"""Words behind a finished card correct it, add to it or lead back to it; none of them opens a search."""

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

CHAIR = (
    "ikea poang armchair",
    "yes",
    "black-brown",
    "good",
    "yes",
    "yes",
    "yes",
    "march 2021",
    "2",
    "no",
)
CONSOLE = (
    *("ps5 with disc drive, standard", "yes", "yes", "good", "yes", "yes", "2", "yes", "march 2021"),
    *("mario kart", "300 euros", "yes"),
)
COFFEE = (
    "Delonghi Magnifica S, black",
    "yes",
    "yes",
    "good",
    "yes",
    "yes",
    "4000",
    "yes",
    "may 2022",
    "the manual",
)


@pytest.mark.parametrize(
    ("sold", "said", "understood"),
    [
        (CHAIR, "sorry it's the 3rd floor not 2nd", "3"),
        (CONSOLE, "changed my mind, only 1 controller comes with it", "1\N{NO-BREAK SPACE}controller"),
        (
            COFFEE,
            "Oh, you left out the marks on the tray, and that there is no box",
            "the manual; the marks on",
        ),
        (COFFEE, "You've lost the milk jug, please put it back", "the manual; the milk jug"),
        (COFFEE, "found the milk jug, its all there now", "the manual; found the milk jug"),
        (CONSOLE, "look, make it 160 so it sells faster", "160"),
        (COFFEE, "also a descaling kit of 2022 for the machine", "the manual; a descaling kit of 2022"),
        (CONSOLE, "10 euros more", "€310"),
        (CONSOLE, "lower it by 20", "€280"),
    ],
)
async def test_a_late_correction_is_asked_back(
    harness: RunnerHarness, sold: tuple[str, ...], said: str, understood: str
) -> None:
    visitor = await talk(harness, "en", *sold)
    assert visitor.state["status"] == "complete"
    reply = await visitor.say(said)
    assert "get_catalog" not in reply.calls
    assert understood in legend(visitor)


async def test_a_fact_beside_a_price_is_asked_behind_it(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *COFFEE, "35 euros for this one. And the tray is new.", "yes")
    assert visitor.state["price"] == "€35"
    assert "the manual; the tray is new" in legend(visitor)


async def test_a_price_beside_a_corrected_count_is_asked_behind_it(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *CONSOLE, "only 1 controller comes with it and make it 290")
    assert legend(visitor).startswith("I understood: 1\N{NO-BREAK SPACE}controller.")
    await visitor.say("yes")
    assert visitor.state["answers"]["consoles.controllers"].startswith("1")
    assert "290" in legend(visitor)


@pytest.mark.parametrize("said", ["go back to my listing", "I want to correct an answer"])
async def test_words_lead_from_another_sale_back_to_the_item(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *CONSOLE, "I want to sell another item", said)
    assert "status" in visitor.state
    assert visitor.replies[-1].handoffs == ["questions"]


async def test_the_button_of_the_card_leads_back_to_the_item(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *CONSOLE, "I want to sell another item")
    reply = await visitor.click("correct", "card")
    assert reply.handoffs == ["questions"]
    assert legend(visitor) == "What changes?"


PHONE = (
    *("iphone 12 black 128", "yes", "yes", "good", "free", "87", "yes", "march 2022"),
    *("original case, charger and a scratch on the back", "180 euros"),
)


@pytest.mark.parametrize(
    ("said", "notes", "price"),
    [
        ("the case isn't included anymore and make it 90", "charger and a scratch on the back", "€90"),
        ("I'm keeping the charger, so 160", "original case, a scratch on the back", "€160"),
        ("forget the scratch, it's not there", "original case, charger", "€180"),
        ("sorry, a cable instead of the charger", "original case, a cable and a scratch on the back", "€180"),
        ("take out the case", "charger and a scratch on the back", "€180"),
    ],
)
async def test_a_thing_that_is_not_there_any_more_leaves_the_text(
    harness: RunnerHarness, said: str, notes: str, price: str
) -> None:
    visitor = await talk(harness, "en", *PHONE, said)
    assert visitor.state["answers"]["smartphones.notes"] == PHONE[-2], "nothing changes before the yes"
    while visitor.open_blocks():
        await visitor.say("yes")
    assert visitor.state["answers"]["smartphones.notes"] == notes
    assert visitor.state["price"] == price


@pytest.mark.parametrize("said", ["Many thanks! And now", "nothing, it's all good", "how do I see my ad"])
async def test_words_that_are_said_to_us_are_not_asked_to_be_added(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *COFFEE, said)
    assert "I understood" not in str(visitor.replies[-1].blocks)


VACUUM = ("dyson v8 absolute", "yes", "good", "yes", "30", "yes", "2019")


@pytest.mark.parametrize(
    ("said", "understood"),
    [
        ("4 heads. no charger", ""),
        ("actually there's no charger", "No"),
        ("actually the charger is missing", "No"),
        ("oh and it doesn't turn on", "It does not work"),
        ("4 heads and a wall mount, no box", ""),
    ],
)
async def test_an_answer_that_the_last_text_contradicts_is_asked_back(
    harness: RunnerHarness, said: str, understood: str
) -> None:
    visitor = await talk(harness, "en", *VACUUM, said)
    assert (f"I understood: {understood}" in str(visitor.replies[-1].blocks)) == bool(understood)


@pytest.mark.parametrize(
    ("said", "notes"),
    [
        ("box and cable, small scratch on the back", "box and cable"),
        ("small scratch on the back and the front", "small scratch on the back and the front"),
    ],
)
async def test_a_fault_that_stands_beside_an_answer_is_not_in_the_text_too(
    harness: RunnerHarness, said: str, notes: str
) -> None:
    graded = ("iphone 12 black 128", "yes", "yes", "good, small scratch on the back", "yes")
    visitor = await talk(harness, "en", *graded, "free", "87", "yes", "march 2022", said)
    assert visitor.state["answers"]["smartphones.notes"] == notes
    assert "small scratch on the back" in visitor.state["answers"]["smartphones.condition"]


async def test_what_stands_beside_an_answer_is_not_proposed_for_the_text(harness: RunnerHarness) -> None:
    told = (
        "Rockrider ST 100",
        "sim",
        "L",
        "razoavel",
        "so riscos",
        "precisa afinaçao e o pneu de tras ta gasto",
    )
    visitor = await talk(harness, "pt", *told, "sim", "nao sei", "2019", "nao")
    assert legend(visitor).startswith("Que peças foram trocadas?")


async def test_a_fault_that_is_not_there_leaves_the_answer_beside_which_it_stands(
    harness: RunnerHarness,
) -> None:
    graded = ("iphone 12 black 128", "yes", "yes", "good, small scratch on the back", "yes")
    sold = (*graded, "free", "87", "yes", "march 2022", "box", "forget the scratch, it's not there", "yes")
    visitor = await talk(harness, "en", *sold)
    assert visitor.state["answers"]["smartphones.condition"] == "Good"
    assert not visitor.open_blocks()


@pytest.mark.parametrize(
    ("said", "understood"),
    [
        ("the card doesn't say the colour, it's blue", "the manual; it's blue"),
        ("I don't see it there", ""),
        ("I don't want to sell it anymore", ""),
    ],
)
async def test_what_the_card_lacks_is_asked_as_it_is(
    harness: RunnerHarness, said: str, understood: str
) -> None:
    visitor = await talk(harness, "en", *COFFEE, said)
    assert understood in (legend(visitor) if visitor.open_blocks() else "")
    assert "doesn't say" not in str(visitor.replies[-1].blocks)
