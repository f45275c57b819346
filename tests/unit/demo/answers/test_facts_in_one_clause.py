"""Facts that the first message joins without commas: each comes back at its question, and the notes have the rest."""

import pytest

from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

_MOST = 14
_CONFIRMED = "answer:right"


async def proposals_behind(harness: RunnerHarness, language: str, said: str) -> dict[str, str]:
    """Return what is proposed at each question of the item; all proposals are confirmed, all else is clicked."""
    visitor, proposed = await harness.visitor(language), dict[str, str]()
    await visitor.say(said)
    for _ in range(_MOST):
        blocks = visitor.open_blocks()
        if not blocks:
            break
        block = blocks[-1]
        if choices := block.get("choices"):
            right = [each for each in choices if each["value"] == _CONFIRMED]
            one = (right or choices)[0]
            await visitor.click(one.get("name", block["name"]), str(one["value"]), one["label"])
        elif value := block.get("value"):
            proposed[block["name"].rpartition(".")[2]] = str(value)
            await visitor.say("sim" if language == "pt" else "yes")
        else:
            await visitor.say("não sei" if language == "pt" else "I don't know")
    return proposed


@pytest.mark.parametrize(
    ("language", "said", "proposed"),
    [
        (
            "pt",
            "iphone 12 azul 64gb bateria 90% com caixa 250 euros",
            {"battery_health": "90", "notes": "caixa", "asking_price": "250"},
        ),
        (
            "en",
            "iphone 12 blue 64gb battery 90% with box bought may 2021 asking 250",
            {"battery_health": "90", "purchase_date": "May 2021", "notes": "box", "asking_price": "250"},
        ),
        (
            "pt",
            "ps5 com 2 comandos 3 jogos como nova 350€",
            {"controllers": "2", "games": "3 jogos", "asking_price": "350"},
        ),
        (
            "pt",
            "canon 250d 18-55 5000 disparos sem riscos 380 euros",
            {"shutter_count": "5000", "asking_price": "380"},
        ),
        (
            "en",
            "galaxy s21 128gb grey good condition no scratches with charger 180",
            {"notes": "charger", "asking_price": "180"},
        ),
        ("pt", "iphone 12 bateria 90%", {"battery_health": "90"}),
    ],
)
async def test_each_fact_comes_back_at_its_question(
    harness: RunnerHarness, language: str, said: str, proposed: dict[str, str]
) -> None:
    assert await proposals_behind(harness, language, said) == proposed
