"""Plain values as the JSON of a column, whatever stands in their texts."""

from __future__ import annotations

from typing import Any

import pytest

from server.protocol.codec import decode_json, encode_json, mend_json, read_json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, 2.5, None, True], "b": "é"}, '{"a":[1,2.5,null,true],"b":"é"}'),
        ("x", '"x"'),
        ({"a": "x\ud83d"}, '{"a": "x\\ud83d"}'),
    ],
    ids=["plain", "text", "half a character"],
)
def test_a_value_is_read_as_it_was_written(value: Any, text: str) -> None:
    assert encode_json(value) == text
    assert decode_json(text) == value
    assert decode_json(text.encode()) == value


def test_malformed_json_is_refused() -> None:
    for text in ("{", b"[1,]", ""):
        with pytest.raises(ValueError):
            decode_json(text)


def test_json_too_deep_to_be_read_is_refused_as_what_is_none() -> None:
    for text in ("[" * 30_000, '{"a":' * 30_000, "[" * 30_000 + "]" * 30_000, "{", "x"):
        with pytest.raises(ValueError):
            read_json(text)
        with pytest.raises(ValueError):
            read_json(text.encode())
        assert mend_json(f"{text}\\ud83d") == f"{text}\\ud83d"
    assert read_json('{"a": [1]}') == {"a": [1]}
