"""A product that the seller doubts, agrees to in other words, or calls by its variant alone."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

MINI = {"pt": "quero vender o iphone 12 mini", "en": "selling my iphone 12 mini"}


def _asked(visitor: HarnessVisitor) -> str:
    """Return the product that alone is asked for, or nothing."""
    (block,) = visitor.open_blocks() or [{"name": ""}]
    return str(block["choices"][0]["label"]).partition(", ")[2] if block["name"] == "confirm" else ""


async def _talk(harness: RunnerHarness, language: str, *texts: str) -> tuple[HarnessVisitor, str]:
    """Return a new visitor who has said this, and the last answer."""
    visitor = await harness.visitor(language)
    replies = [await visitor.say(text) for text in texts]
    return visitor, replies[-1].text


@pytest.mark.parametrize(
    ("language", "doubts", "yes"),
    [
        ("pt", ("não sei se é esse ou o 12", "comprei em 2021"), "sim"),
        ("pt", ("acho que sim mas não tenho a certeza",), "é esse"),
        ("en", ("dont know if its that or the 12", "bought it in 2021"), "yes"),
        ("en", ("could be",), "that's it"),
    ],
)
async def test_an_ok_confirms_no_product_that_was_doubted(
    harness: RunnerHarness, language: str, doubts: tuple[str, ...], yes: str
) -> None:
    visitor, text = await _talk(harness, language, MINI[language], *doubts, "ok")
    assert not visitor.state.get("product") and _asked(visitor) == "iPhone 12 mini"
    assert ("sim ou não" if language == "pt" else "yes or no") in text
    await visitor.say(yes)
    assert visitor.state["product"] == "iPhone 12 mini"


@pytest.mark.parametrize("language", ["pt", "en"])
async def test_an_ok_confirms_a_product_that_nobody_doubted(harness: RunnerHarness, language: str) -> None:
    visitor, _ = await _talk(harness, language, MINI[language], "ok")
    assert visitor.state["product"] == "iPhone 12 mini"


@pytest.mark.parametrize(
    ("language", "first", "said"),
    [
        ("pt", "um iphone", "iphone 12 mini mas nao tenho a certeza"),
        ("en", "an iphone", "iphone 12 mini but i'm not sure"),
    ],
)
async def test_a_doubted_name_is_asked_back(
    harness: RunnerHarness, language: str, first: str, said: str
) -> None:
    visitor, _ = await _talk(harness, language, first, said)
    assert not visitor.state.get("product") and _asked(visitor) == "iPhone 12 mini"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "é pois"),
        ("pt", "é. 64"),
        ("pt", "é, comprei em 2020"),
        ("pt", "pois é"),
        ("en", "it is indeed"),
        ("en", "it is, 64gb white"),
    ],
)
async def test_a_yes_by_the_verb_confirms(harness: RunnerHarness, language: str, said: str) -> None:
    visitor, _ = await _talk(harness, language, MINI[language], said)
    assert visitor.state["product"] == "iPhone 12 mini"


@pytest.mark.parametrize(
    ("language", "said", "meant"),
    [
        ("pt", "é o 12 normal afinal", "iPhone 12"),
        ("pt", "o normal", "iPhone 12"),
        ("pt", "nao, é o pro", "iPhone 12 Pro"),
        ("pt", "é, mas afinal é o 11", "iPhone 11"),
        ("en", "actually the normal 12", "iPhone 12"),
        ("en", "nah its the pro", "iPhone 12 Pro"),
    ],
)
async def test_the_variant_alone_names_another_model(
    harness: RunnerHarness, language: str, said: str, meant: str
) -> None:
    visitor, _ = await _talk(harness, language, MINI[language], said)
    assert not visitor.state.get("product") and _asked(visitor) == meant


async def test_a_no_without_its_vowels_refuses(harness: RunnerHarness) -> None:
    visitor, text = await _talk(harness, "pt", MINI["pt"], "n é esse")
    assert not visitor.open_blocks() and "marca e o modelo" in text


@pytest.mark.parametrize(
    ("language", "first", "said"),
    [
        ("pt", "um iphone", "não está na lista"),
        ("pt", "um iphone", "o meu não aparece"),
        ("en", "an iphone", "not in the list"),
        ("en", "an iphone", "mine isn't there"),
    ],
)
async def test_what_is_not_in_the_list_is_asked_for_by_name(
    harness: RunnerHarness, language: str, first: str, said: str
) -> None:
    _, text = await _talk(harness, language, first, said)
    assert "lista»" not in text and "“list”" not in text
    assert any(
        each in text.lower() for each in ("marca e o modelo", "brand and model", "na caixa", "on the box")
    )


@pytest.mark.parametrize(
    ("language", "first", "said", "told"),
    [
        ("pt", "um samsung", "como sei qual é o modelo?", "o modelo costuma estar"),
        ("en", "a samsung", "how do i know which model it is", "the model is usually"),
        ("en", "a samsung", "don't know the model", "the model is usually"),
    ],
)
async def test_who_does_not_know_the_model_is_told_where_it_is_seen(
    harness: RunnerHarness, language: str, first: str, said: str, told: str
) -> None:
    visitor, text = await _talk(harness, language, first, said)
    assert told in text.lower() and len(visitor.open_blocks()) == 1


async def test_the_latest_one_is_not_the_last_of_the_list(harness: RunnerHarness) -> None:
    visitor, _ = await _talk(harness, "en", "an iphone", "latest one")
    assert not _asked(visitor) and len(visitor.open_blocks()[0]["choices"]) > 1


@pytest.mark.parametrize(
    ("language", "said", "product"),
    [
        ("pt", "queria vender o telemovel da minha mae é um samsung a54 se nao me engano", "Galaxy A54 5G"),
        ("en", "selling my daughters phone its a galaxy a34 if im not mistaken", "Galaxy A34 5G"),
    ],
)
async def test_a_hedge_is_no_denial_of_the_name(
    harness: RunnerHarness, language: str, said: str, product: str
) -> None:
    visitor, text = await _talk(harness, language, said)
    assert _asked(visitor) == product and "not in the catalog" not in text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "quero vender uma bicicleta de criança"),
        ("pt", "bicicleta electrica"),
        ("en", "kids bike woom"),
        ("en", "an electric bike"),
    ],
)
async def test_bikes_of_another_kind_are_none_of_the_catalog(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor, text = await _talk(harness, language, said)
    assert not visitor.open_blocks() and ("não tem" in text or "does not have" in text)


@pytest.mark.parametrize(
    ("language", "said", "names"),
    [
        ("pt", ("iphone 12 ou 12 pro, não sei",), ["iPhone 12", "iPhone 12 Pro"]),
        ("en", ("ps4 or ps4 slim not sure",), ["PlayStation 4", "PlayStation 4 Slim"]),
        ("en", ("is it a dyson v10 or v11?",), ["V10 Absolute", "V11 Absolute"]),
        ("en", ("ipad 9th gen or 10th, can't tell",), ["iPad (2021)", "iPad (2022)"]),
        ("pt", ("xbox one x ou one s?",), ["Xbox One X", "Xbox One S"]),
        ("pt", ("iphone", "11 pro ou 11, não sei"), ["iPhone 11 Pro", "iPhone 11"]),
    ],
)
async def test_products_between_which_the_seller_hesitates_are_both_offered(
    harness: RunnerHarness, language: str, said: tuple[str, ...], names: list[str]
) -> None:
    visitor, _ = await _talk(harness, language, *said)
    (block,) = visitor.open_blocks()
    assert [each["label"] for each in block["choices"]] == names


async def test_an_exchange_names_no_second_product(harness: RunnerHarness) -> None:
    visitor, _ = await _talk(harness, "en", "selling ps4 or swap for ps5")
    assert _asked(visitor) == "PlayStation 4"


@pytest.mark.parametrize(
    ("language", "first", "said", "name"),
    [
        ("pt", "ps4 slim", "é a normal, não a slim", "PlayStation 4"),
        ("en", "switch oled", "no it's the normal one", "Nintendo Switch"),
    ],
)
async def test_the_plain_model_is_asked_for_in_the_place_of_a_variant(
    harness: RunnerHarness, language: str, first: str, said: str, name: str
) -> None:
    visitor, _ = await _talk(harness, language, first, said)
    assert _asked(visitor) == name
