"""The text of a tool's result for the model, and the hash that recognises a repeated call."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from server.agents.run.tool_calls import MODEL_OUTPUT_BYTES, args_hash, as_json, model_text


@dataclass
class Made:
    """A result that is a dataclass."""

    a: tuple[int, ...] = (1, 2)


class Told(BaseModel):
    """A result that is a model."""

    b: str = "x"


@pytest.mark.parametrize(
    ("value", "plain"),
    [(Made(), {"a": [1, 2]}), (Told(), {"b": "x"}), ({"c": 1}, {"c": 1}), (Made, Made), (None, None)],
)
def test_a_result_is_plain_json(value: Any, plain: Any) -> None:
    assert as_json(value) == plain


def test_a_model_reads_thirty_two_kilobytes_and_of_more_the_first_half() -> None:
    fits = "é" * ((MODEL_OUTPUT_BYTES - 2) // 2)
    assert model_text(fits) == f'"{fits}"'
    cut = json.loads(model_text(fits + "x"))
    assert (cut["cut"], cut["bytes"]) == (True, MODEL_OUTPUT_BYTES + 1)
    assert cut["head"] == '"' + "é" * ((MODEL_OUTPUT_BYTES // 2 - 1) // 2)
    assert MODEL_OUTPUT_BYTES == 32_768


def test_a_model_reads_texts_as_they_are_and_what_is_no_json_by_its_words() -> None:
    assert model_text({"a": "é", "half": "\ud83d"}) == '{"a": "é", "half": "\ufffd"}'
    assert model_text({"kind": Made}) == json.dumps({"kind": str(Made)})


def test_arguments_hash_alike_whatever_their_order_and_spaces() -> None:
    assert args_hash('{"a": 1, "b": [2]}') == args_hash('{"b":[2],"a":1}')
    assert args_hash("") == args_hash("{}") != args_hash('{"a": 1}')
    assert args_hash("{") != args_hash("[")
    assert len(args_hash('{"a": "\\ud83d"}')) == 32
