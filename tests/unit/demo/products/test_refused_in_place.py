"""An answer that names no product or option marks the open card; a question beside it is answered first."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")


def _open(visitor: HarnessVisitor) -> dict[str, str]:
    (asked,) = visitor.open_blocks()
    return asked


@pytest.mark.parametrize(
    ("language", "before", "said"),
    [
        ("en", ("iphone 12", "yes"), "xpto fgh"),
        ("pt", ("iphone 12", "sim"), "xpto fgh"),
        ("en", ("iphone 12", "yes", "64"), "blurple"),
    ],
)
async def test_an_answer_that_is_none_leaves_the_card_where_it_stands(
    harness: RunnerHarness, language: str, before: tuple[str, ...], said: str
) -> None:
    visitor = await talk(harness, language, *before)
    first = _open(visitor)
    await visitor.say(said)
    again = _open(visitor)
    assert again.get("again_of") == first["id"] and again["legend"] == first["legend"]
    assert "error" in again


@pytest.mark.parametrize(
    ("language", "before", "said"),
    [
        ("en", ("iphone 12", "yes"), "who are you?"),
        ("pt", ("iphone 12", "sim"), "quem és tu?"),
        ("en", ("iphone 12", "yes"), "lol"),
        ("en", ("iphone 12",), "who are you?"),
    ],
)
async def test_a_question_or_small_talk_refuses_nothing(
    harness: RunnerHarness, language: str, before: tuple[str, ...], said: str
) -> None:
    visitor = await talk(harness, language, *before)
    await visitor.say(said)
    assert not {"again_of", "error"} & _open(visitor).keys()


async def test_the_next_option_is_marked_by_no_answer_to_the_one_before(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone 12", "yes", "xpto fgh", "64")
    assert not {"again_of", "error"} & _open(visitor).keys()


@pytest.mark.parametrize(
    ("language", "before", "said", "quoted"),
    [
        ("pt", "iphone", "torradeira", "torradeira"),
        ("en", "iphone", "zzz qq", "zzz qq"),
        ("en", "dyson v11", "yxwv", "yxwv"),
    ],
)
async def test_words_that_are_no_product_mark_the_products_where_they_stand(
    harness: RunnerHarness, language: str, before: str, said: str, quoted: str
) -> None:
    visitor = await talk(harness, language, before)
    first = _open(visitor)
    await visitor.say(said)
    again = _open(visitor)
    assert again.get("again_of") == first["id"] and again["choices"] == first["choices"]
    assert quoted in again["error"]
    await visitor.say(said)
    assert _open(visitor).get("again_of") == again["id"]


async def test_a_product_that_is_found_is_no_refused_answer(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone", "zzz qq", "iphone 11")
    assert not {"again_of", "error"} & _open(visitor).keys()


ITEM = {
    "en": ("iphone 12", "yes", "64", "black"),
    "pt": ("iphone 12", "sim", "64", "preto"),
}


@pytest.mark.parametrize("language", ["en", "pt"])
async def test_what_the_catalog_lacks_is_told_before_the_one_question_of_the_offer(
    harness: RunnerHarness, language: str
) -> None:
    visitor = await talk(harness, language, "iphone 12")
    said = (await visitor.say("xpto fgh")).text
    assert "xpto fgh" in said and said.count("?") == 1 and said.count(". ") == 1


@pytest.mark.parametrize(("language", "untrue"), [("en", "below"), ("pt", "abaixo")])
async def test_a_question_that_stays_is_not_called_below(
    harness: RunnerHarness, language: str, untrue: str
) -> None:
    visitor = await talk(harness, language, *ITEM[language])
    for _ in range(2):
        assert untrue not in (await visitor.say("lol")).text
