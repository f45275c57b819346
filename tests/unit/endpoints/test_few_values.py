"""The count of the values of a body, before a parser makes objects of them: exact near its bound, and linear."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.api.deep_chat.body import read_chat_request
from server.errors import TooLong
from server.value_count import MOST_ESCAPES, ValueCount

MOST = 16_000
MOST_OF_MESSAGES = 80_000
ESCAPED = b'"' + b'\\"' * 480_000
"""A text that never ends, in which each quote could begin another one."""

JSON = st.recursive(
    st.none() | st.integers() | st.text('a",[]{}:\\', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('a"\\,[', max_size=4), inner, max_size=4)
    ),
)


def elements(number: int, unit: bytes = b"0") -> bytes:
    """Return a list of so many elements."""
    return b"[" + b",".join([unit] * number) + b"]"


def counted(value: Any) -> int:
    """Count the lists, the objects, and the elements and members after the first of each."""
    if not isinstance(value, dict | list):
        return 0
    inside = list(value.values()) if isinstance(value, dict) else value
    return 1 + max(0, len(inside) - 1) + sum(map(counted, inside))


@given(JSON, st.lists(st.integers(1, 5), min_size=1))
def test_the_count_of_values_is_exact_in_any_pieces(value: Any, sizes: list[int]) -> None:
    text, right = json.dumps(value).encode(), counted(value)
    for most in {right, max(0, right - 1)}:
        values, rest, turn = ValueCount(b"[{,", most, "Too many."), text, 0
        try:
            while rest:
                size = sizes[turn % len(sizes)]
                values.feed(rest[:size])
                rest, turn = rest[size:], turn + 1
        except TooLong:
            assert most < right
        else:
            assert most == right


@pytest.mark.parametrize("unit", [b"0", b'"a"', b'",[{"', rb'"\"\\"', rb'"\\\","'])
async def test_a_list_may_have_sixteen_thousand_values_and_no_more(unit: bytes) -> None:
    await ValueCount.of_values().feed_in_steps(elements(MOST, unit))
    with pytest.raises(TooLong):
        await ValueCount.of_values().feed_in_steps(elements(MOST + 1, unit))


async def test_texts_read_one_after_the_other_share_one_count() -> None:
    values = ValueCount.of_values()
    for text in (b'["never ends', elements(MOST - 1)):
        await values.feed_in_steps(text)
    with pytest.raises(TooLong):
        await values.feed_in_steps(b"[]")


@pytest.mark.parametrize("unit", [b'""', b"1e9", b'"a":1'])
async def test_a_body_may_have_the_values_of_a_whole_conversation(unit: bytes) -> None:
    await ValueCount.of_messages().feed_in_steps(elements(MOST_OF_MESSAGES, unit))
    with pytest.raises(TooLong):
        await ValueCount.of_messages().feed_in_steps(elements(MOST_OF_MESSAGES + 1, unit))


async def test_a_text_that_never_ends_is_read_once() -> None:
    """Were it read again from each of its quotes, this test would not end."""
    for values in (ValueCount.of_messages(), ValueCount.of_values()):
        values.feed(b"[" * MOST + ESCAPED + b"[" * MOST)


async def test_the_messages_of_a_chat_are_counted_before_they_are_parsed() -> None:
    with pytest.raises(TooLong):
        await read_chat_request(b'{"messages":' + elements(MOST) + b"}")


@pytest.mark.parametrize("unit", [rb"\r", rb"\"", rb"\u0001"])
def test_a_text_of_escapes_is_refused_while_it_comes(unit: bytes) -> None:
    values = ValueCount.of_values()
    values.feed(b'{"a":"' + unit * MOST_ESCAPES)
    with pytest.raises(TooLong, match="escapes"):
        values.feed(unit)


def test_a_picture_whose_slashes_are_escaped_is_read() -> None:
    picture = base64.b64encode(bytes(range(256)) * 40_000).replace(b"/", rb"\/")
    ValueCount.of_values().feed(b'{"images":["data:image/png;base64,' + picture + b'"]}')
