"""Two items of one conversation: what is said of one is neither lost nor taken for the other."""

import pytest

from server.loopos.tools.drafts.earlier_items import part_earlier
from tests.unit.demo.harness import RunnerHarness, legend, talk

WATCH = (
    "fitbit versa 3 black",
    "yes",
    "yes",
    "good",
    "yes",
    "yes",
    "no marks",
    "yes",
    "2022",
    "yes",
    "nothing",
)
PHONE = (
    "I want to sell another item",
    "iphone 12 black 128",
    "yes",
    "yes",
    "good",
    "free",
    "87",
    "yes",
    "2022",
    "case",
)
SOLD = (*WATCH, "40 euros", *PHONE, "200 euros")
EARLIER = ({"product": "Versa 3", "brand": "Fitbit", "reference": "LW-1"},)
VACUUM = ({"product": "V8 Absolute", "brand": "Dyson", "reference": "LW-2", "kind": "Aspiradores"},)
VACUUM_EN = ({**VACUUM[0], "kind": "Vacuum cleaners"},)
OLDER = ({"product": "iPhone 11", "brand": "Apple", "reference": "LW-1"},)


@pytest.mark.parametrize(
    "said",
    ["change the price of the fitbit to 50", "change the price of the versa 3 to 60"],
)
async def test_the_price_of_an_earlier_item_is_changed_in_that_item(
    harness: RunnerHarness, said: str
) -> None:
    visitor = await talk(harness, "en", *SOLD, said)
    assert legend(visitor) == f"I understood: €{said[-2:]}. Is that right?"
    await visitor.say("yes")
    prices = {each.product: each.asking_price.cents for each in await visitor.items() if each.asking_price}
    assert prices == {"iPhone 12": 20000, "Versa 3": int(said[-2:]) * 100}


async def test_the_price_of_an_earlier_item_leaves_the_open_question(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *WATCH, "40 euros", *PHONE[:5])
    assert legend(visitor) == "Is the phone free of accounts?"
    reply = await visitor.say("free, and make the fitbit 50 euros")
    assert "make the fitbit 50 euros" in reply.text
    assert legend(visitor) == "What is the battery health?"


@pytest.mark.parametrize("said", ["make the fitbit 50 instead"])
async def test_the_price_of_an_earlier_item_is_told_beside_the_options(
    harness: RunnerHarness, said: str
) -> None:
    begun = (*WATCH, "40 euros", "I want to sell another item", "iphone 12", "yes")
    visitor = await talk(harness, "en", *begun, said)
    assert f"“{said}” is about Versa 3 (LW-" in visitor.replies[-1].text
    assert legend(visitor) == "Storage"
    await visitor.say("128")
    reply = await visitor.say(said)
    assert "Versa 3" in reply.text and legend(visitor) == "Colour"
    for each in ("black", *PHONE[4:]):
        await visitor.say(each)
    assert "asking_price" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("said", "earlier", "current", "rest"),
    [
        ("muda o preço do fitbit para 50", EARLIER, "iPhone 12 Apple", ""),
        ("the versa: 50 euros", EARLIER, "iPhone 12 Apple", ""),
        ("bom, e o fitbit fica por 50", EARLIER, "iPhone 12 Apple", "bom"),
        ("the fitbit price is negotiable", EARLIER, "iPhone 12 Apple", ""),
        ("make the iphone 11 150", OLDER, "iPhone 12 Apple", ""),
        ("make the iphone 12 150", OLDER, "iPhone 12 Apple", "make the iphone 12 150"),
        ("change the price to 11", OLDER, "iPhone 12 Apple", "change the price to 11"),
        ("50 like the fitbit", EARLIER, "iPhone 12 Apple", "50 like the fitbit"),
        ("o mesmo preço que o fitbit, 50", EARLIER, "iPhone 12 Apple", "o mesmo preço que o fitbit, 50"),
        ("the fitbit strap is not included", EARLIER, "iPhone 12 Apple", "the fitbit strap is not included"),
        ("this one 200 and not the fitbit", EARLIER, "iPhone 12 Apple", "this one 200 and not the fitbit"),
        ("change the price to 50", EARLIER, "iPhone 12 Apple", "change the price to 50"),
        ("90 pela cadeira. E o aspirador, afinal, pode pôr a 110.", VACUUM, "Tripp Trapp", "90 pela cadeira."),
        ("90 for the chair. The vacuum, actually, make it 110", VACUUM_EN, "Tripp Trapp", "90 for the chair."),
    ],
)  # fmt: skip
def test_what_is_of_an_earlier_item(
    said: str, earlier: tuple[dict[str, str], ...], current: str, rest: str
) -> None:
    assert part_earlier(said, earlier, current)[0] == rest


@pytest.mark.parametrize(
    ("language", "said", "later"),
    [
        ("pt", "bimby e carrinho", "carrinho"),
        ("pt", "ps4 e xbox", "xbox"),
        ("en", "roomba and ipad", "ipad"),
        ("en", "iphone 12 and fitbit", "fitbit"),
        ("pt", "ps4 e capa", ""),
        ("pt", "dyson e aspirador", ""),
        ("pt", "apple e iphone", ""),
        ("en", "ipad and box", ""),
    ],
)
async def test_two_products_that_a_word_joins_are_two_items(
    harness: RunnerHarness, language: str, said: str, later: str
) -> None:
    reply = (await talk(harness, language, said)).replies[-1].text
    assert (later in reply and ("Depois" in reply or "there is still" in reply or "After" in reply)) == bool(
        later
    )
