"""The range of a charge where the kilometres of a scooter are asked: it is no answer, and tells of the battery."""

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PT = ("trotinete xiaomi pro 2", "sim", "bom", "sim")
EN = ("xiaomi mi electric scooter pro 2", "yes", "good", "yes")


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("en", "battery only does 15 km now", "comes up again"),
        ("en", "the battery gets me about 12 km", "comes up again"),
        ("en", "only does 15 km", "how far a charge lasts"),
        ("pt", "a bateria só dá uns 15 km", "volta a aparecer"),
        ("pt", "a bateria já só aguenta 12 km", "volta a aparecer"),
        ("pt", "dá uns 15 km", "quanto dura uma carga"),
    ],
)
async def test_a_range_is_never_proposed_as_what_it_shows(
    harness: RunnerHarness, language: str, said: str, told: str
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN))
    before = legend(visitor)
    assert told in (await visitor.say(said)).text
    assert legend(visitor) == before and visitor.open_blocks()[0]["name"] == "scooters.kilometres"
    await visitor.say("1500 km")
    asked = legend(visitor)
    is_told = "Lasts less" in asked or "Dura menos" in asked
    assert is_told == (told in ("comes up again", "volta a aparecer"))


@pytest.mark.parametrize(
    ("language", "first", "guess"),
    [
        ("en", "xiaomi mi electric scooter pro 2, battery only does 15 km now", "Lasts less"),
        ("pt", "trotinete xiaomi pro 2, a bateria só dá uns 15 km", "Dura menos"),
    ],
)
async def test_a_range_told_at_first_is_asked_back_of_the_battery(
    harness: RunnerHarness, language: str, first: str, guess: str
) -> None:
    start = PT if language == "pt" else EN
    visitor = await talk(harness, language, first, *start[1:], "1500")
    assert guess in legend(visitor)
