"""A yes to what was understood, with something beside it: the yes counts, and no other answer is read from the rest."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN = ("dyson v11 absolute", "yes", "good", "it works with faults then, the battery")
PT = ("dyson v11 absolute", "sim", "bom", "funciona com defeitos, a bateria")
WORKS = "vacuums.works"


def works(visitor: HarnessVisitor) -> str:
    return str(visitor.state["answers"].get(WORKS, ""))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "yes n its 60 btw"),
        ("en", "yes 90 euros"),
        ("en", "yea with the wall dock"),
        ("en", "ok. with the box, 320"),
        ("en", "yup. how do you pay?"),
        ("en", "that's right"),
        ("en", "correct"),
        ("en", "uhum"),
        ("pt", "sim e vendo por 350"),
        ("pt", "sim. como vejo os disparos?"),
        ("pt", "claro, o que é ser banida?"),
        ("pt", "certo"),
        ("pt", "uhum"),
        ("pt", "exato"),
        ("pt", "claro"),
    ],
)
async def test_the_yes_counts(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT), said)
    assert works(visitor).startswith(
        "It works, with faults" if language == "en" else "Funciona, com defeitos"
    )


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "yes, that's wrong"), ("en", "ok, that's not right"), ("pt", "sim, isso não está certo")],
)
async def test_a_refusal_behind_a_yes_takes_it_back(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT), said)
    assert not works(visitor)


@pytest.mark.parametrize(
    ("language", "said", "agreed", "date"),
    [
        ("en", "bought in may 2019", "correct", "May 2019"),
        ("pt", "comprada em maio de 2019", "certo", "maio de 2019"),
    ],
)
async def test_a_fact_told_early_is_confirmed_by_correct(
    harness: RunnerHarness, language: str, said: str, agreed: str, date: str
) -> None:
    first = f"ps5, {said}, with disc drive" if language == "en" else f"ps5, {said}, com leitor de discos"
    yes, condition = ("yes", "good") if language == "en" else ("sim", "bom")
    visitor = await talk(harness, language, first, yes, yes, condition)
    for _ in range(7):
        (asked,) = visitor.open_blocks()
        if date in str(asked.get("legend")):
            break
        await visitor.say("2" if asked["kind"] == "form" else yes)
    await visitor.say(agreed)
    assert date in visitor.state["answers"].values()


@pytest.mark.parametrize(
    ("language", "product", "said", "shown"),
    [
        ("en", "canon eos 2000d", "yea with the 18-55, silver", "18-55"),
        ("pt", "canon eos 2000d", "sim, com a 18-55, preta", "18-55"),
        ("en", "canon eos 250d", "yea with the 18-55, silver", "Silver"),
        ("pt", "iphone 12", "sim é o azul com 128", "Azul"),
        ("pt", "ps5", "sim a digital com 2 comandos", "Digital"),
        ("pt", "ps5", "sim comprada em 2021, com a caixa", "PlayStation 5"),
    ],
)
async def test_a_yes_to_the_product_keeps_what_stands_beside_it(
    harness: RunnerHarness, language: str, product: str, said: str, shown: str
) -> None:
    visitor = await talk(harness, language, product, said)
    assert visitor.state["product"]
    assert shown in f"{visitor.state} {visitor.open_blocks()}"


BATTERY = {
    "en": ("iphone 12 64gb blue, battery about 87", "yes", "yes", "good", "yes"),
    "pt": ("iphone 12 64gb azul, bateria cerca de 87", "sim", "sim", "bom", "sim"),
}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "That is so"),
        ("en", "yep that's the one"),
        ("en", "87 yes"),
        ("en", "87 yeah, got it in 2021"),
        ("en", "87% yes. and the price is 300"),
        ("pt", "87 sim, comprei-o em 2021"),
        ("pt", "é assim mesmo"),
    ],
)
async def test_the_yes_counts_behind_the_figure_too(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *BATTERY[language], said)
    assert visitor.state["answers"]["smartphones.battery_health"].startswith("87")


async def test_another_figure_before_a_yes_is_not_confirmed(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *BATTERY["en"], "78 yes")
    assert "smartphones.battery_health" not in visitor.state["answers"]


async def test_a_price_behind_the_confirmed_figure_replaces_the_earlier_one(harness: RunnerHarness) -> None:
    first, *others = BATTERY["en"]
    visitor = await talk(harness, "en", f"{first}, 280 euros", *others, "87 yes. actually make it 300")
    assert visitor.state["answers"]["smartphones.battery_health"] == "87%"
    for said in ("yes", "2021", "box", "yes"):
        await visitor.say(said)
    assert "300" in f"{visitor.state['answers'].get('asking_price')} {visitor.open_blocks()}"


@pytest.mark.parametrize(("language", "said"), [("en", "That is so"), ("en", "yes, that's so.")])
async def test_a_product_is_confirmed_by_these_words(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "macbook air 2020", said)
    assert visitor.state["product"]


async def test_a_date_beside_the_yes_to_a_product_is_told_early(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", "iphone 12", "sim é esse mesmo, comprei-o em 2021")
    assert visitor.state["product"]
    for said in ("64", "azul", "bom", "sim", "87", "sim"):
        await visitor.say(said)
    assert "2021" in f"{visitor.state['answers']} {visitor.open_blocks()}"


LENS = {
    "en": ("canon eos 250d with the EF-S 18-55 mm IS STM, black", "yes"),
    "pt": ("canon eos 250d com a EF-S 18-55 mm IS STM, preta", "sim"),
}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Yes it is, the EF-S 18-55 IS STM. Great that it is free, thanks"),
        ("en", "yes the 18-55, no filter on it"),
        ("pt", "sim é essa, a 18-55. não tem tampa"),
        ("pt", "pois é, é essa"),
        ("en", "\N{THUMBS UP SIGN}"),
    ],
)
async def test_a_yes_that_repeats_the_option_is_one(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *LENS[language], said)
    assert "18-55" not in str(visitor.open_blocks()[-1].get("legend"))


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "yes but not the 18-55"), ("en", "yes but not sure"), ("pt", "sim??"), ("pt", "sim ou não?")],
)
async def test_a_doubted_yes_to_an_option_is_none(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *LENS[language], said)
    assert "18-55" in legend(visitor)


FRAME = {"en": ("bugaboo fox black", "yes"), "pt": ("bugaboo fox preta", "sim")}


@pytest.mark.parametrize(
    ("language", "said", "is_created"),
    [
        (
            "pt",
            "Sim, pode criar. A capota é azul marinho. Ah, e enganei-me: foi comprado em maio de 2021, não em 2020.",
            True,
        ),
        ("en", "Yes, create it. The hood is navy blue. And it was bought in May 2021", True),
        ("pt", "podes criar", True),
        ("en", "\N{THUMBS UP SIGN}", True),
        ("en", "absolutely", True),
        ("pt", "sim mas é azul", False),
        ("en", "yes but it's blue", False),
        ("en", "yes?", False),
        ("en", "ok but why", False),
        ("pt", "certo?", False),
        ("pt", "sim mas não tenho a certeza", False),
    ],
)
async def test_only_a_plain_yes_to_the_options_creates_the_item(
    harness: RunnerHarness, language: str, said: str, is_created: bool
) -> None:
    visitor = await talk(harness, language, *FRAME[language])
    assert not visitor.state.get("item_id")
    await visitor.say(said)
    assert bool(visitor.state.get("item_id")) is is_created


@pytest.mark.parametrize(
    ("language", "said"), [("en", "maybe yes"), ("pt", "se calhar sim"), ("en", "yes?"), ("pt", "ok o quê")]
)
async def test_a_doubted_yes_to_the_product_is_none(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, "iphone 12", said)
    assert not visitor.state.get("product_id")


BIKE = {
    "en": ("Triban RC 120 road bike, blue, bought in June 2022", "yes", "acho que M"),
    "pt": ("bicicleta de estrada Triban RC 120, azul, comprada em junho de 2022", "sim", "acho que M"),
}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Yes. And the colour is not quite blue, it's black with blue letters."),
        ("pt", "Sim. E a cor não é bem azul, é preta com letras azuis."),
        ("pt", "sim, e a campainha não é de origem"),
    ],
)
async def test_the_yes_to_an_option_counts_beside_what_is_denied_of_another_thing(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *BIKE[language], said)
    assert "M" in visitor.state["options"].values()
    good = ("good", "yes", "yes", "500 km", "yes", "yes")
    for text in good if language == "en" else ("bom", "sim", "sim", "500 km", "sim", "sim"):
        await visitor.say(text)
    proposed = str(visitor.open_blocks()[-1].get("value"))
    assert ("campainha" in said) or not proposed.endswith(("azul", "blue"))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Yes, and the size is not that big"),
        ("pt", "Sim. E o tamanho não é bem esse"),
    ],
)
async def test_a_denial_of_the_option_behind_a_yes_is_asked_once_more(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *BIKE[language], said)
    assert not visitor.state.get("options")


WATCH = ("Apple Watch Series 7, 45mm GPS, midnight aluminium", "yes")


@pytest.mark.parametrize("said", ["No need to change it, midnight is right.", "midnight is right"])
async def test_an_agreement_that_repeats_the_value_is_a_yes(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *WATCH, said)
    assert "Black (midnight)" in visitor.state["options"].values()


async def test_another_value_that_is_called_right_is_asked_back(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *WATCH, "No need to change it, blue is right")
    assert "Blue" in legend(visitor)
