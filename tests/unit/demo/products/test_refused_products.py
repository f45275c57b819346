"""A product that the seller denies or has refused: it is neither confirmed nor proposed again."""

import pytest

from server.loopos.tools.drafts.refused_products import denies_product
from tests.unit.demo.harness import RunnerHarness, legend, talk

in_a_loop = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "não, é a x-t30 original, não a II"),
        ("pt", "é a x-t30 original e não a II"),
        ("pt", "é a original, nunca a II"),
        ("en", "it's the original x-t30, not the II"),
        ("en", "no the original x-t30, not the II"),
        ("en", "no the original x-t30"),
        ("en", "no its the original one"),
    ],
)
@in_a_loop
async def test_what_is_denied_is_not_confirmed(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, "fujifilm x-t30")
    assert visitor.open_blocks()[0]["name"] == "confirm"
    for again in (said, said, "fujifilm x-t30"):
        await visitor.say(again)
        assert visitor.open_blocks() == [] and "product" not in visitor.state


@pytest.mark.parametrize("language", ["pt", "en"])
@in_a_loop
async def test_a_refused_product_is_found_again_by_its_own_name(
    harness: RunnerHarness, language: str
) -> None:
    no, yes = ("não", "sim") if language == "pt" else ("no", "yes")
    visitor = await talk(harness, language, "fujifilm x-t30", no, "fujifilm x-t30")
    assert visitor.open_blocks() == []
    await visitor.say("fujifilm x-t30 ii")
    await visitor.say(yes)
    assert visitor.state["product"] == "X-T30 II"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "No dear, it isn't that one… it is the AF160UK, the larger 5.2 litre."),
        ("pt", "Não, não é esse… é a AF160UK, a maior de 5.2 litros."),
    ],
)
@in_a_loop
async def test_a_no_with_another_name_searches_that_name(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "Ninja Air Fryer AF100UK", said)
    assert "AF160UK" in visitor.replies[-1].text and visitor.open_blocks() == []
    await visitor.say("Ninja Air Fryer AF160UK")
    assert "AF400" not in str(visitor.open_blocks())


@in_a_loop
async def test_a_denied_model_is_not_proposed_at_first(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "the original x-t30, not the II")
    assert visitor.open_blocks() == []


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "é o 12 pro, não o 12 normal"),
        ("pt", "não é o 12 normal, é o 12 pro"),
        ("pt", "é o 12 pro e não o normal"),
        ("pt", "o 12 pro, não o 12"),
        ("en", "it's the 12 pro, not the normal 12"),
        ("en", "it's not the regular 12, it's the 12 pro"),
        ("en", "the 12 pro, not the 12"),
        ("en", "it's the pro one, not the normal one"),
    ],
)
@in_a_loop
async def test_another_variant_than_the_plain_one_is_found(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "iphone 12", said, "sim" if language == "pt" else "yes")
    assert visitor.state["product"] == "iPhone 12 Pro"


@pytest.mark.parametrize(
    ("language", "said", "product"),
    [
        ("en", "it's the iphone 12 pro, not the normal 12", "iPhone 12 Pro"),
        ("en", "it isn't an iphone 12, it's an iphone 13", "iPhone 13"),
        ("pt", "não é um iphone 12, é um iphone 13", "iPhone 13"),
        ("pt", "iphone 12 pro, não o max", "iPhone 12 Pro"),
    ],
)
@in_a_loop
async def test_a_first_message_may_deny_another_model(
    harness: RunnerHarness, language: str, said: str, product: str
) -> None:
    visitor = await talk(harness, language, said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "confirm" and product in str(asked["choices"])
    assert legend(visitor)


@pytest.mark.parametrize(
    ("message", "name", "is_denied"),
    [
        ("the first, not the II", "X-T30 II", True),
        ("não é o 12 pro", "iPhone 12 Pro", True),
        ("não, é o 12 pro", "iPhone 12 Pro", False),
        ("o 12 pro, não o 12", "iPhone 12 Pro", False),
        ("it isn't an iphone 12, it's a 13", "iPhone 13", False),
        ("not a samsung", "Galaxy S21 Samsung", True),
        ("macbook air, never used, 2020", "MacBook Air (M1, 2020)", False),
        ("not sure if it's the 12", "iPhone 12", False),
    ],
)
def test_a_message_denies_a_product_by_its_own_words(message: str, name: str, is_denied: bool) -> None:
    assert denies_product(message, name) is is_denied
