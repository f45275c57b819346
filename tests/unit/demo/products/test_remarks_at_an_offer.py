"""Remarks and questions at a product that waits for a choice or a yes: the offer stays, and nothing is looked for."""

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAMES_ONLY = {"en": "only the name and the brand are known", "pt": "só se sabe o nome e a marca"}
ON_LABEL = {"en": "the model is usually", "pt": "o modelo costuma estar"}


@pytest.mark.parametrize(
    ("language", "product", "said"),
    [
        ("en", "macbook air 2020", "it's a bit heavy"),
        ("en", "selling a thermomix", "it's quite loud"),
        ("pt", "iphone 12", "é um pouco pesado"),
        ("pt", "quero vender uma coluna jbl", "é um bocadinho grande"),
    ],
)
async def test_a_remark_leaves_the_offer_open(
    harness: RunnerHarness, language: str, product: str, said: str
) -> None:
    visitor = await talk(harness, language, product)
    (before,) = visitor.open_blocks()
    reply = await visitor.say(said)
    (offered,) = visitor.open_blocks()
    assert offered["choices"] == before["choices"] and not offered.get("error")
    assert reply.calls == ["get_catalog"]
    await visitor.say("1")
    assert visitor.state["product"]


@pytest.mark.parametrize(
    ("language", "product", "asked", "answers"),
    [
        ("en", "selling a kindle", "what's the difference between the two?", NAMES_ONLY),
        ("en", "selling a kindle", "how do i know which one?", ON_LABEL),
        ("en", "macbook air 2020", "how do i know which one it is?", ON_LABEL),
        ("pt", "quero vender uma coluna jbl", "qual é a diferença entre as duas?", NAMES_ONLY),
        ("pt", "quero vender uma coluna jbl", "onde vejo o modelo?", ON_LABEL),
        ("pt", "quero vender uma coluna jbl", "como sei qual é a minha?", ON_LABEL),
    ],
)
async def test_a_question_is_answered_and_the_offer_stays(
    harness: RunnerHarness, language: str, product: str, asked: str, answers: dict[str, str]
) -> None:
    visitor = await talk(harness, language, product)
    (before,) = visitor.open_blocks()
    text = (await visitor.say(asked)).text
    (offered,) = visitor.open_blocks()
    assert answers[language].casefold() in text.casefold() or "underneath" in text or "parte de baixo" in text
    assert offered["choices"] == before["choices"] and not offered.get("error")


@pytest.mark.parametrize(
    ("language", "product", "said"),
    [
        ("pt", "cadeira ikea", "tem 22.110 escrito por baixo"),
        ("pt", "quero vender uma coluna jbl", "diz 22.110 na etiqueta"),
        ("en", "macbook air 2020", "it says A2337 underneath"),
        ("en", "selling a kindle", "it has A2337 printed on the back"),
    ],
)
async def test_an_unknown_printed_number_leaves_the_offer_open(
    harness: RunnerHarness, language: str, product: str, said: str
) -> None:
    visitor = await talk(harness, language, product)
    (before,) = visitor.open_blocks()
    text = (await visitor.say(said)).text
    (offered,) = visitor.open_blocks()
    assert offered["choices"] == before["choices"]
    assert ("22.110" in text or "A2337" in text) and "can't be sold" not in text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "tem 22.110 escrito por baixo"),
        ("en", "it says ECAM22.110 underneath"),
        ("en", "22.110 is printed on the bottom"),
    ],
)
async def test_a_known_printed_number_names_the_product(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "delonghi", said)
    (asked,) = visitor.open_blocks()
    assert "Magnifica S" in f"{visitor.state.get('product')} {asked}" and "Dedica" not in str(asked)


async def test_a_remark_beside_another_name_is_looked_for(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone 12", "it's an iphone 11, a bit worn")
    assert "iPhone 11" in str(visitor.open_blocks())


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        (
            "en",
            ("iphone 12", "it's a bit heavy", "yes", "64", "blue", "good", "yes", "87", "yes", "2021", "box"),
            "box; a bit heavy",
        ),
        (
            "pt",
            ("iphone 12", "é um pouco pesado", "sim", "64", "azul", "bom", "sim", "87", "sim", "2021", "caixa"),
            "caixa; um pouco pesado",
        ),
        (
            "en",
            ("iphone 12 64 blue, battery about 87", "yes", "yes", "good", "yes", "it's a bit heavy", "yes", "yes",
             "2021", "box"),
            "box; a bit heavy",
        ),
    ],
)  # fmt: skip
async def test_a_remark_is_kept_for_the_notes(
    harness: RunnerHarness, language: str, said: tuple[str, ...], kept: str
) -> None:
    visitor = await talk(harness, language, *said)
    (asked,) = [each for each in visitor.open_blocks() if each["kind"] == "form"]
    assert asked["name"] == "smartphones.notes" and asked["value"] == kept
