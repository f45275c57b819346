"""A size between two others, whose letters people write together: `ML` for `M/L`."""

import pytest

from server.text_reading.words.sizes import join_letters, without_denied_size
from tests.unit.demo.harness import RunnerHarness, talk

in_a_loop = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "ML as i said"), ("en", "it's the ML not the L"), ("pt", "é o ML e não o L"), ("pt", "ml")],
)
@in_a_loop
async def test_letters_together_are_the_size_between(
    harness: RunnerHarness, language: str, said: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(harness, language, "marlin 5", yes, said)
    if not visitor.state.get("options"):  # It was asked back.
        await visitor.say(yes)
    assert list(visitor.state["options"].values()) == ["M/L"]


def test_a_denied_size_and_a_slash_go() -> None:
    assert join_letters("size M/L or S / M, 24/7") == "size ML or SM, 24/7"
    assert without_denied_size("it's the ML not the L") == "it's the ML"
    assert without_denied_size("not the L") == "not the L"
