"""An open list of products stays open, narrowed by what a message tells, until another thing is named plainly."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")


def _open(visitor: HarnessVisitor) -> dict:
    (asked,) = visitor.open_blocks()
    return asked


def _names(visitor: HarnessVisitor) -> list[str]:
    return [each["label"] for each in _open(visitor)["choices"]]


@pytest.mark.parametrize(
    ("language", "before", "said", "left"),
    [
        ("pt", "quero vender um ipad", "o meu filho diz que é o de 2020, de 32 gigas",
         ["iPad (2020)", "iPad Air (2020)"]),
        ("en", "I want to sell a laptop", "its 13 inch i think, got a sticker intel core i5 on it. "
         "bottom says something like P82G", ["XPS 13 (9310)", "MacBook Pro 13 (M1, 2020)"]),
        ("pt", "tenho um portatil", "é um asus, daqueles fininhos",
         ["ZenBook 14 (UX425)", "VivoBook 15 (X515)", "TUF Gaming F15"]),
        ("en", "selling a coffee machine", "its a delonghi, says ESAM 2600",
         ["Magnifica S (ECAM22.110)", "Dedica (EC685)"]),
    ],
)  # fmt: skip
async def test_the_list_keeps_its_place_with_the_products_that_fit(
    harness: RunnerHarness, language: str, before: str, said: str, left: list[str]
) -> None:
    visitor = await talk(harness, language, before)
    first = _open(visitor)
    await visitor.say(said)
    assert _names(visitor) == left
    assert _open(visitor)["again_of"] == first["id"]


async def test_the_products_that_were_left_out_come_back_after_a_no(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", "ipad", "é o de 2020, de 32 gigas", "não é nenhum destes")
    assert "iPad (2021)" in _names(visitor) and "iPad (2020)" not in _names(visitor)


async def test_a_code_that_is_taken_back_is_not_looked_for(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "a dyson vacuum", "SV15, no wait, SV14")
    assert "SV14" in visitor.replies[-1].text and "SV15" not in visitor.replies[-1].text
    assert len(_names(visitor)) == 4


async def test_a_single_product_that_fits_is_called_the_closest(harness: RunnerHarness) -> None:
    visitor = await talk(
        harness, "en", "macbook pro", "its 13 inch i think, got a sticker intel core i5 on it"
    )
    assert "closest" in visitor.replies[-1].text and "Found" not in visitor.replies[-1].text
    assert "MacBook Pro 13 (M1, 2020)" in _names(visitor)[0]


@pytest.mark.parametrize(
    ("language", "before", "said", "quoted"),
    [
        ("pt", "quero vender um iphone", "é o Classic, o da roda que gira", "Classic"),
        ("pt", "tenho um aspirador dyson", "SV14", "SV14"),
        ("pt", "tenho um aspirador dyson", "o SV15, nao espera, SV14", "SV14"),
        ("en", "bimby", "mine is the tm21", "tm21"),
    ],
)
async def test_words_that_name_nothing_mark_the_list(
    harness: RunnerHarness, language: str, before: str, said: str, quoted: str
) -> None:
    visitor = await talk(harness, language, before)
    first = _open(visitor)
    await visitor.say(said)
    again = _open(visitor)
    assert again["again_of"] == first["id"] and again["choices"] == first["choices"]
    assert quoted in again["error"]


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "i want to sell a toaster"), ("pt", "quero vender uma torradeira"), ("pt", "têm uma guitarra?")],
)
async def test_another_thing_that_is_named_leaves_the_list(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "ipad", said)
    assert not visitor.open_blocks()


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "its a dell"), ("en", "says dell on lid"), ("pt", "é um dell"), ("pt", "diz dell na tampa")],
)
async def test_a_brand_narrows_the_list(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, "laptop" if language == "en" else "portátil", said)
    assert _names(visitor) == ["XPS 13 (9310)", "Latitude 7490"]


async def test_a_question_that_names_one_of_the_list_is_answered_with_it(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "I want to sell a laptop", "is it the dell XPS 13?")
    assert "XPS 13" in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("language", "said", "name"),
    [("en", "i want to sell an iphone 12, no wait, 13", "iPhone 13"),
     ("pt", "vendo um iphone 12, não espera, 13", "iPhone 13")],
)  # fmt: skip
async def test_a_figure_that_is_taken_back_is_not_looked_for(
    harness: RunnerHarness, language: str, said: str, name: str
) -> None:
    visitor = await talk(harness, language, said)
    assert name in _names(visitor)[0]


@pytest.mark.parametrize(
    ("language", "said", "quoted", "left"),
    [
        ("en", "selling a bugaboo butterfly", "bugaboo butterfly", "Fox"),
        ("en", "i've got the smaller bugaboo, the butterfly", "bugaboo butterfly", "Fox"),
        ("pt", "vendo um bugaboo mais pequeno, o butterfly", "butterfly", "Fox"),
        ("en", "selling De'Longhi Eletta", "De'Longhi Eletta", "Dedica (EC685)"),
        ("pt", "tenho uma delonghi eletta", "delonghi eletta", "Dedica (EC685)"),
    ],
)
async def test_a_model_that_the_catalog_lacks_is_named_beside_the_others_of_its_brand(
    harness: RunnerHarness, language: str, said: str, quoted: str, left: str
) -> None:
    visitor = await talk(harness, language, said)
    assert quoted in visitor.replies[-1].text and "smaller" not in visitor.replies[-1].text
    assert left in _names(visitor)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "vendo hp deskjet 2720"),
        ("en", "a bugaboo cover"),
        ("en", "delonghi toaster"),
        ("en", "lenovo tab"),
        ("en", "a giant teddy bear"),
    ],
)
async def test_a_thing_of_another_kind_is_not_answered_with_products_of_its_brand(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, said)
    assert not visitor.open_blocks()


async def test_words_for_a_size_are_no_name(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "i have a smaller bugaboo")
    assert "catalog does not" not in visitor.replies[-1].text and "Fox" in _names(visitor)


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("pt", ["quero vender uma impressora", "pois mas a impressora está boa, so lhe falta a tinta"]),
        ("pt", ["quero vender uma impressora", "nao percebi, entao a impressora nao dá?"]),
        ("en", ["selling a printer", "well the printer is fine, it only lacks ink"]),
        ("en", ["selling a printer", "sorry i don't understand, so the printer can't be sold?"]),
    ],
)
async def test_a_kind_that_is_not_sold_is_refused_again_by_its_name(
    harness: RunnerHarness, language: str, texts: list[str]
) -> None:
    visitor = await talk(harness, language, *texts)
    named = "«impressora»" if language == "pt" else "“printer”"
    lacks = "não está no catálogo", "O catálogo não tem", "is not in the catalog", "catalog does not have"
    assert named in visitor.replies[-1].text and any(each in visitor.replies[-1].text for each in lacks)


async def test_a_thing_that_was_missed_beside_an_offer_is_told_again(harness: RunnerHarness) -> None:
    said = "quero vender um carrinho de bebé e uma impressora", "nao percebi, entao a impressora nao dá?"
    visitor = await talk(harness, "pt", *said)
    assert "O catálogo não tem «impressora»" in visitor.replies[-1].text or (
        "«impressora» não está no catálogo" in visitor.replies[-1].text
    )
    assert "Fox" in _names(visitor)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "boa tarde, queria 60 euros mas é negociavel, é só para levantar em Almada"),
        ("en", "hi, I want 60 euros for it but negotiable, pick up only in Almada"),
        ("en", "hello, looking for about 60 euros, collection from Leeds"),
    ],
)
async def test_a_first_message_without_an_item_is_asked_for_one(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, said)
    assert "catal" not in visitor.replies[-1].text
    asked = ("marca", "vender") if language == "pt" else ("brand", "sell")
    assert any(each in visitor.replies[-1].text for each in asked)


@pytest.mark.parametrize(
    ("language", "said"), [("en", "coffee machine De'Longhi"), ("pt", "tenho um portatil dell")]
)
async def test_a_list_that_shows_all_has_a_button_for_none_of_them(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, said)
    none = _open(visitor)["unsure"]
    assert none["label"] == ("None of these" if language == "en" else "Nenhum destes")
    assert (none["name"], none["value"]) == ("confirm", "no")


@pytest.mark.parametrize("said", ["coffee machine De'Longhi", "laptop dell"])
async def test_none_of_these_asks_for_the_name_on_the_label(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", said)
    block = _open(visitor)
    none = {"type": "answer", "block_id": block["id"], **block["unsure"]}
    await visitor.send([none])
    assert "label" in visitor.replies[-1].text or "box" in visitor.replies[-1].text
    assert not visitor.open_blocks()


async def test_a_list_with_more_has_the_button_for_more_instead(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "i want to sell an iphone")
    assert "more" in _open(visitor) and "unsure" not in _open(visitor)
