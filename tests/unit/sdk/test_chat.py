"""A conversation whose server a test speaks for: losses, garbage, close codes, and leaving in the middle."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Sequence
from typing import Any

import pytest

from loopwire import Ask, Closed, Garbled, Refused, Text, Tool, Unreachable, connect
from server.protocol import events as ev
from tests.parts.ports import free_port
from tests.parts.sampled import later
from tests.parts.wait import until_async
from tests.unit.sdk.socket_server import (
    SESSION,
    Caller,
    Json,
    ack,
    answer,
    numbered,
    snapshot,
    socket_server,
    welcome,
)

ANSWER = answer()


def some(cases: Sequence[Any]) -> list[Any]:
    """Return each third case; `make conformance` tries all."""
    return [each if place % 3 == 0 else later(each) for place, each in enumerate(cases)]


async def answering(caller: Caller) -> None:
    """Answer each message with a run of its own."""
    await caller.greet()
    seq = 0
    while True:
        frame = await caller.hear()
        if frame["type"] == "message":
            run_id = f"run_{frame['id']}"
            events = answer(run_id, client_id=frame["id"])
            await caller.say(ack(frame, run_id), *numbered(events, seq + 1))
            seq += len(events)
        else:
            await caller.say({"type": "ack", "id": frame["id"]})


async def words_of(run: Any) -> str:
    return "".join([part.delta async for part in run if isinstance(part, Text)])


async def test_a_message_is_answered() -> None:
    async with socket_server(answering) as server, server.chat() as chat:
        run = await chat.send("Hi", id="m1")
        assert (run.id, run.message_id) == ("run_m1", "usr_run_m1")
        assert await words_of(run) == "Hello there."
        result = await run
        assert (result.status, result.outcome, result.text) == ("finished", "success", "Hello there.")
        assert await words_of(run) == "Hello there."
        assert [each["role"] for each in chat.messages] == ["user", "assistant"]
        assert chat.session == SESSION


@pytest.mark.parametrize("place", some(range(len(ANSWER) + 1)))
async def test_a_socket_that_is_cut_after_any_event_costs_nothing(place: int) -> None:
    """The next one has the rest as a batch, which begins with what was seen already."""

    async def first(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(ANSWER[:place]))
        await caller.cut()

    async def second(caller: Caller) -> None:
        await caller.say(welcome(len(ANSWER), resumed=True, token="t2"))
        await caller.say({"batch": numbered(ANSWER)}, {"type": "queue", "items": []})
        while True:
            await caller.say(ack(await caller.hear(), dup=True))

    async with socket_server(first, second) as server, server.chat() as chat:
        run = await chat.send("Hi", id="m1")
        assert await words_of(run) == "Hello there."
        assert (await run).text == "Hello there."
        hello = (await anext_caller(server, 1)).hello
        assert hello["resume_token"] == "t1"
        assert 0 <= hello["last_seq"] <= place
        assert server.tickets == 1


async def anext_caller(server: Any, number: int) -> Caller:
    """Wait for a connection that has said hello."""
    await until_async(lambda: len(server.callers) > number and server.callers[number].hello)
    found: Caller = server.callers[number]
    return found


async def test_an_unacknowledged_message_is_sent_again_under_its_id() -> None:
    async def deaf(caller: Caller) -> None:
        await caller.greet()
        await caller.hear()
        await caller.cut()

    async with socket_server(deaf, answering) as server, server.chat() as chat:
        assert await words_of(await chat.send("Hi", id="m1")) == "Hello there."
        assert len(server.callers) == 2


async def test_a_thousand_messages_that_were_sent_offline_are_stored_once_each_and_in_order() -> None:
    heard: list[str] = []
    online = asyncio.Event()

    async def closed(caller: Caller) -> None:
        await caller.greet()
        await caller.cut()

    async def storing(caller: Caller) -> None:
        await online.wait()
        await caller.greet()
        while True:
            frame = await caller.hear()
            if len(heard) % 100 == 50 and f"busy {frame['id']}" not in refused:
                refused.add(f"busy {frame['id']}")
                busy = {"code": "busy", "message": "", "retry": True, "retry_after": 0.001}
                await caller.say({"type": "error", "id": frame["id"], **busy})
                continue
            heard.append(frame["id"])
            await caller.say(ack(frame, f"run_{frame['id']}"))

    refused: set[str] = set()
    async with socket_server(closed, storing) as server, server.chat() as chat:
        await until_async(lambda: not chat.is_connected)
        sends = [asyncio.ensure_future(chat.send("Hi", id=f"m{number}")) for number in range(1000)]
        await until_async(lambda: len(chat._session._outbox) == len(sends))
        online.set()
        runs = await asyncio.gather(*sends)
    assert [each.id for each in runs] == [f"run_m{number}" for number in range(1000)]
    assert heard == [f"m{number}" for number in range(1000)]
    assert len(refused) == 10


async def test_leaving_a_loop_or_a_wait_stops_nothing() -> None:
    go = asyncio.Event()
    heard: list[str] = []

    async def slow(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(ANSWER[:6]))
        await go.wait()
        await caller.say(*numbered(ANSWER[6:], 7))
        while True:
            heard.append((await caller.hear())["type"])

    async with socket_server(slow) as server, server.chat() as chat:
        run = await chat.send("Hi")
        async for part in run:
            assert part == Text("Hello ", "msg_run_1")
            break
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await run
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                async for _ in run:
                    pass
        go.set()
        assert (await run).text == "Hello there."
        assert heard == []


async def test_a_send_that_was_left_is_still_made() -> None:
    online = asyncio.Event()

    async def late(caller: Caller) -> None:
        await caller.greet()
        await online.wait()
        await caller.say(ack(await caller.hear()), *numbered(ANSWER))
        await caller.stay()

    async with socket_server(late) as server, server.chat() as chat:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await chat.send("Hi", id="m1")
        online.set()
        assert await words_of(await chat.send("Hi", id="m1")) == "Hello there."


async def test_a_gap_that_is_too_long_is_filled_by_a_snapshot_and_each_word_comes_once() -> None:
    async def first(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(ANSWER[:6]))
        await caller.cut()

    async def second(caller: Caller) -> None:
        await caller.say(welcome(30, resumed=False), snapshot(30, ANSWER), {"type": "queue", "items": []})
        await caller.stay()

    async with socket_server(first, second) as server, server.chat() as chat:
        run = await chat.send("Hi")
        assert await words_of(run) == "Hello there."
        assert (await run).outcome == "success"


GARBAGE: list[str | bytes] = [
    "no json",
    b"\x00\xff",
    "[]",
    "{}",
    '{"type": 1}',
    '{"seq": 1}',
    '{"seq": "x", "event": {"type": "RUN_STARTED"}}',
    '{"seq": 1, "event": {}}',
    '{"seq": 1, "event": {"type": "RUN_STARTED"}}',
    '{"seq": 1, "event": {"type": "RUN_FINISHED", "runId": "x", "outcome": 7}}',
    '{"seq": 1, "event": {"type": "MESSAGES_SNAPSHOT", "messages": [3]}}',
    '{"seq": 9, "event": {"type": "RUN_STARTED", "runId": "x"}}',
    '{"batch": 3}',
    '{"type": "queue", "items": [null]}',
    '{"batch": [3]}',
    '{"type": "snapshot", "seq": 3, "epoch": "a.1"}',
    '{"type": "snapshot", "seq": 3, "epoch": "a.1", "events": [{"type": "STATE_DELTA"}]}',
    '{"type": "welcome"}',
    '{"type": "queue", "items": 4}',
    "[" * 100_000,
]


@pytest.mark.parametrize("garbage", some(GARBAGE), ids=lambda garbage: str(garbage)[:40])
async def test_a_server_that_answers_garbage_is_left_and_asked_again(garbage: str | bytes) -> None:
    async def broken(caller: Caller) -> None:
        await caller.greet()
        await caller.say(garbage)
        await caller.stay()

    async with socket_server(broken, answering) as server, server.chat() as chat:
        assert await words_of(await chat.send("Hi")) == "Hello there."
        assert len(server.callers) == 2


@pytest.mark.parametrize(
    "garbage", ['{"type": "ack", "id": "m1"}', '{"type": "ack", "id": "m1", "run_id": 4}']
)
async def test_an_ack_without_its_run_is_told_to_the_waiting_caller(garbage: str) -> None:
    async def broken(caller: Caller) -> None:
        await caller.greet()
        await caller.hear()
        await caller.say(garbage)
        await caller.stay()

    async with socket_server(broken) as server, server.chat() as chat:
        with pytest.raises(Exception, match="run_id"):
            await chat.send("Hi", id="m1")


@pytest.mark.parametrize("code", [4403, 4404, 4410, 1000])
async def test_a_final_code_ends_everything_that_waits(code: int) -> None:
    async def leaving(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()))
        await caller.hear()
        await caller.say({"type": "error", "code": "forbidden", "message": "Not here.", "retry": False})
        await caller.socket.close(code, "forbidden")

    async with socket_server(leaving) as server, server.chat() as chat:
        run = await chat.send("Hi")
        waiting = [asyncio.ensure_future(each) for each in (chat.send("Ho"), words_of(run), _wait(run))]
        for each in waiting:
            with pytest.raises(Closed) as closed:
                await each
            assert (closed.value.code, closed.value.message) == ("forbidden", "Not here.")
            assert closed.value.close_code == code
        with pytest.raises(Closed):
            await chat.send("again")
        assert len(server.callers) == 1


async def _wait(run: Any) -> Any:
    return await run


async def test_a_token_that_is_no_longer_good_is_replaced_by_a_new_ticket() -> None:
    async def first(caller: Caller) -> None:
        await caller.greet()
        await caller.cut()

    async def refusing(caller: Caller) -> None:
        await caller.socket.close(4401, "unauthorized")

    async with socket_server(first, refusing, answering) as server, server.chat() as chat:
        assert await words_of(await chat.send("Hi")) == "Hello there."
        assert [sorted({"ticket", "resume_token"} & set(each.hello)) for each in server.callers] == [
            ["ticket"],
            ["resume_token"],
            ["ticket"],
        ]
        assert server.tickets == 2


async def test_a_server_that_is_not_there_is_told_in_time() -> None:
    with pytest.raises(Unreachable) as unreachable:
        async with connect(f"http://127.0.0.1:{free_port()}", open_timeout=0.5):
            raise AssertionError
    assert unreachable.value.retry


async def test_a_ticket_that_cannot_be_made_is_told_with_its_cause() -> None:
    def mint(session: str | None) -> Json:
        raise ZeroDivisionError

    with pytest.raises(Closed) as closed:
        async with connect("http://127.0.0.1:1", token=mint):
            raise AssertionError
    assert closed.value.code == "no_ticket"
    cause = closed.value.__cause__
    assert cause is not None and isinstance(cause.__cause__, ZeroDivisionError)


async def test_closing_ends_all_that_waits_and_leaves_no_task() -> None:
    async def silent(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()))
        await caller.stay()

    before = asyncio.all_tasks()
    async with socket_server(silent) as server:
        chat = server.chat()
        async with chat:
            run = await chat.send("Hi")
            events = chat.events()
            await anext(events)
            waiting = [asyncio.ensure_future(each) for each in (chat.send("Ho"), words_of(run), _wait(run))]
            await until_async(lambda: len(server.callers) == 2)
        for each in waiting:
            with pytest.raises(Closed):
                await each
        with pytest.raises(Closed):
            await chat.send("too late")
        await chat.aclose()
        await until_async(lambda: all(each.socket.close_code for each in server.callers))
    gc.collect()
    await until_async(lambda: asyncio.all_tasks() == before)


async def test_a_chat_that_is_cancelled_while_it_opens_leaves_no_task() -> None:
    async def silent(caller: Caller) -> None:
        await caller.stay()

    before = asyncio.all_tasks()
    async with socket_server(silent) as server:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1), server.chat():
                raise AssertionError
    await until_async(lambda: asyncio.all_tasks() == before)


async def test_an_answer_goes_on_with_the_run_that_asked() -> None:
    asked = ev.interrupt("int_1", "cal_1", "Sell?", {"type": "object"}, expires_at=0, kind="approval")
    waits = ev.run_finished(SESSION, "run_1", {"type": "interrupt", "interrupts": [asked]})
    call = [ev.tool_start("cal_1", "sell"), ev.tool_args("cal_1", "{}"), ev.tool_end("cal_1")]
    first = [*ANSWER[:-1], *call, waits]
    second = [
        ev.run_started(SESSION, "run_2", parent_run_id="run_1"),
        ev.tool_result("res_1", "cal_1", "{}"),
        ev.text_start("msg_2", "assistant"),
        ev.text_content("msg_2", "Sold."),
        ev.text_end("msg_2"),
        ev.run_finished(SESSION, "run_2"),
    ]

    async def asking(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(first))
        frame = await caller.hear()
        assert frame["entries"] == [
            {"interrupt_id": "int_1", "status": "resolved", "payload": {"approved": True}}
        ]
        await caller.say(ack(frame, "run_2"), *numbered(second, len(first) + 1))
        late = await caller.hear()
        await caller.say(
            {"type": "error", "id": late["id"], "code": "answered", "message": "", "retry": False}
        )
        await caller.stay()

    async with socket_server(asking) as server, server.chat() as chat:
        run = await chat.send("Hi")
        parts = []
        async for part in run:
            parts.append(part)
            if isinstance(part, Ask):
                assert (await run).outcome == "interrupt"
                assert not (await chat.answer(part, {"approved": True})).lost
        assert [each.status for each in parts if isinstance(each, Tool)][-2:] == ["waiting", "done"]
        assert [each.delta for each in parts if isinstance(each, Text)][-1] == "Sold."
        (ask,) = [each for each in parts if isinstance(each, Ask)]
        assert (ask.message, ask.kind, ask.tool) == ("Sell?", "approval", "sell")
        assert (await run).text == "Hello there.\n\nSold."
        assert (await chat.answer(ask, {"approved": True})).lost


async def test_an_answer_that_another_client_gave_goes_on_too() -> None:
    asked = ev.interrupt("int_1", "cal_1", "Sell?", {}, expires_at=0, kind="approval")
    waits = ev.run_finished(SESSION, "run_1", {"type": "interrupt", "interrupts": [asked]})
    first = [*ANSWER[:-1], ev.tool_start("cal_1", "sell"), ev.tool_end("cal_1"), waits]
    second = answer("run_2", "Sold.")
    second[0] = ev.run_started(SESSION, "run_2", parent_run_id="run_1")

    async def asking(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(first))
        late = await caller.hear()
        await caller.say(*numbered(second, len(first) + 1))
        await caller.say(
            {"type": "error", "id": late["id"], "code": "answered", "message": "", "retry": False}
        )
        await caller.stay()

    async with socket_server(asking) as server, server.chat() as chat:
        run = await chat.send("Hi")
        parts = []
        async for part in run:
            parts.append(part)
            if isinstance(part, Ask):
                assert (await chat.answer(part, {"approved": True})).lost
        assert [each.delta for each in parts if isinstance(each, Text)][-1] == "Sold."
        assert (await run).text == "Hello there.\n\nSold."


async def test_an_offered_tool_is_run_and_its_run_goes_on() -> None:
    asked = ev.interrupt("int_1", "cal_1", "", {}, expires_at=0, kind="tool")
    waits = ev.run_finished(SESSION, "run_1", {"type": "interrupt", "interrupts": [asked]})
    call = [ev.tool_start("cal_1", "where"), ev.tool_args("cal_1", '{"city": "Porto"}'), ev.tool_end("cal_1")]
    first = [*ANSWER[:-1], *call, waits]
    second = answer("run_2", "There.")

    async def asking(caller: Caller) -> None:
        await caller.greet()
        frame = await caller.hear()
        assert [each["name"] for each in frame["tools"]] == ["where"]
        await caller.say(ack(frame), *numbered(first))
        frame = await caller.hear()
        assert (frame["type"], frame["tool_call_id"]) == ("tool_result", "cal_1")
        assert json.loads(frame["content"]) == {"street": "Rua de Porto"}
        await caller.say(ack(frame, "run_2"), *numbered(second, len(first) + 1))
        await caller.stay()

    chat = None
    async with socket_server(asking) as server:
        chat = server.chat()

        @chat.tool
        async def where(city: str) -> dict[str, str]:
            """Where it is."""
            return {"street": f"Rua de {city}"}

        async with chat:
            run = await chat.send("Hi")
            assert not [part async for part in run if isinstance(part, Ask)]
            result = await run
            assert (result.outcome, result.text) == ("success", "Hello there.\n\nThere.")


async def test_a_refused_message_is_told_with_the_code_of_the_wire() -> None:
    async def refusing(caller: Caller) -> None:
        await caller.greet()
        frame = await caller.hear()
        error = {"code": "too_long", "message": "This message is too long.", "retry": False}
        await caller.say({"type": "error", "id": frame["id"], **error})
        await caller.stay()

    async with socket_server(refusing) as server, server.chat() as chat:
        with pytest.raises(Refused, match="too long") as refused:
            await chat.send("Hi")
        assert (refused.value.code, refused.value.retry) == ("too_long", False)


async def test_the_log_goes_on_after_a_position_and_says_when_it_does_not_reach_back() -> None:
    async def main(caller: Caller) -> None:
        await caller.greet()
        await caller.stay()

    async def reaching(caller: Caller) -> None:
        assert (caller.hello["last_seq"], caller.hello["epoch"]) == (3, "a.1")
        await caller.say(welcome(9, resumed=True), {"batch": numbered(ANSWER[3:5], 4)})
        await caller.cut()

    async def again(caller: Caller) -> None:
        assert caller.hello["last_seq"] == 5
        await caller.say(welcome(9, resumed=False), snapshot(9, ANSWER))
        await caller.say({"seq": 12, "from": 10, "event": ANSWER[0], "epoch": "b.2"})
        await caller.stay()

    async with (
        socket_server(main, reaching, again) as server,
        server.chat() as chat,
        chat.events(after=("a.1", 3)) as events,
    ):
        told = [await anext(events) for _ in range(4)]
    assert [each.position for each in told] == [("a.1", 4), ("a.1", 5), ("a.1", 9), ("b.2", 12)]
    assert [getattr(each, "first", None) for each in told] == [4, 5, None, 10]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("x" * 65_536, Refused),
        ("\U0001f600" * 16_400, Refused),
        ([{"type": "text", "text": {1, 2}}], TypeError),
        ([{"type": "text", "text": float("nan")}], ValueError),
    ],
    ids=["long", "many bytes", "no json", "no number"],
)
async def test_a_message_that_cannot_be_sent_raises_and_keeps_the_connection(
    content: Any, error: type[Exception]
) -> None:
    async with socket_server(answering) as server, server.chat() as chat:
        with pytest.raises(error):
            await chat.send(content)
        half = "\ud83d"
        for words in ("\U0001f600" * 8_000, half):
            assert await words_of(await chat.send(words)) == "Hello there."
        assert len(server.callers) == 1


async def test_a_log_that_was_closed_is_not_opened_again() -> None:
    async with socket_server(answering) as server:
        async with server.chat() as chat:
            events = chat.events()
            await anext(events)
        with pytest.raises(Closed):
            await anext(events)
        assert len(server.callers) == 2


async def test_messages_of_a_form_that_nobody_knows_are_told_as_garbage() -> None:
    odd = {"id": "msg_1", "metadata": {"loopwire": {"run_id": "run_1"}}}

    async def strange(caller: Caller) -> None:
        await caller.greet()
        begin = [ev.run_started(SESSION, "run_1"), {"type": "MESSAGES_SNAPSHOT", "messages": [odd]}]
        await caller.say(ack(await caller.hear()), *numbered(begin))
        await caller.stay()

    async with socket_server(strange) as server, server.chat() as chat:
        with pytest.raises(Garbled):
            await words_of(await chat.send("Hi"))


async def test_a_run_whose_events_are_still_to_come_is_not_taken_for_ended() -> None:
    """Its ack was lost, and the one of its repetition is faster than its events; no request over HTTP is answered."""
    go = asyncio.Event()

    async def deaf(caller: Caller) -> None:
        await caller.greet()
        await caller.hear()
        await caller.cut()

    async def late(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear(), dup=True))
        await go.wait()
        await caller.say(*numbered(ANSWER))
        await caller.stay()

    async with socket_server(deaf, late) as server, server.chat() as chat:
        run = await chat.send("Hi", id="m1")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await run
        go.set()
        assert await words_of(run) == "Hello there."
