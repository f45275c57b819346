"""Words that tell of a product what its name in the catalog does not: a generation, and the size of a second item."""

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("pt", ("bugaboo fox 2 preto", "Fox"), "fox 2"),
        ("en", ("bugaboo fox 3", "the fox"), "fox 3"),
        ("en", ("fitbit versa 3 2nd gen", "yes"), "2nd gen"),
        ("pt", ("kindle paperwhite 2021 segunda geração", "sim"), "segunda geração"),
    ],
)
async def test_a_generation_that_the_name_lacks_is_kept_for_the_text(
    harness: RunnerHarness, language: str, said: tuple[str, ...], kept: str
) -> None:
    visitor = await talk(harness, language, *said)
    assert visitor.state["product"]
    assert kept in visitor.state["_private"]["addition"]["remarks"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("airpods pro 2nd gen", "yes")),
        ("en", ("kindle paperwhite 11, black", "yes")),
        ("pt", ("ipad mini 6 roxo 64 so wifi", "sim")),
        ("en", ("iphone 12", "yes")),
        ("en", ("bugaboo fox 2 years old", "the fox")),
        ("pt", ("nintendo switch 2 comandos", "sim")),
    ],
)
async def test_a_number_of_the_name_or_of_another_thing_is_no_generation(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *said)
    remarks = visitor.state["_private"].get("addition", {}).get("remarks", [])
    assert not [each for each in remarks if any(map(str.isdigit, each))]


@pytest.mark.parametrize(
    ("language", "said", "named"),
    [
        ("en", "iphone 12 and also a 4x4 rubik cube", "4x4 rubik cube"),
        ("en", "iphone 12 and also glasses set of 6", "glasses set of 6"),
    ],
)
async def test_a_second_item_is_told_of_with_its_size(
    harness: RunnerHarness, language: str, said: str, named: str
) -> None:
    visitor = await harness.visitor(language)
    reply = await visitor.say(said)
    assert f"“{named}”" in reply.text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", ("nintendo switch", "com microsd e a caixa")),
        ("pt", ("nintendo switch", "graças a Deus")),
        ("en", ("nintendo switch", "with a memory card")),
        ("en", ("nintendo switch", "thank God")),
        ("pt", ("nintendo switch, bem tratada graças a Deus e também microsd e a caixa",)),
    ],
)
async def test_a_card_and_an_exclamation_are_no_other_item(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *said[:-1])
    reply = await visitor.say(said[-1])
    assert "catalog" not in reply.text
    assert "catálogo" not in reply.text
    assert visitor.open_blocks()[0]["name"] == "confirm"
