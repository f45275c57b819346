"""Text is made plain where it enters: in a client's frame, in a body, and in the pieces of a model."""

from __future__ import annotations

import itertools
import json
import logging
from typing import Any

import pytest

from server.api.sessions import SessionChange
from server.log import JsonFormatter
from server.openai_clients.body import ResponseBody
from server.protocol.commands import parse_command
from server.protocol.plain_text import LONGEST, PlainPieces, has_control, plain_json, plain_text, plain_value

ALL = "".join(map(chr, range(0xA1)))

TEXTS = [
    ("a\x1b[31mb\x1b]0;c\x07", "a[31mb]0;c"),
    ("a\r\nb\rc\n\rd\r\r\ne", "a\nb\nc\n\nd\n\ne"),
    ("a\x0bb\x0cc\x85d", "a\nb\nc\nd"),
    ("a\r\x00\nb", "a\n\nb"),
    ("\na", "\na"),
    ("\x00\x08\x7f\x80\x9b\x9f", ""),
    ("a\tb\nc", "a\tb\nc"),
    (
        "\u00a0e\u0301 \u200d\u202e\u2028\ufeff 👩\u200d👧 مرحبا",
        "\u00a0e\u0301 \u200d\u202e\u2028\ufeff 👩\u200d👧 مرحبا",
    ),
    ("half \ud83d", "half \ud83d"),
    ("", ""),
]


@pytest.mark.parametrize(("given", "plain"), TEXTS, ids=repr)
def test_a_text_loses_its_control_characters_and_nothing_else(given: str, plain: str) -> None:
    assert plain_text(given) == plain
    assert plain_text(plain) == plain


def test_of_all_control_characters_only_tab_and_newline_are_left() -> None:
    left = {each for each in plain_text(ALL) if not each.isprintable()}
    assert left == {"\t", "\n", "\u00a0"}
    assert "".join(each for each in plain_text(ALL) if each.isprintable()) == "".join(
        each for each in ALL if each.isprintable()
    )


@pytest.mark.parametrize(("given", "plain"), TEXTS, ids=repr)
def test_no_border_between_pieces_matters(given: str, plain: str) -> None:
    for borders in itertools.combinations(range(len(given) + 1), 2):
        first, second = borders
        text = PlainPieces()
        pieces = (given[:first], "", given[first:second], given[second:])
        assert "".join(map(text.feed, pieces)) == plain, borders


def test_a_character_that_draws_nothing_is_no_control_character_but_a_newline_is() -> None:
    assert [each for each in ALL if has_control(f"a{each}b")] == [
        *map(chr, range(32)),
        *map(chr, range(127, 160)),
    ]
    assert not has_control("\u00a0\u200d\u2028\ufeff") and not has_control("")


def test_plain_json_is_the_same_object() -> None:
    value = {"a": [1, 2.5, None, True, "x"]}
    assert plain_value({"\x1ba": [*value["a"], "\x07"]}) == {"a": [*value["a"], ""]}
    assert plain_json('{"a": "\\u001b[1m\\r\\n"}') == '{"a": "[1m\\n"}'
    assert plain_json('{"a": "\x9bé"}') == '{"a": "é"}'
    for same in ('{"a":  "\\n\\u00e9"}', '{ "a": 1 }', "no json \x1b", "[" * 100_000 + "\\", ""):
        assert plain_json(same) == same


def test_a_text_of_a_request_that_no_field_takes_stays_as_it_came() -> None:
    long, longest = "\r" * (LONGEST + 1), "\r" * LONGEST
    assert plain_value({"a": [long, longest]}, LONGEST) == {"a": [long, "\n" * LONGEST]}
    for given, kept in ((long, long), (longest, "\n" * LONGEST)):
        body = ResponseBody.model_validate_json(json.dumps({"model": "m", "input": given}))
        assert body.input == kept


SAID = "a\x1b[1m\u009b\x07b"
FRAMES: list[dict[str, Any]] = [
    {"type": "message", "id": "c", "content": [{"type": "text", "text": SAID}]},
    {
        "type": "message",
        "id": "c",
        "content": [{"type": "answer", "block_id": "b", "name": SAID, "value": [SAID], "label": SAID}],
        "tools": [{"name": "t", "description": SAID, "parameters": {SAID: SAID}}],
    },
    {
        "type": "resume",
        "id": "c",
        "entries": [{"interrupt_id": "i", "status": "resolved", "payload": {SAID: [{"b": SAID}]}}],
    },
    {"type": "tool_result", "id": "c", "tool_call_id": "d", "content": SAID},
]


@pytest.mark.parametrize("frame", FRAMES, ids=["text", "click", "answers", "result"])
def test_texts_in_a_frame_of_a_client_are_read_plain(frame: dict[str, Any]) -> None:
    command = parse_command(json.dumps(frame))
    assert json.dumps(command.model_dump(exclude_unset=True)) == json.dumps(plain_value(frame))
    assert "\\u001b" in json.dumps(frame) and "\\u001b" not in command.model_dump_json()


def test_a_body_is_read_plain() -> None:
    assert SessionChange.model_validate_json(json.dumps({"title": SAID})).title == "a[1mb"


def test_a_line_of_the_log_has_nothing_that_a_terminal_acts_on() -> None:
    record = logging.LogRecord("x", logging.INFO, "", 0, "%s", (ALL + "\u202e\u2066\u2028",), None)
    line = JsonFormatter().format(record)
    assert line.isprintable() or line.replace("\u00a0", "").isprintable()
    assert json.loads(line)["text"] == ALL + "\u202e\u2066\u2028"
