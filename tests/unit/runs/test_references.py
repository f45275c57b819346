"""The bound on content in the log, and what stands in the place of what is larger."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.protocol import events as ev
from server.protocol.shown_state import MOST_BYTES
from server.runs.conversation.references import cut, is_large

KIB = 1024


def result(content: str) -> dict[str, Any]:
    return ev.tool_result("res_1", "cal_1", content)


def block(**content: Any) -> dict[str, Any]:
    return ev.activity("blk_1", "block", {"kind": "table", **content})


@pytest.mark.parametrize("letter", ["x", "é", "€", "😀"])
def test_a_result_is_large_beyond_64_kib_of_utf_8(letter: str) -> None:
    fits = letter * (64 * KIB // len(letter.encode()))
    rest = "x" * (64 * KIB - len(fits.encode()))
    assert not is_large(result(fits + rest))
    assert is_large(result(fits + rest + "x"))


def test_a_block_is_as_large_as_its_json() -> None:
    bare = len(json.dumps(block(text="")["content"], separators=(",", ":")))
    assert not is_large(block(text="x" * (MOST_BYTES - bare)))
    assert is_large(block(text="x" * (MOST_BYTES - bare + 1)))


def test_texts_and_handoffs_are_never_cut() -> None:
    long = "x" * 2 * MOST_BYTES
    assert not is_large(ev.text_content("msg_1", long))
    assert not is_large(ev.activity("act_1", "handoff", {"to": long}))


def test_a_cut_result_says_how_large_it_was() -> None:
    told = cut(result("é" * 50_000))
    assert json.loads(told["content"]) == {"bytes": 100_000, "media_type": "application/json"}
    assert (told["type"], told["toolCallId"], told["messageId"]) == ("TOOL_CALL_RESULT", "cal_1", "res_1")


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ({"legend": "What there is", "title": "Other"}, "What there is"),
        ({"title": "Other"}, "Other"),
        ({"legend": ""}, "application/json"),
        ({"legend": "n" * 300}, "n" * 200),
    ],
)
def test_a_cut_block_is_a_list_of_one_row_with_its_name_and_size(names: dict[str, Any], shown: str) -> None:
    event = block(**names, text="x" * MOST_BYTES)
    size = len(json.dumps(event["content"], separators=(",", ":")))
    told = cut(event)["content"]
    assert (told["bytes"], told["media_type"]) == (size, "application/json")
    assert (told["kind"], told["legend"], told["status"]) == ("list", shown, "closed")
    assert told["rows"] == [{"title": shown, "note": "65 KiB"}]
    assert "reference" not in told


def test_a_cut_block_stays_open_where_it_was() -> None:
    assert cut(block(status="open", text="x" * MOST_BYTES))["content"]["status"] == "open"
