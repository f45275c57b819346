"""A finished item whose answers one sentence changes: each value is asked back for its own row, and no note is made."""

import pytest

from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

BATTERY, DATE = "smartphones.battery_health", "smartphones.purchase_date"
CONDITION, NOTES = "smartphones.condition", "smartphones.notes"
EN = ("iphone 12 black 128", "yes", "yes", "good", "free", "87", "yes", "march 2022", "case and cable")
PT = ("iphone 12 preto de 128", "sim", "sim", "bom", "sim ta livre", "87", "sim", "março 2022", "capa e cabo")


@pytest.mark.parametrize(
    ("language", "said", "values"),
    [
        ("pt", "a bateria afinal ta em 82, e comprei em janeiro de 2024", {BATTERY: "82", DATE: "janeiro"}),
        ("pt", "enganei-me, comprei em 2023 e a bateria anda nos 82", {BATTERY: "82", DATE: "2023"}),
        ("pt", "bateria 95, estado excelente", {BATTERY: "95", CONDITION: "Excelente"}),
        ("pt", "estado: excelente; bateria: 95", {BATTERY: "95", CONDITION: "Excelente"}),
        (
            "en",
            "battery is actually 82 and i bought it in january 2024",
            {BATTERY: "82", DATE: "January 2024"},
        ),
        ("en", "i was wrong, bought it in 2023 and battery is around 82", {BATTERY: "82", DATE: "2023"}),
        ("en", "battery 95, condition excellent", {BATTERY: "95", CONDITION: "Excellent"}),
        ("en", "condition: excellent; battery: 95", {BATTERY: "95", CONDITION: "Excellent"}),
    ],
)
async def test_each_value_is_asked_back_for_its_row(
    harness: RunnerHarness, language: str, said: str, values: dict[str, str]
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), said):
        await visitor.say(text)
    assert "82" not in visitor.state["answers"][BATTERY]
    for _ in values:
        await visitor.say("yes" if language == "en" else "sim")
    assert not visitor.open_blocks() and visitor.state["status"] == "complete"
    assert visitor.state["answers"][NOTES] == (EN if language == "en" else PT)[-1]
    for element_id, value in values.items():
        assert value in visitor.state["answers"][element_id]


@pytest.mark.parametrize(
    ("language", "noted", "said"),
    [
        ("pt", "acrescenta que a bateria foi trocada", "nao, isso nao é nota. a bateria é 82"),
        ("en", "add that the battery was replaced", "no thats not a note, the battery is 82"),
    ],
)
async def test_what_is_no_note_is_proposed_no_more(
    harness: RunnerHarness, language: str, noted: str, said: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), noted, said):
        await visitor.say(text)
    assert "82" in str(visitor.open_blocks())
    await visitor.say("yes" if language == "en" else "sim")
    assert not visitor.open_blocks()
    assert "82" in visitor.state["answers"][BATTERY]
    assert visitor.state["answers"][NOTES] == (EN if language == "en" else PT)[-1]


@pytest.mark.parametrize(
    ("language", "opens", "said", "thing", "price"),
    [
        ("pt", "mete um preço", "agora tenho também uma bicicleta", "bicicleta", "300"),
        ("pt", "mete um preço", "e tenho mais uma bicicleta", "bicicleta", "300"),
        ("en", "set a price", "i also have a bike now", "bike", "300"),
        ("en", "set a price", "i have a bike too", "bike", "300"),
    ],
)
async def test_another_thing_at_an_open_price_is_kept(
    harness: RunnerHarness, language: str, opens: str, said: str, thing: str, price: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), opens):
        await visitor.say(text)
    reply = await visitor.say(said)
    assert thing in reply.text and visitor.open_blocks()[0]["name"] == "switch"
    for text in ("no" if language == "en" else "não", price):
        reply = await visitor.say(text)
    assert visitor.state["price"] and price in visitor.state["price"]
    assert thing in str(reply.blocks[-1]["suggestions"])


@pytest.mark.parametrize(
    ("language", "said", "thing"),
    [("pt", "tenho também uma bicicleta", "bicicleta"), ("en", "I also have a bike", "bike")],
)
async def test_another_thing_at_a_question_is_kept(
    harness: RunnerHarness, language: str, said: str, thing: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (EN if language == "en" else PT)[:7]:
        await visitor.say(text)
    reply = await visitor.say(said)
    assert thing in reply.text and visitor.open_blocks()[0]["name"] == "switch"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "também tenho uma capa"),
        ("en", "i also have a cover for it"),
        ("en", "i also have a bike mount"),
    ],
)
async def test_what_goes_along_is_no_other_item(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT)[:8], said):
        await visitor.say(text)
    assert all(each["name"] != "switch" for each in visitor.open_blocks())


@pytest.mark.parametrize(
    ("language", "other", "said", "price"),
    [
        ("pt", "agora quero vender uma bicicleta", "espera, o iphone ponha antes 135 euros", "135"),
        ("pt", "agora quero vender uma bicicleta", "olha, mude o preço do iphone para 135", "135"),
        ("en", "now i want to sell a bike", "wait, put the iphone at 135 euros", "135"),
        ("en", "now i want to sell a bike", "oh, change the price of the iphone to 135", "135"),
    ],
)
async def test_an_earlier_item_is_changed_behind_a_halt(
    harness: RunnerHarness, language: str, other: str, said: str, price: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), other, said):
        await visitor.say(text)
    if visitor.open_blocks():
        await visitor.say("yes" if language == "en" else "sim")
    assert price in visitor.state["price"] and visitor.state["product"] == "iPhone 12"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "ok é isso, fico à espera"),
        ("pt", "está tudo bem assim"),
        ("en", "ok thats it, ill wait"),
        ("en", "its all fine like this"),
        ("en", "dont change anything"),
    ],
)
async def test_a_farewell_or_assent_opens_nothing(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), said):
        await visitor.say(text)
    assert not visitor.open_blocks() and visitor.state["status"] == "complete"


@pytest.mark.parametrize(
    ("language", "said"),
    [("pt", "está tudo certo menos a bateria"), ("en", "everything is right except the battery")],
)
async def test_the_one_that_is_not_right_is_asked_again(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), said):
        await visitor.say(text)
    assert [each["name"] for each in visitor.open_blocks()] == [BATTERY]
    await visitor.say("81")
    assert "81" in visitor.state["answers"][BATTERY]
