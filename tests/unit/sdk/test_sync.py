"""The client without `await`: each method does as its other half does, and no thread and no task stays."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import loopwire
from loopwire import Ask, Closed, Event, Refused, Snapshot, Text
from loopwire.sync import Chat
from server.protocol import events as ev
from tests.parts.wait import until
from tests.unit.sdk.api_server import TICKET, Asked, api_server, greet_and_stay, respond_with
from tests.unit.sdk.socket_server import SESSION, Caller, Json, ack, answer, numbered, socket_server

ANSWER = answer()


def mint(session: str | None) -> Json:
    return TICKET


def threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith(("loopwire", "asyncio_"))]


async def use(url: str, act: Callable[[Chat], Any], **options: Any) -> Any:
    """Do something with a chat in another thread, where nothing is awaited."""

    def talk() -> Any:
        with loopwire.sync.connect(url, token=mint, **options) as chat:
            return act(chat)

    with ThreadPoolExecutor(1, "person") as pool:
        return await asyncio.get_running_loop().run_in_executor(pool, talk)


def nameless(frame: Json) -> Json:
    return {name: value for name, value in frame.items() if name != "id"}


async def test_each_command_is_that_of_the_other_client() -> None:
    heard: list[Json] = []

    async def listen(caller: Caller) -> None:
        await caller.greet()
        while True:
            frame = await caller.hear()
            heard.append(frame)
            await caller.say(ack(frame, f"run_{len(heard)}"))

    def act(chat: Chat) -> list[str]:
        @chat.tool(name="where", parameters={"type": "object"}, effect=True)
        def first() -> None:
            """Tell the place."""

        @chat.tool
        def second() -> None:
            """Tell the time."""

        chat.set_context({"a": 1})
        runs = [chat.send("Hi", "m1")]
        chat.set_context(None)
        runs += [chat.edit("msg_1", "Ho", "e1"), chat.regenerate("msg_1", "r1"), chat.switch("msg_1", "s1")]
        runs += [chat.send("Hi"), chat.edit("msg_1", "Ho"), chat.regenerate("msg_1"), chat.switch("msg_1")]
        chat.stop()
        runs[0].stop()
        chat.answer("int_1", {"yes": True})
        chat.answer("int_2", cancel=True)
        chat.feedback("msg_1", "down", reason="wrong", comment="No.")
        return [each.id for each in runs]

    async with socket_server(listen) as server:
        assert await use(server.url, act) == [f"run_{number}" for number in range(1, 9)]
    offered = [(each["name"], each.get("effect")) for each in heard[0]["tools"]]
    assert offered == [("where", True), ("second", None)]
    assert [each["id"] for each in heard[:4]] == ["m1", "e1", "r1", "s1"]
    assert [each.get("context") for each in heard[:2]] == [{"a": 1}, None]
    kinds = ["message", "edit", "regenerate", "switch"]
    assert [each["type"] for each in heard[:8]] == kinds * 2
    assert [each.get("message_id") for each in heard[:8]] == [None, "msg_1", "msg_1", "msg_1"] * 2
    content = [[{"type": "text", "text": words}] for words in ("Hi", "Ho")]
    assert [each["content"] for each in heard if "content" in each] == content * 2
    assert [nameless(each) for each in heard[8:]] == [
        {"type": "cancel"},
        {"type": "cancel", "run_id": "run_1"},
        {
            "type": "resume",
            "entries": [{"interrupt_id": "int_1", "status": "resolved", "payload": {"yes": True}}],
        },
        {"type": "resume", "entries": [{"interrupt_id": "int_2", "status": "cancelled"}]},
        {"type": "feedback", "message_id": "msg_1", "value": "down", "reason": "wrong", "comment": "No."},
    ]


async def test_an_answer_is_read_listened_to_and_followed() -> None:
    async def tell(caller: Caller) -> None:
        await caller.greet()
        if "resume_token" in caller.hello or len(server.callers) > 1:  # The log has a connection of its own.
            await caller.say(*numbered(ANSWER))
        else:
            frame = await caller.hear()
            await caller.say(ack(frame), *numbered(ANSWER))
        await caller.stay()

    def act(chat: Chat) -> None:
        heard = chat.listen()
        run = chat.send("Hi")
        assert run.result(timeout=60).text == "Hello there."
        assert [part.delta for part in run if isinstance(part, Text)] == ["Hello there."]
        assert isinstance(next(heard), Text)
        assert [part.delta for part in chat.follow("run_1") if isinstance(part, Text)] == ["Hello there."]
        assert [each["role"] for each in chat.messages] == ["user", "assistant"]
        assert chat.run is not None and (chat.run.id, chat.run.status) == ("run_1", "finished")
        assert (chat.state, chat.session, chat.visitor) == ({}, SESSION, None)
        log = chat.events()
        assert isinstance(next(log), Snapshot)
        event = next(log)
        assert isinstance(event, Event) and event.data == ANSWER[0]
        later = chat.events(after=("a.1", 3))
        assert next(later).seq == 0

    async with socket_server(tell) as server:
        await use(server.url, act)
        assert server.callers[2].hello["last_seq"] == 3


async def test_an_answer_to_a_question_tells_what_became_of_it() -> None:
    asked = ev.interrupt("int_1", "cal_1", "Sell?", {}, expires_at=0, kind="approval")
    waits = ev.run_finished(SESSION, "run_1", {"type": "interrupt", "interrupts": [asked]})

    async def asking(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()), *numbered([*ANSWER[:-1], waits]))
        frame = await caller.hear()
        await caller.say({"type": "error", "id": frame["id"], "code": "answered", "retry": False})
        await caller.stay()

    def act(chat: Chat) -> None:
        (ask,) = [part for part in chat.send("Hi") if isinstance(part, Ask)]
        assert chat.answer(ask, {"approved": True}).lost

    async with socket_server(asking) as server:
        await use(server.url, act)


async def test_http_requests_of_the_sync_client_are_those_of_the_async_client(tmp_path: Path) -> None:
    picture = {"blob_id": "b", "url": "/b", "media_type": "image/png", "width": 1, "height": 2, "bytes": 3}
    stored = {"messages": [{"id": "a"}, {"id": "b"}], "before": None}
    user = {"token": "bearer", "user": "ana", "session_id": SESSION, "expires_in": 600}
    file = tmp_path / "a.png"
    file.write_bytes(b"png")

    def respond(asked: Asked) -> bytes:
        for path, body in {"files": picture, "messages": stored, "identify": user, "tickets": TICKET}.items():
            if path in asked.what:
                return respond_with(200, body)
        raise AssertionError(asked.what)

    def act(chat: Chat) -> None:
        for given, media_type in ((file, None), (str(file), None), (b"gif", "image/gif"), (b"odd", None)):
            uploaded = chat.upload(given, media_type)
            assert (uploaded.blob_id, uploaded.width, uploaded.height, uploaded.bytes) == ("b", 1, 2, 3)
            assert (uploaded.url, uploaded.media_type) == ("/b", "image/png")
            assert uploaded.part == {"type": "image", "blob_id": "b"}
        assert [each["id"] for each in chat.history()] == ["b", "a"]
        identified = chat.identify("signed", app="shop")
        assert (identified.user, identified.session) == ("ana", SESSION)

    async with api_server(respond, greet_and_stay) as server:
        await use(server.url, act, service="chat")
    files = [each for each in server.asked if "files" in each.what]
    assert {each.what for each in files} == {"POST /v1/sessions/ses_1/files"}
    assert [(each.body, each.headers["content-type"]) for each in files] == [
        (b"png", "image/png"),
        (b"png", "image/png"),
        (b"gif", "image/gif"),
        (b"odd", "image/*"),
    ]
    (said,) = [each.body for each in server.asked if "identify" in each.what]
    about = {"app": "shop", "session_id": SESSION, "resume_token": "t1", "service": "chat"}
    assert said == {**about, "token": "signed"}
    assert threads() == []


async def test_a_wait_that_is_left_leaves_no_task_and_a_closed_chat_no_thread() -> None:
    async def silent(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()))
        await caller.stay()

    def act(chat: Chat) -> None:
        (thread,) = [each for each in threads() if each.name == "loopwire"]
        assert thread.daemon
        run, loop = chat.send("Hi"), chat._loop._loop
        count = len(asyncio.all_tasks(loop))
        with pytest.raises(TimeoutError):
            run.result(timeout=0.01)
        until(lambda: len(asyncio.all_tasks(loop)) <= count)
        chat.close()
        chat.close()
        for late in (lambda: chat.send("Ho"), run.result, lambda: chat.messages):
            with pytest.raises(Closed, match="This chat was closed") as closed:
                late()
            assert closed.value.code == "closed"

    async with socket_server(silent) as server:
        await use(server.url, act)
    until(lambda: not [each for each in threads() if each.name == "loopwire"])


async def test_a_refusal_is_raised_where_it_is_waited_for() -> None:
    async def refuse(caller: Caller) -> None:
        await caller.greet()
        frame = await caller.hear()
        error = {"code": "too_long", "message": "Too long.", "retry": False}
        await caller.say({"type": "error", "id": frame["id"], **error})
        await caller.stay()

    def act(chat: Chat) -> None:
        with pytest.raises(Refused, match="Too long"):
            chat.send("Hi")

    async with socket_server(refuse) as server:
        await use(server.url, act)


def test_a_chat_that_nobody_opens_leaves_no_thread() -> None:
    with pytest.raises(loopwire.Closed) as closed, loopwire.sync.connect("http://127.0.0.1:1", token=_broken):
        raise AssertionError
    assert closed.value.code == "no_ticket"
    assert [each for each in threads() if each.name == "loopwire"] == []


def _broken(session: str | None) -> Json:
    raise ZeroDivisionError
