"""The way back to a finished item after another sale, a farewell or a list; the end of all sales."""

import pytest

from server.html.next_step_buttons import ways_back_of
from server.protocol.transcript import Transcript
from server.text_reading.wishes.ways_back import wants_earlier
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend
from tests.unit.demo.products.test_named_items import finished

NEXT = {"pt": "quero vender um dyson v8", "en": "i want to sell a dyson v8"}


async def moved_on(harness: RunnerHarness, language: str, *said: str) -> tuple[HarnessVisitor, str]:
    """Return a seller who has a finished watch and has said this since, with the reference of the watch."""
    visitor = await finished(harness, language)
    reference = visitor.state["reference"]
    for text in said:
        await visitor.say(text)
    return visitor, reference


@pytest.mark.parametrize("confirms", [False, True])
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "volta ao {reference}"),
        ("pt", "volta ao relógio que já criei"),
        ("pt", "voltar ao fitbit"),
        ("en", "go back to the fitbit"),
        ("en", "back to {reference}"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_finished_item_is_shown_again(
    harness: RunnerHarness, language: str, said: str, *, confirms: bool
) -> None:
    yes = ("sim" if language == "pt" else "yes",) * confirms
    visitor, reference = await moved_on(harness, language, NEXT[language], *yes)
    reply = await visitor.say(said.format(reference=reference))
    assert "get_catalog" not in reply.calls
    assert [each["reference"] for each in reply.blocks if each["kind"] == "card"] == [reference]
    assert visitor.state["reference"] == reference and not visitor.open_blocks()
    assert len(await visitor.items()) == 1 + confirms


@pytest.mark.parametrize("confirms", [False, True])
@pytest.mark.parametrize(
    ("language", "said", "price"),
    [
        ("pt", "quero 180 euros pelo fitbit", "180"),
        ("pt", "muda o preço do relógio para 90", "90"),
        ("en", "change the price of the fitbit to 90", "90"),
        ("en", "the fitbit's price should be 300", "300"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_the_price_of_a_finished_item_is_changed(
    harness: RunnerHarness, language: str, said: str, price: str, *, confirms: bool
) -> None:
    yes = "sim" if language == "pt" else "yes"
    visitor, reference = await moved_on(harness, language, NEXT[language], *((yes,) * confirms))
    await visitor.say(said)
    assert price in legend(visitor)
    await visitor.say(yes)
    prices = {each.reference: each.asking_price for each in await visitor.items()}
    assert prices.pop(reference).cents == int(price) * 100
    assert all(each.cents is None for each in prices.values())


@pytest.mark.parametrize("language", ["pt", "en"])
@pytest.mark.asyncio(loop_scope="module")
async def test_a_part_of_the_notes_is_looked_for_in_the_item_before(
    harness: RunnerHarness, language: str
) -> None:
    said = {
        "pt": ("quero vender outro artigo", "tira das notas a frase do cabo"),
        "en": ("I want to sell another item", "remove the sentence about the cable from the notes"),
    }
    visitor, reference = await moved_on(harness, language, said[language][0])
    reply = await visitor.say(said[language][1])
    assert reply.handoffs == ["questions"] and "get_catalog" not in reply.calls
    assert visitor.state["reference"] == reference


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "não quero vender mais nada"),
        ("pt", "deixa, não quero vender mais nada"),
        ("pt", "acabou"),
        ("en", "i don't want to sell anything else"),
        ("en", "that's all, I'm done"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_the_end_of_all_sales_is_a_farewell(harness: RunnerHarness, language: str, said: str) -> None:
    another = {"pt": "quero vender outro artigo", "en": "I want to sell another item"}[language]
    visitor, reference = await moved_on(harness, language, another)
    reply = await visitor.say(said)
    assert "get_catalog" not in reply.calls
    assert visitor.state["reference"] == reference and not visitor.open_blocks()


@pytest.mark.parametrize(
    ("language", "said"),
    [("pt", "mostra-me o que ficou"), ("pt", "quero ver os meus artigos"), ("en", "show me my items")],
)
@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.asyncio(loop_scope="module")
async def test_the_items_are_listed_with_price_and_reference(
    harness: RunnerHarness, language: str, said: str, *, moves: bool
) -> None:
    another = {"pt": "quero vender outro artigo", "en": "I want to sell another item"}[language]
    priced = ("40 euros", "sim" if language == "pt" else "yes", *((another,) * moves))
    visitor, reference = await moved_on(harness, language, *priced)
    reply = await visitor.say(said)
    assert reply.calls == ["list_my_items"]
    (row,) = next(each["rows"] for each in reply.blocks if each["kind"] == "list")
    assert row["title"] == "Versa 3" and reference in row["note"] and "40" in row["note"]
    assert "40" in reply.text and reference in reply.text
    assert len(ways_back_of(visitor.transcript, "submission")) == moves


@pytest.mark.parametrize("language", ["pt", "en"])
@pytest.mark.asyncio(loop_scope="module")
async def test_where_two_items_fit_it_is_asked_which(harness: RunnerHarness, language: str) -> None:
    yes = "sim" if language == "pt" else "yes"
    garmin = "garmin forerunner 245 " + ("preto" if yes == "sim" else "black")
    another = "quero vender outro artigo" if yes == "sim" else "I want to sell another item"
    visitor, reference = await moved_on(harness, language, another, garmin, yes)
    while "reference" not in visitor.state or visitor.state["reference"] == reference:
        block = visitor.open_blocks()[-1]
        await visitor.click(block["name"], block["choices"][0]["value"])
    await visitor.say("volta ao relógio" if yes == "sim" else "go back to the watch")
    (asked,) = visitor.open_blocks()
    assert reference in [each["value"] for each in asked["choices"]] and len(asked["choices"]) > 1
    reply = await visitor.click("reopen", reference)
    assert visitor.state["reference"] == reference
    assert [each["reference"] for each in reply.blocks if each["kind"] == "card"] == [reference]


def test_three_ways_back_are_offered_at_most() -> None:
    transcript = Transcript()
    transcript.state = {"earlier": [{"product": f"P{each}", "reference": f"LW-{each}"} for each in range(5)]}
    transcript.messages = [{"id": "msg_1", "role": "assistant", "content": "De nada."}]
    assert [each["reference"] for each in ways_back_of(transcript, "submission")] == ["LW-4", "LW-3", "LW-2"]
    assert ways_back_of(transcript, "chat") == ()


@pytest.mark.parametrize(
    "said", ["quero vender uma bicicleta por 90", "i want to sell another laptop", "sim"]
)
def test_a_new_sale_is_no_way_back(said: str) -> None:
    assert not wants_earlier(said)
