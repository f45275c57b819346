"""Options that are picked by their place among those that the reply listed."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]


@pytest.mark.parametrize(
    ("language", "before", "said"),
    [
        ("en", ("iphone 13 128gb blue", "yes", "yes", "good", "no"), "the 2nd 1"),
        ("en", ("iphone 13 128gb blue", "yes", "yes", "good", "no"), "the 2nd one"),
        ("pt", ("iphone 12 preto 128", "sim", "sim", "bom", "não"), "a segunda"),
    ],
)
async def test_a_place_is_counted_among_what_was_listed(
    harness: RunnerHarness, language: str, before: tuple[str, ...], said: str
) -> None:
    visitor = await talk(harness, language, *before, said)
    assert visitor.state["answers"]["smartphones.account_lock"] in (
        "No, but I can remove the account",
        "Não, mas posso retirar a conta",
    )
