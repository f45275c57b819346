"""Over AG-UI a path on this server becomes an address, wherever a block or a result has one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.agui.links import with_addresses
from server.protocol import events as ev
from server.protocol.blocks import Card, Choice, Image, Row, Rows

SERVER = "https://loopwire.example"
BLOB = "/v1/sessions/ses_1/blobs/blb_1"
CARD = Card(
    "iPhone", reference="/LP-1", link="/items/7", image="//cdn.example/a.png", actions=(Choice("/a", "/b"),)
)
ROWS = Rows("Itens", (Row("a", link="/items/7", image="/static/a.png"), Row("b", link="https://x.example/b")))
IMAGE = Image("/static/a.png", "", 1, 1)


def paths_in(value: Any) -> set[str]:
    """Return all texts that begin like a path."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return set().union(*map(paths_in, inner), set())
    return {value} if isinstance(value, str) and value.startswith("/") else set()


def test_paths_of_blocks_become_addresses_and_nothing_else_does() -> None:
    for block, kept in ((CARD, {"/LP-1", "//cdn.example/a.png", "/a", "/b"}), (ROWS, set()), (IMAGE, set())):
        content = block.to_content()
        event = with_addresses(ev.activity("blk_1", "block", content), SERVER)
        assert paths_in(event) == kept
        stored = {"id": "blk_1", "role": "activity", "activityType": "block", "content": content}
        snapshot = with_addresses(ev.messages_snapshot([stored]), SERVER)
        assert snapshot["messages"][0]["content"] == event["content"]
        patch = [{"op": "add", "path": f"/{key}", "value": value} for key, value in content.items()]
        delta = with_addresses(
            ev.activity_delta("blk_1", "block", [*patch, {"op": "remove", "path": "/a"}]), SERVER
        )
        assert {each["path"][1:]: each["value"] for each in delta["patch"][:-1]} == event["content"]
    assert (
        with_addresses(ev.activity("blk_1", "block", CARD.to_content()), SERVER)["content"]["link"]
        == f"{SERVER}/items/7"
    )


def test_a_reference_to_a_large_result_becomes_an_address() -> None:
    about = json.dumps({"reference": BLOB, "bytes": 70000})
    event = with_addresses(ev.tool_result("res_1", "cal_1", about), SERVER)
    assert json.loads(event["content"]) == {"reference": SERVER + BLOB, "bytes": 70000}
    stored = {"id": "res_1", "role": "tool", "toolCallId": "cal_1", "content": about}
    assert (
        with_addresses(ev.messages_snapshot([stored]), SERVER)["messages"][0]["content"] == event["content"]
    )


def test_paths_in_the_answer_of_a_person_stay_as_they_are() -> None:
    asked = {**CARD.to_content("answered"), "answer": {"link": "/home/me", "image": "/a", "source": ["/b"]}}
    event = with_addresses(ev.activity("blk_1", "block", asked), SERVER)
    assert event["content"]["link"] == f"{SERVER}/items/7"
    assert event["content"]["answer"] == asked["answer"]


@pytest.mark.parametrize(
    "event",
    [
        ev.activity_delta(
            "blk_1", "block", [{"op": "add", "path": "/answer", "value": {"link": "/home/me"}}]
        ),
        ev.activity_delta("blk_1", "block", [{"op": "add", "path": "/answer/link", "value": "/home/me"}]),
        ev.tool_result("res_1", "cal_1", '{"reference": "/v1/ and no JSON'),
        ev.tool_result("res_1", "cal_1", '{"reference": "/no JSON'),
        ev.tool_result("res_1", "cal_1", '{"reference": "/é"}'),
        ev.tool_result("res_1", "cal_1", '{"link": "/items/7"}'),
        ev.text_content("msg_1", "/items/7"),
        ev.state_snapshot({"link": "/items/7"}),
        ev.activity("hnd_1", "handoff", {"from": "/a", "to": "/b"}),
        ev.messages_snapshot([{"id": "m", "role": "user", "content": "/items/7"}]),
    ],
)
def test_an_event_without_paths_stays_the_same_object(event: dict[str, Any]) -> None:
    assert with_addresses(event, SERVER) is event
