"""A question about what an open question means is answered by its help text, and is never an answer to it."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN, PT = ("iphone 12 black 128", "yes", "yes", "good"), ("iphone 12 preto 128", "sim", "sim", "bom")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "what do you mean?"),
        ("en", "what do you mean by free of accounts"),
        ("en", "what do you accept?"),
        ("pt", "o que é isso?"),
        ("pt", "o que é isso de livre de contas"),
        ("pt", "o que quer dizer livre de contas"),
        ("pt", "o que é que aceitam?"),
    ],
)
async def test_it_is_answered_and_the_question_stays_open(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT))
    reply = await visitor.say(said)
    assert "iCloud" in reply.text
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "smartphones.account_lock"
    assert [each["value"] for each in asked["choices"]][:1] != ["answer:right"]
    assert len(visitor.state["answers"]) == 1
