"""A note for the agents is in what a model reads, and in no event."""

from __future__ import annotations

from server.protocol.operators import PARTS, operator_events, said_part, whisper_part, words_for_model


def test_a_whisper_is_read_by_the_model_alone() -> None:
    part = whisper_part("Offer ten euros more.", "Ana")
    assert part["type"] in PARTS, "no client may send one"
    assert operator_events([part], "msg_1", 1) == []
    read = words_for_model([part])
    assert "Offer ten euros more." in read
    assert "person of the team, Ana" in read
    assert "does not see it" in read


def test_a_message_is_read_by_both() -> None:
    part = said_part("Bom dia", None)
    assert "Bom dia" in words_for_model([part])
    assert [each["type"] for each in operator_events([part], "msg_1", 1)] == [
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
    ]
