"""A second thing that the catalog does not have is named as such, and what comes with the item is none."""

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

_TOLD = {"pt": "«{}» não está no catálogo", "en": "“{}” is not in the catalog"}


@pytest.mark.parametrize(
    ("language", "said", "others"),
    [
        ("pt", "iphone 12 e um carro", "carro"),
        ("pt", "ps5 e um sofá velho e umas calças", "sofá, calças"),
        ("pt", "iphone 12 e o meu carro velho", "carro"),
        ("en", "iphone 12 and a car and a samsung tv", "car, samsung tv"),
        ("en", "iphone 12, a car and a samsung tv", "car, samsung tv"),
        ("en", "kindle paperwhite and my jeans", "jeans"),
    ],
)
async def test_a_second_thing_is_told_not_to_be_sold_here(
    harness: RunnerHarness, language: str, said: str, others: str
) -> None:
    visitor = await talk(harness, language, said)
    assert _TOLD[language].format(others) in visitor.replies[-1].text
    assert visitor.open_blocks()[-1]["name"] in ("confirm", "product")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "iphone 12 com a capa"),
        ("pt", "ps5 e dois comandos"),
        ("pt", "iphone 12 com 2 anos e uma bateria nova"),
        ("pt", "macbook air m1 e o meu nome é Rui"),
        ("en", "iphone 12 and its charger"),
        ("en", "ps5 and two games"),
        ("en", "ps4 slim 1tb, black, with two controllers and 3 games: gta v, fifa 21 and spider-man"),
        ("pt", "vendo a ps4 slim, com dois comandos e 3 jogos: gta v, fifa 21 e spider-man"),
        ("pt", "vendo a ps4 slim com jogos como FIFA 21 e Gran Turismo 7"),
        ("en", "iphone 12 and a year of warranty"),
        ("en", "selling my iphone 12 and a scratch on the back"),
        ("en", "mountain bike with a steel frame and a leather saddle"),
    ],
)
async def test_what_comes_with_the_item_is_no_second_thing(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, said)
    assert _TOLD[language].partition("{}")[2].strip("»” ") not in visitor.replies[-1].text
    assert visitor.open_blocks()[-1]["name"] in ("confirm", "product")
