"""What was said of the seller's own item says nothing of that of a relative, in a talk and in single texts."""

from __future__ import annotations

import pytest

from server.text_reading.things.owners import other_owner, without_other_owner
from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]


@pytest.mark.parametrize(
    ("said", "owner"),
    [
        ("A minha mãe tem uma Elops 520 verde…", "mae"),
        ("a minha mae tem uma Elops 520", "mae"),
        ("o meu pai também tem uma Bimby", "pai"),
        ("My mum has a green Elops 520", "mum"),
        ("my brother's selling a bike", "brother"),
        ("my mum's got an Elops", "mum"),
        ("my mum has the receipt", ""),
        ("a minha mãe tem a caixa", ""),
        ("era da minha mãe, tem uma risca", ""),
        ("my brother used it a lot", ""),
        ("I bought it from my friend, it has a scratch", ""),
    ],
)
async def test_a_relative_has_one_more_thing(said: str, owner: str) -> None:
    assert other_owner(said) == owner


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("Não, a L era a minha. A da minha mãe é M", "Não, M"),
        ("nao, o L era meu, a da minha mae e M", "nao, M"),
        ("No, the L was mine. My mum's is M", "No, M"),
        ("the M was my brother's, mine is L", "L"),
        ("o M era do meu irmão, o meu é L", "L"),
        ("A da minha mãe é M, a minha é L", "A da minha mãe é M, a minha é L"),
        ("No, the L was mine", "No, the L was mine"),
        ("the scratch was mine, the box is there", "the scratch was mine, the box is there"),
        ("it was my mum's, bought in 2021", "it was my mum's, bought in 2021"),
        ("a minha é M", "a minha é M"),
    ],
)
async def test_a_value_of_another_owner_is_taken_back(said: str, right: str) -> None:
    assert without_other_owner(said) == right


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", ("tenho uma bicicleta tamanho L para vender", "A minha mãe tem uma Elops 520 verde")),
        (
            "pt",
            ("bicicleta Rockrider ST 100 tamanho L", "Não é essa", "A minha mãe tem uma Elops 520", "sim"),
        ),
        ("en", ("Canyon bike size L", "My mum has a green Elops 520")),
    ],
)
async def test_a_size_of_the_own_item_is_not_asked_back(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *said)
    assert visitor.state["product"] == "Elops 520" and not visitor.state.get("options")
    assert "L" not in legend(visitor).split() and "L." not in legend(visitor).split()


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", ("Elops 520 verde tamanho L", "Sim", "Não, a L era a minha. A da minha mãe é M")),
        ("en", ("Elops 520 size L", "Yes", "No, the L was mine. My mum's is M")),
        ("pt", ("a minha mãe tem uma bicicleta tamanho M", "a minha mãe tem uma Elops 520", "sim")),
    ],
)
async def test_the_size_of_the_relative_counts(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *said)
    assert visitor.state["product"] == "Elops 520"
    assert "M" in (visitor.state.get("options") or {}).values() or "M." in legend(visitor)
