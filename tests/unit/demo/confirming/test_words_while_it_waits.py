"""Words beside an answer that waits for its yes: the reply says whether they are kept for a later question."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

RIGHT = "answer:right"
VACUUM = {"en": ("dyson v11 absolute", "yes"), "pt": ("dyson v11 absolute", "sim")}


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("en", ("works great i guess", "some scratches on the cylinder"), "is kept and comes up again"),
        ("pt", ("acho que funciona", "tem riscos na tampa"), "volta a aparecer"),
        ("en", ("works great i guess", "bought it in 2021"), "is kept and comes up again"),
        ("en", ("works great i guess", "from currys"), ""),
        ("pt", ("acho que funciona", "comprei na worten"), ""),
    ],
)
async def test_words_beside_an_answer_that_waits_are_told(
    harness: RunnerHarness, language: str, said: tuple[str, ...], told: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], "good" if language == "en" else "bom")
    for text in said:
        reply = await visitor.say(text)
    assert told in reply.text
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "vacuums.works" and asked["choices"][0]["value"] == RIGHT


async def test_a_fault_that_is_called_kept_is_asked_at_the_last_text(harness: RunnerHarness) -> None:
    visitor = await talk(
        harness, "en", *VACUUM["en"], "good", "works great i guess", "some scratches on the cylinder"
    )
    for said in ("yes", "40", "yes", "2021", "nothing"):
        await visitor.say(said)
    assert "some scratches on the cylinder" in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        (
            "en",
            ("iphone 12", "yes", "128", "maybe black", "some scratches on the back"),
            "is kept and comes up again",
        ),
        (
            "pt",
            ("iphone 12", "sim", "128", "talvez preto", "comprei em 2021"),
            "volta a aparecer",
        ),
    ],
)
async def test_words_beside_an_option_that_waits_are_told(
    harness: RunnerHarness, language: str, said: tuple[str, ...], told: str
) -> None:
    visitor = await talk(harness, language, *said)
    (asked,) = visitor.open_blocks()
    assert told in visitor.replies[-1].text and asked["choices"][0]["value"] == RIGHT


@pytest.mark.parametrize("said", ["bananas às riscas", "camisola às riscas", "striped bananas"])
async def test_words_of_no_item_leave_a_proposed_answer(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *VACUUM["pt"], "bom estado, acho eu", said)
    (asked,) = visitor.open_blocks()
    assert "Bom" in legend(visitor) and asked["error"]
    await visitor.say("sim")
    assert visitor.state["answers"]["vacuums.condition"] == "Bom"
