"""The types of parts are names in the database: what was stored under one is read under the same."""

from __future__ import annotations

from server.protocol.content_parts import (
    ANSWER,
    CONTEXT,
    EXPIRED,
    IMAGE,
    INPUT,
    OPERATOR,
    OPERATOR_TEXT,
    OPERATOR_WHISPER,
    RESUME,
    SWITCH,
    TEXT,
    VISITOR_PARTS,
)


def test_a_part_that_is_stored_is_known_by_its_name() -> None:
    assert (TEXT, ANSWER, IMAGE, CONTEXT) == ("text", "answer", "image", "context")
    assert (INPUT, SWITCH, RESUME, EXPIRED) == ("input", "switch", "resume", "expired")
    assert (OPERATOR_TEXT, OPERATOR_WHISPER, OPERATOR) == ("operator_text", "operator_whisper", "operator")


def test_the_parts_of_a_visitor_are_none_of_the_server() -> None:
    assert {"text", "answer", "image", "context"} == VISITOR_PARTS
