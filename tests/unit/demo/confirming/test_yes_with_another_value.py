"""A yes with another value behind it stores that value, or asks it back, and never what was asked back before."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

STORAGE = {"pt": ("iPhone 13", "sim", "acho que 256"), "en": ("iPhone 13", "yes", "i think 256")}
NAME = {"pt": "Armazenamento", "en": "Storage"}
PHONE = ("iPhone 13", "sim", "128", "preto")


def storage(visitor: HarnessVisitor, language: str) -> str:
    return str((visitor.state.get("options") or {}).get(NAME[language], ""))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "ok, pode ser 128"),
        ("pt", "ok, deixa 128"),
        ("pt", "sim, mais precisamente 128"),
        ("pt", "sim, cento e vinte e oito"),
        ("pt", "ok põe 128"),
        ("pt", "sim 128gb"),
        ("pt", "128, sim"),
        ("pt", "ok, muda para 128"),
        ("en", "yes rather 128"),
        ("en", "yes its 128"),
        ("en", "ok, make it 128"),
    ],
)
async def test_another_value_is_stored(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *STORAGE[language], said)
    assert storage(visitor, language) == "128 GB"


@pytest.mark.parametrize(
    ("language", "said", "understood"),
    [
        ("pt", "ok, o menor", "128 GB"),
        ("pt", "sim, deve ser 128", "128 GB"),
        ("pt", "ok, mete o maior", "512 GB"),
        ("en", "ok, the smaller one", "128 GB"),
    ],
)
async def test_a_value_that_is_not_sure_is_asked_back(
    harness: RunnerHarness, language: str, said: str, understood: str
) -> None:
    visitor = await talk(harness, language, *STORAGE[language], said)
    assert not storage(visitor, language) and understood in legend(visitor)
    await visitor.say("sim" if language == "pt" else "yes")
    assert storage(visitor, language) == understood


@pytest.mark.parametrize(
    ("language", "said"),
    [("pt", "ok, deixa o outro"), ("pt", "sim, 64 gb"), ("en", "yes, the other one"), ("pt", "ok, muda")],
)
async def test_a_yes_that_means_another_value_opens_the_question_again(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *STORAGE[language], said)
    (asked,) = visitor.open_blocks()
    assert not storage(visitor, language) and len(asked["choices"]) == 4


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "sim, com a caixa"),
        ("pt", "sim e vendo por 350"),
        ("pt", "ok, deixa assim"),
        ("pt", "ok, deixa estar"),
        ("pt", "ok, deixa 256"),
        ("en", "yes 90 euros"),
        ("en", "ok. with the box, 320"),
    ],
)
async def test_what_names_no_other_value_stays_a_yes(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *STORAGE[language], said)
    assert storage(visitor, language) == "256 GB"


@pytest.mark.parametrize(
    ("language", "said", "understood"),
    [
        ("en", "no the hood is black, the chassis is aluminium silver", "Aluminium"),
        ("pt", "não, a capota é preta, a estrutura é de alumínio", "Alumínio"),
    ],
)
async def test_the_value_beside_the_name_of_the_option_is_its_value(
    harness: RunnerHarness, language: str, said: str, understood: str
) -> None:
    told = ("bugaboo bee 5, preta, comprada em maio de 2018", "sim, traz a capa da chuva")
    told = (
        told if language == "pt" else ("bugaboo bee 5, black, bought may 2018", "yes, with a raincover too")
    )
    visitor = await talk(harness, language, *told, said)
    chosen = (visitor.state.get("options") or {}).values()
    assert understood in chosen or understood in str(visitor.open_blocks()[0]["legend"])


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("ok, fica mau", "Mau"),
        ("ok, põe excelente", "Excelente"),
        ("sim, muda para razoável", "Razoável"),
        ("ok, deixa bom", "Bom"),
        ("sim, com capa", "Bom"),
    ],
)
async def test_another_grade_is_stored_alone(harness: RunnerHarness, said: str, stored: str) -> None:
    visitor = await talk(harness, "pt", *PHONE, "acho que bom", said)
    assert visitor.state["answers"] == {"smartphones.condition": stored}


async def test_another_grade_that_may_be_praise_is_asked_back(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *PHONE, "acho que excelente", "sim, bom")
    assert not visitor.state["answers"] and "Bom" in legend(visitor)


@pytest.mark.parametrize(("said", "stored"), [("ok, deixa 78", "78\xa0%"), ("ok, deixa 87", "87\xa0%")])
async def test_another_figure_is_stored(harness: RunnerHarness, said: str, stored: str) -> None:
    visitor = await talk(harness, "pt", *PHONE, "bom", "sim, está livre", "sim", "acho que 87")
    assert "87" in legend(visitor)
    await visitor.say(said)
    assert visitor.state["answers"]["smartphones.battery_health"] == stored


READY = ("iPhone 13 128 preto", "sim")


@pytest.mark.parametrize("said", ["ok, deixa branco", "ok, o outro", "ok, muda a cor"])
async def test_no_item_is_made_of_other_values(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *READY, said)
    assert not visitor.state.get("item_id")
    await visitor.say("sim")
    assert visitor.state["options"]["Cor"] == "Preto (meia-noite)" and visitor.state["item_id"]


@pytest.mark.parametrize("said", ["ok, mas é branco", "sim, branco"])
async def test_no_item_is_made_of_a_value_beside_one_that_the_catalog_lacks(
    harness: RunnerHarness, said: str
) -> None:
    visitor = await talk(harness, "pt", *READY, said)
    assert not visitor.state.get("item_id")
    await visitor.say("sim")
    assert "Cor" not in visitor.state["options"] and visitor.state["item_id"]


@pytest.mark.parametrize("said", ["sim, com a caixa", "ok, deixa assim", "sim, vendo por 350", "sim, bom"])
async def test_an_item_is_made_of_a_yes_with_something_else(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *READY, said)
    assert visitor.state["item_id"]


@pytest.mark.parametrize(
    ("language", "first", "said", "asked"),
    [
        ("pt", "iPhone 12", "sim, o 13", "iPhone 13"),
        ("pt", "iPhone 12", "sim, mas o 13", "iPhone 13"),
        ("pt", "iPhone 12", "sim, iphone 13", "iPhone 13"),
        ("en", "iPhone 12", "yes, the 13", "iPhone 13"),
        ("en", "dyson v11 absolute", "yes, the v10", "V10 Absolute"),
    ],
)
async def test_a_yes_with_another_model_confirms_none(
    harness: RunnerHarness, language: str, first: str, said: str, asked: str
) -> None:
    visitor = await talk(harness, language, first, said)
    (block,) = visitor.open_blocks()
    assert not visitor.state.get("product") and asked in block["choices"][0]["label"]


@pytest.mark.parametrize("said", ["sim, o 12", "sim, 128", "sim, 12 meses de uso", "sim, 87 de bateria"])
async def test_a_yes_with_the_same_model_confirms_it(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", "iPhone 12", said)
    assert visitor.state["product"] == "iPhone 12"


BICYCLE = ("rockrider st 530 tamanho L", "sim", "sim", "bom", "só riscos na pintura", "sim", "não sei")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((), "os quilometros sao 2000"),
        ((), "junho de 2021 já tinha dito, e os kms mete 2000"),
        (("acho que junho de 2021",), "sim, e ponham 2000 km por favor"),
    ],
)
async def test_a_figure_of_a_question_that_was_left_out_is_asked_back(
    harness: RunnerHarness, asked: tuple[str, ...], said: str
) -> None:
    visitor = await talk(harness, "pt", *BICYCLE, *asked, said)
    assert "2000" in legend(visitor) and "Percebi" in legend(visitor)
    await visitor.say("sim")
    assert visitor.state["answers"]["bicycles.kilometres"] == "2000\xa0km"
    assert visitor.state["answers"].get("bicycles.purchase_date") in (None, "junho de 2021")
