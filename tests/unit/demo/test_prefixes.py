"""What the harness remembers of a prefix is what comes of it in full, and it is given up where it could differ."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

# No step has two calls: they would end in either order.
SALE = ("quero vender um iPhone 12", "sim", "128 GB", "preto")
TOOK = re.compile(r', "duration_ms": \d+|"duration_ms": \d+, ')
NAMES = r"\b(?:res_)?(?:vis|ses|msg|run|itm|blk|cal|call|cli|prg|evt)_\w+|LW-\w+"
TIMES = r"\d{4}-\d\d-\d\dT[\d:.]+Z?|\b\d{13}\b"
OWN = re.compile(rf'(?<="item_token": ")[\w-]+|{NAMES}|{TIMES}')
"""The names and times that each conversation has of its own."""


async def _said(harness: RunnerHarness, *texts: str) -> list[str]:
    """Return all that came of these texts in a new conversation, without names and times of its own."""
    visitor = await harness.visitor("pt")
    for text in texts:
        await visitor.say(text)
    return [*_told(visitor), *[str(sorted(each.options.items())) for each in await visitor.items()]]


def _told(visitor: HarnessVisitor) -> list[str]:
    told: list[Any] = [visitor.state, visitor.transcript.messages]
    told += [[each.text, each.calls, each.handoffs, each.blocks] for each in visitor.replies]
    whole = TOOK.sub("", json.dumps(told, ensure_ascii=False, sort_keys=True))
    return OWN.sub("its own", whole).split(", ")


async def test_a_remembered_prefix_is_what_it_is_in_full(harness: RunnerHarness) -> None:
    said: list[object] = []
    answer = HarnessVisitor.answer_in_full

    async def note(self: HarnessVisitor, content: list[dict[str, Any]], kept: int | None) -> Any:
        said.append(content[0]["text"])
        return await answer(self, content, kept)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(HarnessVisitor, "answer_in_full", note)
        in_full = await _said(harness, *SALE, "excelente")
        assert said == [*SALE, "excelente"]
        said.clear()
        assert await _said(harness, *SALE, "excelente") == in_full
        assert said == []
        other = await _said(harness, *SALE, "bom")
        assert said == ["bom"]
        harness.store  # noqa: B018 - who asks for it may change what is stored.
        assert await _said(harness, *SALE, "bom") == other
        assert said == ["bom", *SALE, "bom"]


async def test_two_visitors_at_once_are_both_answered_in_full(harness: RunnerHarness) -> None:
    one = await harness.visitor("pt")
    await one.say(SALE[0])
    other = await harness.visitor("pt")
    await other.say(SALE[0])
    assert one.session_id != other.session_id and one.principal != other.principal
    for text in SALE[1:]:
        await one.say(text)
        await other.say(text)
    (first,), (second,) = await one.items(), await other.items()
    assert first.id != second.id
