"""Frames wait for their acks: messages in their order, others at once, and each is settled once."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from loopwire.errors import Closed, Refused
from loopwire.outbox import AGAIN_S, MOST_WAITING, Outbox


def message(id: str, text: str = "x") -> dict[str, Any]:
    return {"type": "message", "id": id, "content": [{"type": "text", "text": text}]}


def due(outbox: Outbox) -> list[str]:
    return [each["id"] for each in outbox.take_due()]


async def test_a_message_goes_after_the_ack_of_the_one_before_and_others_at_once() -> None:
    outbox = Outbox()
    for each in (message("m1"), message("m2"), {"type": "cancel", "id": "c1"}, message("m3")):
        outbox.keep(each)
    assert due(outbox) == ["m1", "c1"]
    assert due(outbox) == []
    outbox.settle({"type": "ack", "id": "m1"})
    assert due(outbox) == ["m2"]


async def test_after_a_reconnect_all_that_was_not_answered_goes_again() -> None:
    outbox = Outbox()
    waiting = [outbox.keep(each) for each in (message("m1"), {"type": "cancel", "id": "c1"})]
    due(outbox)
    outbox.settle({"type": "ack", "id": "c1"})
    outbox.release()
    assert due(outbox) == ["m1"]
    assert (await waiting[1])["id"] == "c1"
    assert not waiting[0].done()


async def test_a_message_refused_for_now_holds_back_the_messages_behind_it() -> None:
    outbox = Outbox()
    first = outbox.keep(message("m1"))
    outbox.keep(message("m2"))
    due(outbox)
    busy = {"type": "error", "id": "m1", "code": "busy", "message": "", "retry": True}
    assert outbox.settle(busy) == AGAIN_S
    assert outbox.settle({**busy, "retry_after": 0.25}) == 0.25
    assert due(outbox) == []
    outbox.release("m1")
    assert due(outbox) == ["m1"]
    assert not first.done()


async def test_a_message_refused_for_good_raises_and_the_next_one_is_sent() -> None:
    outbox = Outbox()
    first = outbox.keep(message("m1"))
    outbox.keep(message("m2"))
    due(outbox)
    outbox.settle({"type": "error", "id": "m1", "code": "empty", "message": "Empty.", "retry": False})
    with pytest.raises(Refused, match="Empty") as refused:
        await first
    assert refused.value.code == "empty"
    assert due(outbox) == ["m2"]


async def test_the_same_frame_is_kept_once_and_another_one_of_its_id_is_refused() -> None:
    outbox = Outbox()
    assert outbox.keep(message("m1")) is outbox.keep(message("m1"))
    with pytest.raises(Refused, match="This id was used for something else") as refused:
        outbox.keep(message("m1", "y"))
    assert refused.value.code == "id_reused"
    assert len(outbox) == 1


async def test_an_answer_to_nothing_changes_nothing() -> None:
    outbox = Outbox()
    outbox.keep(message("m1"))
    for answer in (
        {"type": "ack"},
        {"type": "ack", "id": "m9"},
        {"type": "error", "id": 7, "code": "x"},
        {"type": "ack", "id": []},
    ):
        assert outbox.settle(answer) is None
    assert len(outbox) == 1


async def test_a_full_outbox_takes_no_more() -> None:
    outbox = Outbox()
    for number in range(MOST_WAITING):
        outbox.keep({"type": "cancel", "id": f"c{number}"})
    with pytest.raises(Refused, match="10000 frames wait for the server") as refused:
        outbox.keep(message("m1"))
    assert (refused.value.code, refused.value.retry) == ("outbox_full", True)


async def test_a_frame_is_released_alone_and_one_that_is_settled_not_at_all() -> None:
    outbox = Outbox()
    for id in ("c1", "c2"):
        outbox.keep({"type": "cancel", "id": id})
    assert due(outbox) == ["c1", "c2"]
    outbox.release("c9")
    outbox.release("c2")
    assert due(outbox) == ["c2"]


async def test_an_ack_settles_its_frame_whatever_else_it_says() -> None:
    outbox = Outbox()
    kept = outbox.keep(message("m1"))
    answer = {"type": "ack", "id": "m1", "retry": True}
    assert outbox.settle(answer) is None
    assert await kept == answer


async def test_the_failure_of_a_frame_that_nobody_awaits_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outbox = Outbox()
    outbox.keep(message("m1"))
    outbox.keep(message("m2")).cancel()
    outbox.fail(Closed("closed"))
    await asyncio.sleep(0)
    gc.collect()
    assert caplog.records == []


async def test_fail_raises_the_error_in_all_waiting_callers() -> None:
    outbox = Outbox()
    waiting = [outbox.keep(message(f"m{number}")) for number in range(3)]
    outbox.fail(Closed("closed"))
    for each in waiting:
        with pytest.raises(Closed):
            await each
    assert len(outbox) == 0


async def test_a_frame_that_nobody_waits_for_any_more_is_settled_all_the_same() -> None:
    outbox = Outbox()
    for number, answer in enumerate(({"type": "ack"}, {"type": "error", "code": "empty", "message": ""})):
        outbox.keep(message(f"m{number}")).cancel()
        outbox.settle({**answer, "id": f"m{number}"})
    outbox.keep(message("m9")).cancel()
    outbox.fail(Closed("closed"))
    assert len(outbox) == 0


async def test_a_frame_whose_user_changed_waits_for_the_next_welcome() -> None:
    outbox = Outbox()
    kept = outbox.keep(message("m1"))
    due(outbox)
    assert outbox.settle({"type": "error", "id": "m1", "code": "unauthorized", "message": ""}) == AGAIN_S
    assert not kept.done()
    assert AGAIN_S == 1.0
