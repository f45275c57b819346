"""Yes and no in one answer to "… Is that right?": an agreement that repeats a no is a no, and never turned round."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

MACHINE = {
    "pt": "máquina de café dolce gusto piccolo xs branca|sim|sim|excelente|sim, tudo funciona|sim|0".split(
        "|"
    ),
    "en": "dolce gusto piccolo xs white|yes|yes|excellent|yes, everything works|yes|0".split("|"),
}
DESCALED = "coffee-machines.descaled"
PRAM = "bugaboo fox black|yes|yes|good|yes|clean|yes|june 2025".split("|")
SMOKE_FREE = "strollers.smoke_free"


async def asked_back(harness: RunnerHarness, language: str, said: str) -> HarnessVisitor:
    visitor = await talk(harness, language, *MACHINE[language], said)
    assert [each["name"] for each in visitor.open_blocks()] == [DESCALED]
    return visitor


@pytest.mark.parametrize(
    "said",
    ["Exato, não", "exato não", "isso mesmo, não", "certo, nunca", "Exato, não foi", "sim, não"],
)
async def test_a_no_that_is_agreed_to_and_repeated_stays_a_no(harness: RunnerHarness, said: str) -> None:
    visitor = await asked_back(harness, "pt", "Não, nunca foi usada")
    await visitor.say(said)
    assert visitor.state["answers"][DESCALED] == "Não"


@pytest.mark.parametrize("said", ["exactly, no", "that's right, no", "yes, no it hasn't", "yes no"])
async def test_it_stays_a_no_in_english_too(harness: RunnerHarness, said: str) -> None:
    visitor = await asked_back(harness, "en", "never used so no")
    await visitor.say(said)
    assert visitor.state["answers"][DESCALED] == "No"


@pytest.mark.parametrize(("language", "said"), [("pt", "não, sim"), ("en", "no, yes")])
async def test_a_no_before_a_yes_corrects_a_no(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await asked_back(
        harness, language, {"pt": "Não, nunca foi usada", "en": "never used so no"}[language]
    )
    await visitor.say(said)
    assert visitor.state["answers"][DESCALED] in ("Sim", "Yes")


@pytest.mark.parametrize("said", ["exato, não", "sim, não"])
async def test_a_yes_and_a_no_to_a_yes_are_asked_back_once_more(harness: RunnerHarness, said: str) -> None:
    visitor = await asked_back(harness, "pt", "acho que foi")
    await visitor.say(said)
    assert DESCALED not in visitor.state["answers"]
    assert [each["name"] for each in visitor.open_blocks()] == [DESCALED]


async def test_a_yes_and_a_no_create_no_item(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *MACHINE["en"][:2], "exactly, no")
    assert "create_item" not in visitor.replies[-1].calls and not visitor.state.get("answers")


@pytest.mark.parametrize(
    "said", ["no smoking here", "we don't smoke", "what? no, nobody smokes so yes its smoke free"]
)
async def test_who_does_not_smoke_has_a_smoke_free_home(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *PRAM, said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == SMOKE_FREE and "Yes" in asked["legend"]
    await visitor.say("yes it is smoke free")
    assert visitor.state["answers"][SMOKE_FREE] == "Yes"
