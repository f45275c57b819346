"""The first message of a sale: each of several prices goes with its item, and what is told beside is only confirmed."""

from datetime import UTC, datetime

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE = {
    "en": ("yes", "64", "black", "yes", "good", "yes", "87", "yes", "2022", "nothing"),
    "pt": ("sim", "64", "preto", "sim", "bom", "sim", "87", "sim", "2022", "nada"),
}
"""The answers from the product of an iPhone 12 up to its notes."""


async def asked_price(harness: RunnerHarness, language: str, said: str) -> tuple[HarnessVisitor, str]:
    """Return the visitor who answers all questions for an iPhone 12 behind this message, and the price asked back."""
    visitor = await talk(harness, language, said, *PHONE[language])
    asked = [str(each["legend"]) for each in visitor.open_blocks() if each["name"] == "asking_price"]
    assert visitor.state["answers"]["smartphones.notes"] in ("nothing", "nada"), (
        "no words of a price are noted"
    )
    return visitor, "".join(asked)


@pytest.mark.parametrize(
    ("language", "said", "later"),
    [
        ("en", "iphone 12 for 250 and an airfryer for 60", ["airfryer"]),
        ("en", "iphone 12 for 250, airfryer for 60", ["airfryer"]),
        ("en", "iphone 12 250 euros and also a switch oled 150", ["switch oled"]),
        ("en", "iphone 12 €250, ipad mini 6 €200, airfryer €60", ["ipad mini 6", "airfryer"]),
        ("en", "iphone 12 for 250 and a nintendo switch oled for 150 negotiable", ["nintendo switch oled"]),
        ("en", "iphone 12 250€ and a bike 100€", ["bike"]),
        ("pt", "iphone 12 por 250 e uma airfryer por 60", ["airfryer"]),
        ("pt", "vendo iphone 12 a 250€ e uma bimby tm5 a 400€", ["bimby tm5"]),
        ("pt", "iphone 12 por 250, ipad mini 6 por 200", ["ipad mini 6"]),
        ("pt", "iphone 12 a 250 e ipad mini 6 a 200", ["ipad mini 6"]),
        ("pt", "iphone 12 por 250, comprei por 900 em 2021", []),
        ("pt", "iphone 12 - 250€, ipad mini 6 - 200€, airfryer - 60€", ["ipad mini 6", "airfryer"]),
    ],
)
async def test_each_price_goes_with_its_item(
    harness: RunnerHarness, language: str, said: str, later: list[str]
) -> None:
    visitor, asked = await asked_price(harness, language, said)
    assert "250" in asked
    await visitor.say("yes" if language == "en" else "sim")
    (card,) = [each for each in visitor.replies[-1].blocks if each["kind"] == "card"]
    assert [each.partition(": ")[2] for each in card["suggestions"][:-1]] == later
    assert "250" in card["price"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "iphone 12 for 250 and a hairdryer for 60"),
        ("pt", "iphone 12 por 250 e um secador de cabelo por 60"),
    ],
)
async def test_the_price_of_an_item_that_is_not_sold_here_is_not_taken(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor, asked = await asked_price(harness, language, said)
    assert "250" in asked
    assert "hairdryer" in visitor.replies[0].text or "secador" in visitor.replies[0].text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "i have an iphone 12 and a switch oled, 300 and 150"),
        ("en", "iphone 12 and a switch oled, 500 for both"),
        ("pt", "vendo um iphone 12 e uma switch oled, 300 e 150 euros"),
        ("pt", "vendo um iphone 12 e uma switch oled, 500 pelos dois"),
    ],
)
async def test_amounts_of_several_items_are_the_price_of_none(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor, asked = await asked_price(harness, language, said)
    assert not asked and "asking_price" not in visitor.state["answers"]
    assert "switch oled" in visitor.replies[0].text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "iphone 12 for 250 and a case for 10"),
        ("pt", "iphone 12 por 250 e uma capa por 10"),
    ],
)
async def test_the_price_of_an_accessory_is_not_that_of_the_item(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor, asked = await asked_price(harness, language, said)
    assert "250" in asked
    assert "case" in visitor.replies[0].text or "capa" in visitor.replies[0].text


@pytest.mark.parametrize(
    ("language", "said", "second"),
    [
        (
            "en",
            "iphone 12 for 250, fitbit versa 3 for 60",
            "yes, black, good, yes, yes, no marks, yes, 2022, nothing",
        ),
        (
            "pt",
            "iphone 12 por 250, fitbit versa 3 por 60",
            "sim, preto, bom, sim, sim, sem marcas, sim, 2022, nada",
        ),
    ],
)
async def test_the_price_of_the_second_item_waits_with_it(
    harness: RunnerHarness, language: str, said: str, second: str
) -> None:
    visitor, _ = await asked_price(harness, language, said)
    await visitor.say("yes" if language == "en" else "sim")
    (card,) = [each for each in visitor.replies[-1].blocks if each["kind"] == "card"]
    for text in (card["suggestions"][0], *second.split(", ")):
        await visitor.say(text)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "asking_price" and "60" in asked["legend"]


@pytest.mark.parametrize(
    ("language", "said", "terms"),
    [
        ("en", "iphone 12 black 128, 250 ono", "price ono"),
        ("en", "iphone 12 black 128 250 negotiable", "price negotiable"),
        ("en", "iphone 12 black 128, 250 euros not negotiable", "price not negotiable"),
        ("en", "iphone 12 black 128 for 250 or nearest offer", "price or nearest offer"),
        ("en", "iphone 12 black 128 for 250 or best offer, thanks", "price or best offer"),
        ("pt", "iphone 12 preto 128, 250€ negociável", "preço negociável"),
        ("pt", "iphone 12 preto 128, 250 negociável", "preço negociável"),
        ("pt", "iphone 12 preto 128, 250 euros um pouco negociável", "preço um pouco negociável"),
        ("pt", "iphone 12 preto 128 por 250 ou melhor oferta", "preço ou melhor oferta"),
    ],
)
async def test_the_terms_beside_a_price_are_proposed_for_the_notes_and_the_price_is_asked_back(
    harness: RunnerHarness, language: str, said: str, terms: str
) -> None:
    yes, good, free, box = (
        ("yes", "good", "free", "box") if language == "en" else ("sim", "bom", "livre", "caixa")
    )
    visitor = await talk(harness, language, said, yes)
    for text in (yes, yes) if "Shall" not in visitor.replies[-1].text else (yes,):
        if "condition" not in visitor.open_blocks()[0]["name"]:
            await visitor.say(text)
    for text in (good, free, "87", yes, "2022", box):
        await visitor.say(text)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "smartphones.notes" and terms in asked["legend"] and box in asked["legend"]
    await visitor.say(yes)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "asking_price" and "250" in asked["legend"]


@pytest.mark.parametrize(
    ("language", "said", "figure"),
    [
        ("en", "iphone 12 for £150", "You wrote £150."),
        ("en", "iphone 12, 180 quid", "You wrote 180 quid."),
        ("en", "iphone 12 - $1,200", "You wrote $1,200."),
        ("pt", "iphone 12 por 150 libras", "Escreveu 150 libras."),
        ("pt", "iphone 12, £150", "Escreveu £150."),
    ],
)
async def test_a_price_in_another_currency_is_named_where_the_price_in_euro_is_asked(
    harness: RunnerHarness, language: str, said: str, figure: str
) -> None:
    visitor = await talk(harness, language, said, *PHONE[language])
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "asking_price" and asked["hint"].startswith(figure)
    assert "asking_price" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "iphone 12, 18 months old"),
        ("en", "iphone 12, it is 6 months old"),
        ("en", "iphone 12, about two years old"),
        ("pt", "iphone 12, tem 18 meses"),
        ("pt", "iphone 12, tem uns seis meses"),
        ("pt", "iphone 12, tem dois anos"),
    ],
)
async def test_the_age_of_an_item_is_asked_back_as_the_date_of_purchase(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, said, *PHONE[language][:-2])
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "smartphones.purchase_date"
    assert asked["confirm"]["value"] == "answer:right"
    assert any(str(datetime.now(UTC).year - back) in asked["legend"] for back in (0, 1, 2))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "yes, 64gb, battery 85%, with box"),
        ("en", "yes 64gb battery 85% with box"),
        ("en", "yep thats the one, battery 85, 64 gb and comes with the box"),
        ("pt", "sim, 64gb, bateria 85%, com caixa"),
        ("pt", "sim 64gb bateria 85% com caixa"),
        ("pt", "sim é esse, bateria a 85, 64 gb e vai com a caixa"),
    ],
)
async def test_facts_behind_a_yes_to_the_product_are_kept_for_their_questions(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "iphone 12", said)
    asked = dict[str, str]()
    answers = {"en": ("yes", "black", "good", "2022"), "pt": ("sim", "preto", "bom", "2022")}[language]
    for _ in range(12):
        blocks = visitor.open_blocks()
        if not blocks or blocks[0]["name"] == "smartphones.notes":
            break
        name = blocks[0]["name"]
        asked[name] = str(blocks[0].get("legend"))
        fits = {
            "option:12": answers[1],
            "smartphones.condition": answers[2],
            "smartphones.purchase_date": answers[3],
        }
        await visitor.say(fits.get(name, answers[0]))
    assert visitor.state["options"][{"en": "Storage", "pt": "Armazenamento"}[language]] == "64 GB"
    assert "85" in asked["smartphones.battery_health"]
    assert visitor.state["answers"]["smartphones.battery_health"].startswith("85")
    (notes,) = visitor.open_blocks()
    assert ("box" if language == "en" else "caixa") in notes["legend"]


@pytest.mark.parametrize(
    ("language", "said", "asked", "proposed"),
    [
        (
            "pt",
            ("vendo ipad mini 6", "sim", "64", "está como novo, liga bem", "wi-fi", "rosa"),
            "condition",
            "Excelente",
        ),
        ("en", ("dyson v11, works great no issues so id call it good", "yes"), "condition", "Good"),
        (
            "en",
            (
                "macbook air m1 2020, battery not great, small scratch on the lid",
                "yes",
                "8",
                "256",
                "gold",
                "yes",
            ),
            "works",
            "It works, with faults (battery not great)",
        ),
    ],
)
async def test_what_was_told_of_a_later_question_is_proposed_there(
    harness: RunnerHarness, language: str, said: tuple[str, ...], asked: str, proposed: str
) -> None:
    visitor = await talk(harness, language, *said)
    (block,) = visitor.open_blocks()
    assert block["name"].endswith(asked) and proposed in block["legend"]
