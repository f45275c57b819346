"""The count of the values of an MCP server's messages, whatever the server writes around them."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from mcp.types import Tool

from server.errors import TooLong
from server.mcp.flood_budget import MOST_A_MINUTE, VALUE_COST, Flood, FloodBudget
from server.mcp.listing import list_tools
from server.mcp.message_values import MOST_VALUES, EventValues, MessageValues
from tests.parts.sampled import pairs

LIST = b"[" + b"0," * (MOST_VALUES - 1) + b"0]"
"""As many values as a message may have."""


def pieces(text: bytes, size: int) -> list[bytes]:
    """Cut a text."""
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8_192])
@pytest.mark.parametrize(
    "before",
    [
        b"",
        b': a comment with a quote "\n',
        b": a comment with an escape \\\n",
        b'id: "\n',
        b'data: "a\r\n',
        b"data: [0,\r\ndata:",
        b"data: [0,\rdata:",
    ],
)
def test_a_message_of_too_many_values_is_found_in_any_stream(before: bytes, size: int) -> None:
    values = EventValues(FloodBudget())
    with pytest.raises(TooLong):
        for each in pieces(before + b"data: " + LIST[:-1] + b",0]\n\n", size):
            values.feed(each)


@pytest.mark.parametrize(("end", "size"), pairs([b"\n", b"\r", b"\r\n"], [1, 3, 8_192]))
def test_each_event_has_its_own_count(end: bytes, size: int) -> None:
    values = EventValues(FloodBudget())
    text = json.dumps({"text": '",[{' * MOST_VALUES}).encode()
    for message in (LIST, LIST, text):
        for each in pieces(b"event: message" + end + b"data: " + message + end + end, size):
            values.feed(each)


def test_a_message_of_too_many_values_is_not_paid_for_and_others_are() -> None:
    budget = FloodBudget()
    values = MessageValues(budget)
    assert not values.are_few(b"[" + b"0," * 500_000 + b"0]")
    for _ in range(MOST_A_MINUTE // (VALUE_COST * MOST_VALUES)):
        assert values.are_few(LIST)
    with pytest.raises(Flood):
        values.are_few(LIST)


async def test_others_have_turns_while_a_schema_is_checked() -> None:
    schema = {"type": "object", "allOf": [{}] * 500}

    async def listed(**_: Any) -> Any:
        return SimpleNamespace(tools=[Tool(name="find", input_schema=schema)], next_cursor=None)

    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    other = asyncio.create_task(take_turns())
    found = await list_tools(SimpleNamespace(list_tools=listed), {"find"})  # type: ignore[arg-type]
    other.cancel()
    assert set(found) == {"find"}
    assert turns
