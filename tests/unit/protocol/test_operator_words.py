"""A note for the agents is in what a model reads, and in no event."""

from __future__ import annotations

from pathlib import Path

from server.protocol.operators import (
    MOST_NAME,
    PARTS,
    change_part,
    joins,
    operator_events,
    said_part,
    whisper_part,
    words_for_model,
)


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


def test_the_model_reads_who_wrote_where_that_is_known() -> None:
    assert words_for_model(
        [said_part("Bom dia", None), {"type": "text", "text": "x"}, said_part("Sim", "Ana")]
    ) == (
        "[This was written by a person of the team, not by an agent.]\nBom dia\n"
        "[This was written by a person of the team, Ana, not by an agent.]\nSim"
    )
    assert words_for_model([change_part("joined", "Ana")]) == ""


def test_a_visitor_sees_who_joins_leaves_and_writes_and_when() -> None:
    joined, said = (
        operator_events([change_part("joined", "Ana")], "msg_1", 7),
        operator_events([said_part("Bom dia", "Ana")], "msg_2", 8),
    )
    (activity,) = joined
    assert (activity["messageId"], activity["activityType"], activity["timestamp"]) == (
        "msg_1",
        "operator",
        7,
    )
    assert activity["content"] == {"status": "joined", "name": "Ana"}
    start, content, end = said
    assert (start["role"], start["name"], start["timestamp"]) == ("assistant", "Ana", 8)
    assert start["metadata"]["loopwire"]["operator"] is True
    assert content["delta"] == "Bom dia"
    assert {each["messageId"] for each in said} == {"msg_2"}
    assert end["type"] == "TEXT_MESSAGE_END"


def test_only_an_operator_who_joins_closes_waiting_calls() -> None:
    assert joins([said_part("a", None), change_part("joined", None)])
    assert not joins(
        [change_part("left", "Ana"), said_part("joined", "Ana"), {"type": "text", "status": "joined"}]
    )


def test_all_that_an_operator_does_in_a_run_is_told_in_order() -> None:
    told = operator_events([change_part("joined", "Ana"), said_part("Bom dia", "Ana")], "msg_1", 1)
    assert [each["type"] for each in told] == [
        "ACTIVITY_SNAPSHOT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
    ]


def test_a_name_has_as_many_characters_as_operators_are_told() -> None:
    told = (Path(__file__).parents[3] / "docs/operators.md").read_text(encoding="utf-8")
    assert f"| name | 1 to {MOST_NAME} characters, read by visitors." in told
    assert f"up to {MOST_NAME} characters." in told
