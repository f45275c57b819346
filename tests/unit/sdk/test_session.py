"""The work behind a chat: what it sends, what it makes of answers and snapshots, and how it ends."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from loopwire import Ask, Chat, Closed, Refused, Text, Unreachable, connect
from server.protocol import events as ev
from tests.parts.clock import jump, run_at_once
from tests.parts.ports import free_port
from tests.parts.wait import until_async
from tests.unit.sdk.api_server import TICKET, api_server, greet_and_stay, respond_with
from tests.unit.sdk.plain import never, plain
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
QUEUE: Json = {"type": "queue", "items": []}


def mint(session: str | None) -> Json:
    return TICKET


def waiting(number: int, words: str = "Hello there.") -> list[Json]:
    """Return a run that ends with a question to a program of the client."""
    call, run_id = f"cal_{number}", f"run_{number}"
    asked = ev.interrupt(f"int_{number}", call, "", {}, expires_at=0, kind="tool")
    tool = [ev.tool_start(call, "where"), ev.tool_args(call, '{"city": "Porto"}'), ev.tool_end(call)]
    ends = ev.run_finished(SESSION, run_id, {"type": "interrupt", "interrupts": [asked]})
    return [*answer(run_id, words)[:-1], *tool, ends]


def offer(chat: Chat, *names: str) -> list[str]:
    """Offer functions, and return the names of those that were called."""
    called: list[str] = []

    def function(name: str) -> Any:
        def act(city: str) -> str:
            called.append(name)
            return f"{name} {city}"

        return act

    for each in names:
        chat.tool(name=each, parameters={"type": "object"})(function(each))
    return called


async def test_a_server_that_says_nothing_in_time_is_told_with_its_address() -> None:
    async with plain(never) as server:
        with pytest.raises(Unreachable) as unreachable:
            async with connect(server.url, token=mint, open_timeout=0.2):
                raise AssertionError
        assert str(unreachable.value) == f"{server.url}: no answer (unreachable)"
        assert (unreachable.value.code, unreachable.value.retry) == ("unreachable", True)
        assert isinstance(unreachable.value.__cause__, TimeoutError)


async def test_the_last_trouble_is_told_with_the_address_of_a_server() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(Unreachable, match=r"(?i)connect") as unreachable:
        async with connect(url, token=mint, open_timeout=0.5):
            raise AssertionError
    assert unreachable.value.message.startswith(f"{url}: ")
    assert isinstance(unreachable.value.__cause__, ConnectionRefusedError)


async def test_a_server_that_asks_to_wait_is_told_by_its_code_and_its_seconds() -> None:
    body = {"error": {"code": "rate_limited", "message": "Slower.", "retry": True}}
    async with api_server(lambda asked: respond_with(429, body, retry_after="60")) as server:
        with pytest.raises(Refused) as refused:
            async with connect(server.url, open_timeout=0.5):
                raise AssertionError
        told = refused.value
        assert (told.code, told.retry, told.retry_after, told.status) == ("rate_limited", True, 60.0, 429)
        assert str(told) == f"{server.url}: Slower. (rate_limited)"


async def test_a_socket_that_asks_to_wait_is_told_by_its_code_and_its_seconds() -> None:
    async def life(caller: Caller) -> None:
        limited: Json = {"type": "error", "code": "rate_limited", "message": "Slower.", "retry": True}
        await caller.say({**limited, "retry_after": 60})
        await caller.socket.close(4429, "rate_limited")

    async with socket_server(life) as server:
        with pytest.raises(Refused, match="Slower") as refused:
            async with connect(server.url, token=mint, open_timeout=1):
                raise AssertionError
        assert (refused.value.code, refused.value.retry_after) == ("rate_limited", 60.0)


async def test_an_upload_without_an_open_session_is_refused() -> None:
    chat = connect("http://127.0.0.1:1")
    with pytest.raises(Refused, match="use `async with`") as refused:
        await chat.upload(b"")
    assert refused.value.code == "not_open"
    await chat.aclose()


async def test_the_welcome_names_the_session_and_a_part_of_the_server_may_be_away() -> None:
    go, seen = asyncio.Event(), asyncio.Event()

    async def degrade(caller: Caller) -> None:
        await caller.say({**welcome(0, resumed=False), "session_id": "ses_7"}, snapshot(0), QUEUE)
        await caller.say({"type": "degraded", "on": True})
        await go.wait()
        await caller.say({"type": "degraded", "on": False})
        await seen.wait()
        await caller.say({"type": "degraded", "on": True})
        await caller.cut()

    async with socket_server(degrade, greet_and_stay) as server, server.chat() as chat:
        assert chat.session == "ses_7"
        await until_async(lambda: chat.is_degraded is True)
        go.set()
        await until_async(lambda: chat.is_degraded is False)
        seen.set()
        await until_async(lambda: len(server.callers) == 2 and chat.is_connected)
        await until_async(lambda: chat.is_degraded is False)


async def test_a_session_that_is_resumed_at_once_is_open_without_a_snapshot() -> None:
    async def resume(caller: Caller) -> None:
        await caller.say(welcome(0, resumed=True), QUEUE)
        await caller.say(ack(await caller.hear()), *numbered(ANSWER))
        await caller.stay()

    async with socket_server(resume) as server, server.chat() as chat:
        assert (await (await chat.send("Hi"))).text == "Hello there."
        assert len(server.callers) == 1


async def test_a_stop_names_its_run_and_without_one_what_runs_is_stopped() -> None:
    heard: list[Json] = []

    async def listen(caller: Caller) -> None:
        await caller.greet()
        steps = [{"type": "STEP_STARTED", "stepName": each} for each in "ab"]
        await caller.say(ack(await caller.hear()), *numbered([*ANSWER[:6], *steps]))
        while True:
            frame = await caller.hear()
            heard.append({name: value for name, value in frame.items() if name != "id"})
            await caller.say({"type": "ack", "id": frame["id"]})

    async with socket_server(listen) as server, server.chat() as chat:
        run = await chat.send("Hi")
        await chat.stop()
        await run.stop()
        assert chat.agents == ["a", "b"]
    assert heard == [{"type": "cancel"}, {"type": "cancel", "run_id": "run_1"}]


async def test_an_answer_that_has_ended_is_not_stopped() -> None:
    async def listen(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(ANSWER))
        assert await caller.hear() == {}

    async with socket_server(listen) as server, server.chat() as chat:
        run = await chat.send("Hi")
        await run
        await run.stop()
        assert chat.is_connected


async def test_a_tool_that_the_service_has_already_is_offered_no_more() -> None:
    offered: list[list[str]] = []

    async def ignore(caller: Caller) -> None:
        await caller.greet()
        for run_id in ("run_1", "run_2"):
            frame = await caller.hear()
            offered.append([each["name"] for each in frame["tools"]])
            await caller.say(ack(frame, run_id, ignored_tools=["where"]))
        await caller.stay()

    async with socket_server(ignore) as server:
        chat = server.chat()
        offer(chat, "where", "other")
        async with chat:
            await chat.send("Hi")
            await chat.send("Ho")
    assert offered == [["where", "other"], ["other"]]


async def test_a_function_that_is_offered_after_a_question_is_not_called_for_it() -> None:
    go = asyncio.Event()
    first, second = waiting(1), answer("run_2")

    async def go_on(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(first))
        await go.wait()
        await caller.say(QUEUE)
        frame = await caller.hear()
        assert frame["type"] == "message"
        await caller.say(ack(frame, "run_2"), *numbered(second, len(first) + 1))
        await caller.stay()

    async with socket_server(go_on) as server, server.chat() as chat:
        assert (await (await chat.send("Hi"))).outcome == "interrupt"
        called = offer(chat, "where")
        go.set()
        assert (await (await chat.send("Ho"))).outcome == "success"
        assert called == []


async def test_a_run_that_goes_on_where_another_client_answered_is_of_this_client_too() -> None:
    asked = ev.interrupt("int_1", "cal_0", "Sell?", {}, expires_at=0, kind="approval")
    waits = ev.run_finished(SESSION, "run_1", {"type": "interrupt", "interrupts": [asked]})
    first, second = [*ANSWER[:-1], waits], waiting(2)
    second[0] = ev.run_started(SESSION, "run_2", parent_run_id="run_1")
    begun = asyncio.Event()

    async def go_on(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(first))
        await begun.wait()
        await caller.say(*numbered(second, len(first) + 1))
        frame = await caller.hear()
        place = len(first) + len(second) + 1
        await caller.say(ack(frame, "run_3"), *numbered(answer("run_3", "There."), place))
        await caller.stay()

    async with socket_server(go_on) as server:
        chat = server.chat()
        called = offer(chat, "where")
        async with chat:
            run = await chat.send("Hi")
            begun.set()
            await until_async(lambda: run.chain == ["run_1", "run_2", "run_3"])
            assert (await run).text == "Hello there.\n\nHello there.\n\nThere."
            assert called == ["where"]


async def test_only_a_message_refused_for_now_is_sent_again() -> None:
    heard: list[str] = []

    async def refuse(caller: Caller) -> None:
        await caller.greet()
        for _ in range(3):
            frame = await caller.hear()
            heard.append(frame["id"])
            if heard == ["m1"]:
                busy = {"code": "busy", "message": "", "retry": True, "retry_after": 0.05}
                await caller.say({"type": "error", "id": "m1", **busy})
        for each in ("m1", "c1"):
            await caller.say(ack({"id": each}))
        await caller.stay()

    async with socket_server(refuse) as server, server.chat() as chat:
        sending = asyncio.ensure_future(chat.send("Hi", "m1"))
        await until_async(lambda: heard)
        await chat.command({"type": "cancel", "id": "c1"})
        await sending
        assert heard == ["m1", "c1", "m1"]


def test_a_chat_is_open_when_its_queue_is_known() -> None:
    items: list[Json] = [{"run_id": "run_1", "id": "m1"}]

    async def wait(caller: Caller) -> None:
        await caller.say(welcome(0, resumed=False), snapshot(0))
        await jump(5)
        await caller.say({**QUEUE, "items": items})
        await caller.stay()

    async def talk() -> None:
        async with socket_server(wait) as server, server.chat() as chat:
            assert chat.queue == tuple(items)

    run_at_once(talk())


async def test_a_tool_is_run_also_where_its_run_ends_before_the_ack() -> None:
    first, second = waiting(1), answer("run_2", "There.")

    async def hurry(caller: Caller) -> None:
        await caller.greet()
        frame = await caller.hear()
        await caller.say(*numbered(first), ack(frame))
        frame = await caller.hear()
        assert (frame["type"], frame["tool_call_id"], frame["content"]) == (
            "tool_result",
            "cal_1",
            "where Porto",
        )
        await caller.say(*numbered(second, len(first) + 1), ack(frame, "run_2"))
        await caller.stay()

    async with socket_server(hurry) as server:
        chat = server.chat()
        called = offer(chat, "where")
        async with chat:
            run = await chat.send("Hi")
            assert (await run).text == "Hello there.\n\nThere."
            assert [part.delta async for part in run if isinstance(part, Text)] == ["Hello there.", "There."]
            assert called == ["where"]


async def test_a_tool_whose_result_came_too_late_leaves_no_error(caplog: pytest.LogCaptureFixture) -> None:
    first, second = waiting(1), answer("run_2", "There.")
    second[0] = ev.run_started(SESSION, "run_2", parent_run_id="run_1")

    async def overtake(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(first))
        late = await caller.hear()
        error = {"code": "answered", "message": "", "retry": False}
        await caller.say({"type": "error", "id": late["id"], **error})
        await caller.say(*numbered(second, len(first) + 1))
        await caller.stay()

    async with socket_server(overtake) as server:
        chat = server.chat()
        offer(chat, "where")
        async with chat:
            run = await chat.send("Hi")
            await until_async(
                lambda: chat.run is not None and (chat.run.id, chat.run.status) == ("run_2", "finished")
            )
            assert (await run).text == "Hello there.\n\nThere."
    gc.collect()
    assert [each for each in caplog.records if each.name == "asyncio"] == []


async def test_calls_left_open_by_an_earlier_process_are_run_at_the_first_snapshot_alone() -> None:
    heard: list[Json] = []

    async def first(caller: Caller) -> None:
        await caller.say(welcome(9, resumed=False), snapshot(9, waiting(1)), QUEUE)
        heard.append(await caller.hear())
        await caller.cut()

    async def second(caller: Caller) -> None:
        await caller.say(welcome(19, resumed=False), snapshot(19, waiting(4)), QUEUE)
        frame = await caller.hear()
        await caller.say(ack(frame, "run_2"))
        frame = await caller.hear()
        heard.append(frame)
        await caller.say(ack(frame, "run_3"), *numbered(answer("run_3"), 20))
        await caller.stay()

    async with socket_server(first, second) as server:
        chat = server.chat()
        called = offer(chat, "where")
        async with chat:
            await until_async(lambda: len(server.callers) == 2 and chat.is_connected)
            assert (await (await chat.send("Hi"))).outcome == "success"
            assert called == ["where"]
    assert [each["type"] for each in heard] == ["tool_result", "message"]


async def test_a_snapshot_without_a_run_is_no_garbage() -> None:
    async def first(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(ANSWER))
        await caller.hear()
        await caller.cut()

    async def second(caller: Caller) -> None:
        await caller.say(
            welcome(30, resumed=False), {"type": "snapshot", "epoch": "a.1", "seq": 30, "events": []}, QUEUE
        )
        while True:
            await caller.say({"type": "ack", "id": (await caller.hear())["id"]})

    async with socket_server(first, second) as server, server.chat() as chat:
        assert (await (await chat.send("Hi"))).outcome == "success"
        await chat.stop()
        assert (chat.run, chat.messages) == (None, [])
        assert len(server.callers) == 2


async def test_closing_is_told_to_what_waits_and_an_earlier_end_stays() -> None:
    async def refuse(caller: Caller) -> None:
        await caller.greet()
        await caller.hear()
        await caller.socket.close(4403, "forbidden")

    async with socket_server(greet_and_stay) as server:
        async with server.chat() as chat:
            sending = asyncio.ensure_future(chat.send("Hi"))
            await until_async(lambda: len(chat._session._outbox))
        for each in (sending, chat.send("Ho")):
            with pytest.raises(Closed, match="This chat was closed") as closed:
                await each
            assert closed.value.code == "closed"
        with pytest.raises(RuntimeError, match="closed"):
            await anext(chat.history())
    async with socket_server(refuse) as server:
        async with server.chat() as chat:
            with pytest.raises(Closed):
                await chat.send("Hi")
        with pytest.raises(Closed) as closed:
            await chat.send("Ho")
        assert (closed.value.code, closed.value.close_code) == ("forbidden", 4403)


async def test_a_log_that_is_not_read_any_more_ends_with_its_chat() -> None:
    async with socket_server(greet_and_stay) as server:
        async with server.chat() as chat:
            await anext(chat.events())
            gc.collect()
            async with chat.events() as closed:
                await anext(closed)
            await until_async(lambda: server.callers[2].socket.close_code)
            assert len(chat._session._events) == 1
            assert server.callers[1].socket.close_code is None
        await until_async(lambda: all(each.socket.close_code for each in server.callers))


async def test_a_frame_that_its_sender_spoils_ends_the_session_with_the_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def leave(caller: Caller) -> None:
        await caller.greet()
        await caller.cut()

    online = asyncio.Event()

    async def wait(caller: Caller) -> None:
        await online.wait()
        await greet_and_stay(caller)

    async with socket_server(leave, wait) as server, server.chat() as chat:
        await until_async(lambda: not chat.is_connected)
        frame: Json = {"type": "cancel", "id": "c1"}
        sending = asyncio.ensure_future(chat.command(frame))
        await until_async(lambda: len(chat._session._outbox))
        frame["spoilt"] = {1}
        online.set()
        with pytest.raises(Closed, match="TypeError") as closed:
            await sending
        assert closed.value.code == "internal"
    (record,) = [each for each in caplog.records if each.levelname == "ERROR"]
    assert (record.name, record.getMessage()) == ("loopwire", "the session stopped writing")


async def test_an_unexpected_error_while_reading_ends_the_session_with_the_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with socket_server(greet_and_stay) as server:
        chat = server.chat()
        chat._session.wire._url = "ws://127.0.0.1:99999/ws"
        with pytest.raises(Closed, match="Port out of range") as closed:
            async with chat:
                raise AssertionError
        assert closed.value.code == "internal"
    (record,) = [each for each in caplog.records if each.levelname == "ERROR"]
    assert (record.name, record.getMessage()) == ("loopwire", "the session stopped reading")


async def test_events_that_cannot_be_folded_are_logged_and_asked_for_anew(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def odd(caller: Caller) -> None:
        await caller.greet()
        await caller.say({"seq": 1, "event": {"type": "RUN_STARTED"}})
        await caller.stay()

    async with socket_server(odd, greet_and_stay) as server, server.chat() as chat:
        await until_async(lambda: len(server.callers) == 2 and server.callers[1].hello and chat.is_connected)
        assert server.callers[1].hello == {"type": "hello", "v": 1, "resume_token": "t1"}
    told = [(each.name, each.getMessage()) for each in caplog.records if each.levelname == "WARNING"]
    assert told == [("loopwire", "the server sent what cannot be read")]


async def test_a_question_is_answered_by_its_id_too_and_left_unanswered_on_request() -> None:
    asked = ev.interrupt("int_1", "cal_1", "Sell?", {}, expires_at=0, kind="approval")
    waits = ev.run_finished(SESSION, "run_1", {"type": "interrupt", "interrupts": [asked]})
    heard: list[Json] = []

    async def asking(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered([*ANSWER[:-1], waits]))
        await caller.say(ack(await caller.hear(), "run_9"))
        for run_id in ("run_2", "run_3", "run_4"):
            frame = await caller.hear()
            heard.append(frame)
            await caller.say(ack(frame, run_id))
        frame = await caller.hear()
        error = {"code": "not_found", "message": "No.", "retry": False}
        await caller.say({"type": "error", "id": frame["id"], **error})
        await caller.stay()

    async with socket_server(asking) as server, server.chat() as chat:
        run = await chat.send("Hi")
        (ask,) = [part async for part in run if isinstance(part, Ask)]
        other = await chat.send("Ho")
        answered = await chat.answer("int_1", {"a": 1})
        assert (answered.lost, answered.run and answered.run.id, run.chain) == (False, "run_2", ["run_1"])
        await chat.answer(ask, cancel=True)
        assert (run.chain, other.chain) == (["run_1", "run_3"], ["run_9"])
        await chat.answer("int_1", cancel=True)
        with pytest.raises(Refused, match="No"):
            await chat.answer("int_9", True)
    assert [each["type"] for each in heard] == ["resume"] * 3
    assert [each["entries"] for each in heard] == [
        [{"interrupt_id": "int_1", "status": "resolved", "payload": {"a": 1}}],
        [{"interrupt_id": "int_1", "status": "cancelled"}],
        [{"interrupt_id": "int_1", "status": "cancelled"}],
    ]
    assert len({each["id"] for each in heard}) == 3


async def test_the_result_of_a_tool_may_be_given_by_hand() -> None:
    heard: list[Json] = []

    async def asking(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered(waiting(1)))
        for number in (2, 3, 4):
            frame = await caller.hear()
            heard.append({name: value for name, value in frame.items() if name != "id"})
            await caller.say(ack(frame, f"run_{number}"))
        await caller.stay()

    async with socket_server(asking) as server, server.chat() as chat:
        run = await chat.send("Hi")
        (ask,) = (await run).asks
        assert (ask.kind, ask.tool, ask.tool_call_id) == ("tool", "where", "cal_1")
        for payload in ({"street": "Rua"}, "Rua"):
            await chat.answer(ask, payload)
        await chat.answer(ask, cancel=True)
    assert heard == [
        {"type": "tool_result", "tool_call_id": "cal_1", "content": '{"street": "Rua"}'},
        {"type": "tool_result", "tool_call_id": "cal_1", "content": "Rua"},
        {"type": "resume", "entries": [{"interrupt_id": "int_1", "status": "cancelled"}]},
    ]


async def test_each_command_says_what_it_is_for() -> None:
    heard: list[Json] = []

    async def listen(caller: Caller) -> None:
        await caller.greet()
        while True:
            frame = await caller.hear()
            heard.append(frame)
            await caller.say(ack(frame))

    async with socket_server(listen) as server, server.chat() as chat:
        chat.set_context({"shown": "é"})
        for id in ("m1", None):
            await chat.send(["Hi", {"type": "image", "blob_id": "b"}], id)
            await chat.edit("msg_1", "Ho", id and "e1")
            await chat.regenerate("msg_2", id and "r1")
            await chat.switch("msg_3", id and "s1")
        await chat.feedback("msg_4", "down", reason="wrong", comment="Não.")
        await chat.feedback("msg_4", None)
        chat.set_context(None)
        await chat.send("Hi")
    assert heard[:4] == [
        {
            "type": "message",
            "id": "m1",
            "content": [{"type": "text", "text": "Hi"}, {"type": "image", "blob_id": "b"}],
            "context": {"shown": "é"},
        },
        {
            "type": "edit",
            "id": "e1",
            "message_id": "msg_1",
            "content": [{"type": "text", "text": "Ho"}],
            "context": {"shown": "é"},
        },
        {"type": "regenerate", "id": "r1", "message_id": "msg_2"},
        {"type": "switch", "id": "s1", "message_id": "msg_3"},
    ]
    nameless = [{name: value for name, value in each.items() if name != "id"} for each in heard]
    assert nameless[4:8] == nameless[:4]
    assert nameless[8:] == [
        {"type": "feedback", "message_id": "msg_4", "value": "down", "reason": "wrong", "comment": "Não."},
        {"type": "feedback", "message_id": "msg_4", "value": None},
        {"type": "message", "content": [{"type": "text", "text": "Hi"}]},
    ]
    assert len({each["id"] for each in heard}) == len(heard)
