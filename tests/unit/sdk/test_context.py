"""The context that a program sets: JSON of eight kilobytes at most, copied when it is set."""

from __future__ import annotations

from typing import Any

import pytest

from loopwire import connect


@pytest.mark.parametrize(
    ("context", "is_taken"),
    [
        ({"a": "x" * 8_184}, True),
        ({"a": "x" * 8_185}, False),
        ({"a": "é" * 4_092}, True),
        ({"a": "é" * 4_093}, False),
        ({"a": 1, "b": "x" * 8_178}, True),
        ({"a": 1, "b": "x" * 8_179}, False),
    ],
    ids=[
        "8192 bytes",
        "8193 bytes",
        "8192 bytes of two",
        "8194 bytes of two",
        "two fields",
        "too much in two fields",
    ],
)
async def test_a_context_has_8192_bytes_at_most(context: dict[str, Any], is_taken: bool) -> None:
    chat = connect("http://127.0.0.1:1")
    chat.set_context({"before": 1})
    if is_taken:
        chat.set_context(context)
        assert chat._context == context
    else:
        with pytest.raises(ValueError, match="a context has at most 8192 bytes"):
            chat.set_context(context)
        assert chat._context == {"before": 1}
    await chat.aclose()


@pytest.mark.parametrize(
    ("context", "error"),
    [({"a": float("nan")}, ValueError), ({"a": {1}}, TypeError), ({"a": b""}, TypeError)],
)
async def test_a_context_that_is_no_json_is_refused(context: dict[str, Any], error: type[Exception]) -> None:
    chat = connect("http://127.0.0.1:1")
    with pytest.raises(error):
        chat.set_context(context)
    await chat.aclose()


async def test_a_context_stays_as_it_was_said() -> None:
    shown: dict[str, Any] = {"a": [1]}
    chat = connect("http://127.0.0.1:1")
    chat.set_context(shown)
    shown["a"].append(2)
    assert chat._context == {"a": [1]}
    chat.set_context(None)
    assert chat._context is None
    await chat.aclose()
