"""A yes to "is it this one?" that is hedged, and a no that the seller takes back."""

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

in_a_loop = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            "I think so, bought it Nov 2021 as a present. is the battery thing a problem, it holds about a day?",
        ),
        ("en", "I believe so, it was a gift in 2020"),
        (
            "pt",
            "acho que sim, comprei em nov de 2021 para a minha mãe. a bateria aguenta um dia, é problema?",
        ),
        ("pt", "deve ser, foi uma prenda. a bateria fraca é problema?"),
    ],
)
@in_a_loop
async def test_a_hedged_yes_confirms_whatever_is_told_behind_it(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "ipad 9", said)
    assert visitor.state["product"] == "iPad (2021)"
    assert [each["name"] for each in visitor.open_blocks()] == ["option:11"]


@pytest.mark.parametrize(
    ("language", "no", "said", "yes"),
    [
        ("en", "no", "No I meant yes, the iPad 2021 you just showed me", "yes"),
        ("en", "not this one", "sorry, that was a yes", "yes"),
        ("pt", "não", "não, queria dizer que sim, o iPad 2021 que me mostrou", "sim"),
        ("pt", "não", "desculpe, era um sim", "sim"),
    ],
)
@in_a_loop
async def test_a_no_that_is_taken_back_leads_to_the_refused_product(
    harness: RunnerHarness, language: str, no: str, said: str, yes: str
) -> None:
    visitor = await talk(harness, language, "ipad 9", no, said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "confirm" and "iPad (2021)" in str(asked["choices"])
    await visitor.say(yes)
    assert visitor.state["product"] == "iPad (2021)"


@in_a_loop
async def test_another_model_behind_a_no_taken_back_is_that_model(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "ipad 9", "no", "I meant yes to the iPad mini 2021 you showed", "yes")
    assert visitor.state["product"] == "iPad mini (2021)"


@pytest.mark.parametrize(("language", "name"), [("en", "iPad (2021)"), ("pt", "ipad 2022")])
@in_a_loop
async def test_a_whole_name_with_its_year_is_that_product(
    harness: RunnerHarness, language: str, name: str
) -> None:
    visitor = await talk(harness, language, name)
    (asked,) = visitor.open_blocks()
    year = name.strip("()")[-4:]
    assert asked["name"] == "confirm" and f"iPad ({year})" in str(asked["choices"])
