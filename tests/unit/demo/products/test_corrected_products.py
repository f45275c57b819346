"""A product that is corrected after its confirmation: the right one takes its place, with the facts told so far."""

from typing import Any

import pytest

from server.text_reading.wishes.product_corrections import product_correction
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

FIRST = {"date": "2022", "number": "2"}
"""What is typed at a question for a date or a number that nothing was told of."""


async def finish(visitor: HarnessVisitor) -> Any:
    """Agree to what is asked back, answer the rest, and return the only item of the visitor."""
    for _ in range(20):
        blocks = visitor.open_blocks()
        if not blocks:
            break
        block = blocks[-1]
        if block.get("choices"):
            choice = block["choices"][0]
            await visitor.click(choice.get("name") or block["name"], choice["value"], choice["label"])
        elif block.get("confirm"):
            await visitor.say("sim" if visitor.language == "pt" else "yes")
        else:
            kind = "date" if "date" in block["name"] else "number"
            is_text = block.get("input") == "text" or "notes" in block["name"] or "games" in block["name"]
            nothing = "nada" if visitor.language == "pt" else "nothing"
            await visitor.say(nothing if is_text else FIRST[kind])
    (item,) = await visitor.items()
    return item


PHONE = "iphone 12 pro 128gb graphite, battery 85%, box included, 300 euros"


@pytest.mark.parametrize(
    ("language", "said", "product", "facts"),
    [
        (
            "en",
            (f"selling my {PHONE}", "yes", "yes", "good", "sorry it's the iphone 12 not the 12 pro", "yes", "black"),
            "iPhone 12",
            ("128 GB", "Black", "Good", "85%", "box included", "€300"),
        ),
        (
            "en",
            ("iphone 12 128gb black, 300 euros", "yes", "yes", "good", "yes", "85",
             "wrong phone, it's an iPhone 11", "yes"),
            "iPhone 11",
            ("128 GB", "Black", "Good", "85%", "€300"),
        ),
        (
            "pt",
            ("vendo iphone 12 preto 64gb, 250 euros", "sim", "sim", "bom", "sim", "87", "sim", "2021",
             "afinal é o iphone 11, não o 12", "sim"),
            "iPhone 11",
            ("64 GB", "Preto", "Bom", "87 %", "2021", "250 €"),
        ),
        (
            "pt",
            ("vendo a minha ps5 com leitor de discos, 300 euros", "sim", "sim", "bom",
             "é a ps5 slim, não a normal", "sim"),
            "PlayStation 5 Slim",
            ("Com leitor de discos", "Bom", "300 €"),
        ),
        (
            "pt",
            ("vendo a minha ps5 com leitor, 300 euros", "sim", "sim", "razoável",
             "enganei-me na consola, quero mudar para a ps4", "sim", "500", "preto"),
            "PlayStation 4",
            ("500 GB", "Preto", "Razoável", "300 €"),
        ),
        (
            "en",
            ("dyson v11, with charger, 150 euros", "yes", "fair", "not the V11, it's the V10", "yes"),
            "V10 Absolute",
            ("Fair", "€150"),
        ),
        (
            "pt",
            ("vendo aspirador dyson v11, 150 euros", "sim", "bom", "não é o V11, é o V10", "sim"),
            "V10 Absolute",
            ("Bom", "150 €"),
        ),
        (
            "pt",
            ("vendo a bicicleta elops 520, tamanho M, 150 euros", "sim",
             "enganei-me na bicicleta, é a Riverside 500", "sim"),
            "Riverside 500",
            ("M", "150 €"),
        ),
        (
            "en",
            ("selling my riverside 500 bike, size L, 180 euros", "yes", "yes", "good",
             "it's the elops 520, not the riverside", "yes"),
            "Elops 520",
            ("Good", "€180"),
        ),
    ],
)  # fmt: skip
async def test_the_right_product_takes_the_place_of_the_wrong_one_with_what_was_told(
    harness: RunnerHarness, language: str, said: tuple[str, ...], product: str, facts: tuple[str, ...]
) -> None:
    item = await finish(visitor := await talk(harness, language, *said))
    assert item.product == product
    assert item.status == "complete"
    shown = [*(visitor.state.get("options") or {}).values(), *visitor.state["answers"].values()]
    assert set(facts) <= {each.replace("\u00a0", " ") for each in shown}


@pytest.mark.parametrize(
    ("language", "said", "options"),
    [
        ("pt",
         ("quero vender a minha PS5 Digital", "sim", "espera afinal enganei me, a minha é a PS5 Slim com leitor de "
          "discos, 1tb", "sim"),
         {"Edição": "Com leitor de discos"}),
        ("pt",
         ("quero vender a minha PS5 Digital", "sim", "sim", "enganei-me, é a PS5 Slim com leitor", "sim"),
         {"Edição": "Com leitor de discos"}),
        ("en",
         ("I sell my PS5 digital edition", "yes", "yes", "wrong console, it's the PS5 Slim with the disc drive", "yes"),
         {"Edition": "With disc drive"}),
        ("en",
         ("I sell my iphone 12 pro 128gb graphite", "yes", "sorry, it's the iPhone 12 with 64 gb, black", "yes"),
         {"Storage": "64 GB", "Colour": "Black"}),
        ("en",
         ("I sell my iphone 12 pro 128gb graphite", "yes", "sorry, it's the iPhone 12, black", "yes"),
         {"Storage": "128 GB", "Colour": "Black"}),
        ("pt", ("ps5 digital", "sim", "sim", "enganei-me, é a PS5 Slim", "sim"), {"Edição": "Digital"}),
    ],
)  # fmt: skip
async def test_a_value_in_the_correcting_message_wins_and_the_earlier_ones_fill_the_rest(
    harness: RunnerHarness, language: str, said: tuple[str, ...], options: dict[str, str]
) -> None:
    visitor = await talk(harness, language, *said)
    assert visitor.state["options"] == options


async def test_the_options_are_corrected_before_the_item_is_made(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", f"selling my {PHONE}", "yes", "it's the 12, not the 12 pro", "yes")
    assert visitor.state["product"] == "iPhone 12"
    assert visitor.state["options"] == {"Storage": "128 GB"}
    assert await visitor.items() == []


@pytest.mark.parametrize(
    ("language", "said", "correction"),
    [
        ("en", ("iphone 12 64gb black", "yes", "yes", "good", "yes", "87", "yes", "2022"),
         "wrong phone, it's an iPhone 11"),
        ("pt", ("iphone 12 64gb preto, 250€", "sim", "sim", "bom", "sim", "87", "sim", "2022", "nada"),
         "enganei-me no telemóvel, é um iPhone 11"),
    ],
)  # fmt: skip
async def test_the_product_is_corrected_at_the_text_and_at_the_price(
    harness: RunnerHarness, language: str, said: tuple[str, ...], correction: str
) -> None:
    visitor = await talk(harness, language, *said, correction)
    (block,) = visitor.open_blocks()
    assert block["name"] == "confirm"
    assert "iPhone 11" in block["choices"][0]["label"]
    assert "LW-" in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("language", "correction"),
    [
        ("en", "it was the mini, not the normal one"),
        ("pt", "enganei-me, era o 12 mini, não o 12"),
    ],
)
async def test_behind_the_card_the_seller_is_told_that_the_item_is_replaced(
    harness: RunnerHarness, language: str, correction: str
) -> None:
    said = ("iphone 12 64gb black", "yes") if language == "en" else ("iphone 12 64gb preto", "sim")
    visitor = await talk(harness, language, *said)
    first = await finish(visitor)
    assert first.status == "complete"
    await visitor.say(correction)
    assert first.reference in visitor.replies[-1].text
    item = await finish(visitor)
    assert item.product == "iPhone 12 mini"
    assert item.reference != first.reference


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "and also a ps4"),
        ("pt", "e também uma ps4"),
        ("en", "it's 12 months, not 11"),
        ("en", "it's black, not white"),
    ],
)
async def test_other_words_do_not_correct_the_product(
    harness: RunnerHarness, language: str, said: str
) -> None:
    draft = {"product": "iPhone 12", "brand": "Apple", "options": {"Colour": "Black"}}
    assert product_correction(said, draft) is None


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("it was the slim, not the normal one", "Sony PlayStation 5 slim"),
        ("é a ps5 slim, não a normal", "ps5 slim"),
        ("change it to the ps4 pro", "ps4 pro"),
        ("I picked the wrong console, it's a ps4", "ps4"),
        ("quero mudar para 250 euros", ""),
        ("enganei-me na cor, é o azul", ""),
        ("it's the digital, not the normal", ""),
        ("quero mudar para a digital", ""),
    ],
)
async def test_the_words_of_the_right_product_are_completed(said: str, query: str) -> None:
    draft = {"product": "PlayStation 5", "brand": "Sony", "options": {"Edition": "Digital"}}
    found = product_correction(said, draft)
    assert (found.query if found else "") == query


@pytest.mark.parametrize(
    ("said", "query"),
    [
        (
            "no no I mean it's not the Fox, it's the smaller one, the Bugaboo Butterfly I think",
            "Bugaboo Butterfly",
        ),
        ("no it's not the Fox, it's the Butterfly", "Butterfly"),
        ("não é a Fox, é a mais pequena, a Butterfly acho eu", "Butterfly"),
        ("oh sorry no, it's the other one, the smaller", "Bugaboo"),
        ("desculpe, é a outra, a mais pequena", "Bugaboo"),
        ("no, it's the black one", ""),
        ("no it's the bigger one", ""),
        ("it's the other one", ""),
    ],
)
async def test_a_product_is_corrected_by_its_size_and_name(said: str, query: str) -> None:
    found = product_correction(said, {"product": "Fox", "brand": "Bugaboo"})
    assert (found.query if found else "") == query


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("oh it's a 12 pro", "Apple iPhone 12 pro"),
        ("enganei-me, é o 12 mini", "Apple iPhone 12 mini"),
        ("wait, it's the pro", "Apple iPhone 12 pro"),
        ("afinal é o 13", "Apple iPhone 13"),
        ("actually it's the 13", "Apple iPhone 13"),
        ("oops it's 87", ""),
        ("afinal é o 128", ""),
        ("sorry, it's the 2", ""),
    ],
)
async def test_a_number_or_a_variant_alone_corrects_the_product(said: str, query: str) -> None:
    draft = {"product": "iPhone 12", "brand": "Apple", "options": {"Storage": "128 GB"}}
    found = product_correction(said, draft)
    assert (found.query if found else "") == query


@pytest.mark.parametrize("lead", ["ta", "tá", "ya", "yea", "yeah"])
async def test_a_yes_in_short_may_stand_before_a_correction(lead: str) -> None:
    found = product_correction(f"{lead}, it's not the 12, it's the 12 mini", {"product": "iPhone 12"})
    assert found is not None and found.query == "iPhone 12 mini"


async def test_a_comparison_is_no_name_of_a_product() -> None:
    found = product_correction("não é o 12, é o maior, o 12 pro max acho", {"product": "iPhone 12"})
    assert found is not None and found.query == "iPhone 12 pro max"


@pytest.mark.parametrize(
    ("language", "yes", "said"),
    [
        ("en", "yes", "oh sorry no, it's the other one, the smaller"),
        ("pt", "sim", "desculpe, não, é o outro, o mais pequeno"),
    ],
)
async def test_at_the_options_another_product_without_a_name_is_asked_for(
    harness: RunnerHarness, language: str, yes: str, said: str
) -> None:
    visitor = await talk(harness, language, "bugaboo fox", yes, said)
    (block,) = visitor.open_blocks()
    assert block["name"] == "product"
    assert {"Fox", "Bee 6"} <= {each["label"] for each in block["choices"]}


async def test_a_named_product_that_is_not_here_is_told_at_the_options(harness: RunnerHarness) -> None:
    said = "no no I mean it's not the Fox, it's the smaller one, the Bugaboo Butterfly I think"
    visitor = await talk(harness, "en", "bugaboo fox", "yes", said)
    assert "Butterfly" in visitor.replies[-1].text and "chassis" not in visitor.replies[-1].text
