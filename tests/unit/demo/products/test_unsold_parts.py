"""What is no product by itself: a part, an accessory, a fault or what comes along, told before the product is known."""

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "dois comandos da ps5"),
        ("en", "ps5 controller"),
        ("en", "iphone 11 charger"),
        ("pt", "só a caixa do iphone 11"),
        ("en", "just the box of an iphone 12"),
        ("pt", "capa e película para iphone 13"),
        ("en", "watch strap for apple watch"),
        ("en", "camera lens 50mm"),
        ("en", "3 ps4 games"),
    ],
)
async def test_a_part_by_itself_is_no_product(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, said)
    assert not visitor.open_blocks()
    assert ("catálogo" if language == "pt" else "catalog") in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("language", "said", "product"),
    [
        ("en", "iphone 12 without the charger", "iPhone 12"),
        ("en", "ps vita w/o charger", "PS Vita"),
        ("pt", "ps5 sem comando", "PlayStation 5"),
        ("en", "2x iphone 12", "iPhone 12"),
        ("en", "ifone 13 pro maks", "iPhone 13 Pro Max"),
    ],
)
async def test_what_is_said_beside_a_product_leaves_it_as_it_is(
    harness: RunnerHarness, language: str, said: str, product: str
) -> None:
    visitor = await talk(harness, language, said, "sim" if language == "pt" else "yes")
    assert visitor.state["product"] == product


async def test_a_part_that_alone_is_sold_is_told_to_be_no_product(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone 11 only the box")
    assert "“box”" in visitor.replies[-1].text
    assert [each["name"] for each in visitor.open_blocks()] == ["confirm"]


@pytest.mark.parametrize(
    ("language", "first", "said"),
    [
        ("en", (), "squeaky wheel"),
        ("pt", (), "não liga"),
        ("pt", (), "ecrã com risco"),
        ("en", ("iphone 13",), "squeaky wheel"),
        ("en", ("stroller",), "squeaky wheel"),
        ("en", ("iphone 12",), "charger included"),
    ],
)
async def test_a_fault_or_a_thing_along_is_kept_and_looked_for_by_nobody(
    harness: RunnerHarness, language: str, first: tuple[str, ...], said: str
) -> None:
    visitor = await talk(harness, language, *first)
    before = [each["name"] for each in visitor.open_blocks()]
    text = (await visitor.say(said)).text
    assert ("fica guardado" if language == "pt" else "is kept") in text
    assert [each["name"] for each in visitor.open_blocks()] == before


@pytest.mark.parametrize("said", ["cadeira de bebe pro carro", "cadeirinha", "carro de bebe"])
async def test_another_name_of_a_kind_is_not_told_to_be_missing(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", said)
    assert "«" not in visitor.replies[-1].text
    assert [each["name"] for each in visitor.open_blocks()] == ["product"]


@pytest.mark.parametrize(
    ("language", "said", "value"),
    [
        ("en", "the middle size", "128 GB"),
        ("pt", "o do meio", "128 GB"),
        ("en", "the small one", "64 GB"),
        ("pt", "o mais pequeno, comprado em 2021", "64 GB"),
    ],
)
async def test_a_value_is_proposed_by_its_size_among_the_others(
    harness: RunnerHarness, language: str, said: str, value: str
) -> None:
    yes = "sim" if language == "pt" else "yes"
    visitor = await talk(harness, language, "iphone 12", yes, said)
    assert not visitor.state.get("options")
    await visitor.say(yes)
    assert value in visitor.state["options"].values()


@pytest.mark.parametrize(
    ("language", "said"), [("en", "128, I think"), ("pt", "128, acho eu"), ("en", "128, not sure")]
)
async def test_a_value_that_is_hedged_behind_a_comma_is_asked_back(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "iphone 12", "sim" if language == "pt" else "yes", said)
    assert not visitor.state.get("options")


@pytest.mark.parametrize(("language", "said"), [("pt", "nem um nem outro"), ("en", "nope, none")])
async def test_none_of_the_values_in_other_words(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, "iphone 12", "sim" if language == "pt" else "yes", said)
    assert [each["name"] for each in visitor.open_blocks()] == ["option:12"]


@pytest.mark.parametrize(
    ("language", "said"), [("pt", "o normal"), ("en", "just the standard one"), ("en", "Yes, PlayStation 4")]
)
async def test_words_that_choose_nothing_are_no_value_that_is_missing(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "ps4", "sim" if language == "pt" else "yes", said)
    assert [each["name"] for each in visitor.open_blocks()] == ["option:11"]
    text = visitor.replies[-1].text
    assert not any(each in text for each in ("does not exist", "não existe", "not sold with"))


async def test_what_the_product_is_without_is_not_proposed(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", "ps5", "sim", "sem leitor", "sim")
    assert visitor.state["options"] == {"Edição": "Digital"}
