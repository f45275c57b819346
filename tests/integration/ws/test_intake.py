"""The frames of a socket are taken, answered and counted by the parts of a whole server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from server.errors import Malformed, RateLimited, Unauthorized, Unavailable
from server.limits import Limits
from server.rooms.connection import Connection
from server.rooms.intake import Intake, SocketIntake
from server.store import Session, SessionOwner
from server.tracing import Thumb
from server.tracing.trace_context import take_headers
from tests.integration.ws.inside import Inside, inside, rested
from tests.integration.ws.test_reconnect import opened
from tests.integration.ws.visitor import Frame
from tests.parts.wait import until_async
from tests.unit.rooms.recording_writer import RecordingWriter

pytestmark = pytest.mark.once

TRACE = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture
async def here(parts: dict[str, str], tmp_path: Path) -> AsyncIterator[Inside]:
    """Yield a quick server."""
    async with inside(tmp_path, capacity=8, **parts) as running:
        yield running


class Tab:
    """One more reader of a conversation, whose frames are answered on writer, and whose thumbs are kept."""

    def __init__(self, session: SessionOwner, intake: Intake) -> None:
        self.writer = RecordingWriter()
        self.connection = Connection(self.writer, html=False, language="en")
        self.inbox = SocketIntake(self.connection, session, intake)

    async def send(self, **frame: Any) -> Frame | None:
        """Have a frame taken; gives its answer, if it has one."""
        before = len(self.writer.sent)
        await self.inbox.answer(json.dumps(frame))
        answers = self.writer.frames()[before:]
        assert len(answers) <= 1
        return answers[0] if answers else None


def intake_of(here: Inside, thumbs: list[Thumb] | None = None, **limits: str) -> Intake:
    parts = here.ready.parts
    tracer: Any = parts.tracer if thumbs is None else SimpleNamespace(score=thumbs.append)
    return Intake(
        store=parts.store,
        bus=parts.bus,
        runs=parts.runs,
        limits=Limits(**limits),  # type: ignore[arg-type]
        tracer=tracer,
        rooms=here.web.rooms,
    )


async def new_session(here: Inside) -> Session:
    """Begin a conversation; nobody reads it."""
    sessions = here.ready.parts.store.sessions
    return await sessions.create(app="loopwire", principal="vis_1", service="submission", language="pt")


def text(said: str) -> list[Frame]:
    return [{"type": "text", "text": said}]


async def test_a_thumb_is_scored_with_its_reason_and_told_to_the_other_readers(here: Inside) -> None:
    talk = await opened(here)
    thumbs: list[Thumb] = []
    store = here.ready.parts.store
    session = await store.sessions.load(talk.session)
    tab = Tab(session, intake_of(here, thumbs))
    take_headers([(b"traceparent", TRACE)])
    asked = await tab.send(type="message", id="c1", content=text("Quero vender um iPhone 13"))
    assert asked is not None
    await talk.finished(asked["run_id"])
    await rested(here)
    answer = talk.transcript.messages[-1]["id"]
    said = {"type": "feedback", "message_id": answer}
    reason = {"reason": "wrong", "comment": " The price. "}
    assert await tab.send(**said, id="f1", value="down", **reason) == {"type": "ack", "id": "f1"}
    assert await tab.send(**said, id="f2", value="down", comment="  ") == {"type": "ack", "id": "f2"}
    assert await tab.send(**said, id="f3", value="up") == {"type": "ack", "id": "f3"}
    first, second, third = thumbs
    assert (first.run_id, first.message_id, first.value) == (asked["run_id"], answer, "down")
    assert (first.reason, first.comment) == ("wrong", "The price.")
    assert (second.value, second.reason, second.comment) == ("down", None, None)
    assert (third.value, third.reason, third.comment) == ("up", None, None)
    judged = await store.messages.feedback(answer, session.principal, "up")
    assert TRACE.decode() in (judged.trace_context or "")
    assert {(each.said_at_ms, each.trace_context) for each in thumbs} == {
        (judged.created_at, judged.trace_context)
    }
    for value in ("down", "down", "up"):
        notice = await talk.until(lambda frame: frame.get("type") == "feedback")
        assert (notice["message_id"], notice["value"]) == (answer, value)
        assert notice["from_tab"] == tab.connection.id


async def test_typing_is_shown_to_the_others_while_an_operator_has_the_conversation(here: Inside) -> None:
    talk = await opened(here)
    session = await here.ready.parts.store.sessions.load(talk.session)
    tab = Tab(session, intake_of(here))
    operators, room = here.ready.parts.runs.operators, here.web.rooms.by_session[talk.session]
    assert await tab.send(type="typing") is None
    assert room.operated is False, "the database is asked once"
    await operators.join(session, name="Ana", key_id="key_a")
    await until_async(lambda: room.operated is True, what="the operator")
    assert await tab.send(type="typing") is None
    typed = await talk.until(lambda frame: frame.get("type") == "typing")
    assert typed["from_tab"] == tab.connection.id
    room.resync()
    assert await tab.send(type="typing") is None
    assert room.operated is True, "the database is asked again"
    await operators.hand_back(session, key_id="key_a")
    await until_async(lambda: room.operated is False, what="the end of it")
    assert await tab.send(type="typing") is None
    frames = [each["type"] for each in talk.frames if each.get("type") == "typing"]
    assert (await tab.send(type="cancel", id="x1") or {})["id"] == "x1"
    assert len(frames) == 1


async def test_typing_in_a_conversation_that_nobody_reads_here_is_shown_elsewhere(here: Inside) -> None:
    session = await new_session(here)
    tab = Tab(session, intake_of(here))
    told: list[tuple[str, Frame]] = []
    notify = here.ready.parts.bus.notify

    async def notified(session_id: str, frame: bytes) -> None:
        told.append((session_id, json.loads(frame)))
        await notify(session_id, frame)

    here.ready.parts.bus.notify = notified  # type: ignore[method-assign]
    assert await tab.send(type="typing") is None
    assert told == []
    await here.ready.parts.runs.operators.join(session, name="Ana", key_id="key_a")
    told.clear()
    assert await tab.send(type="typing") is None
    assert [(name, each["type"], each["from_tab"]) for name, each in told] == [
        (session.id, "typing", tab.connection.id)
    ]


async def test_other_versions_are_begun_and_shown_in_the_language_of_their_reader(here: Inside) -> None:
    talk = await opened(here)
    asked = await talk.say("Quero vender um iPhone 13", "c1")
    await talk.finished()
    await rested(here)
    store = here.ready.parts.store
    tab = Tab(await store.sessions.load(talk.session), intake_of(here))

    async def send(kind: str, message_id: str, **more: Any) -> Frame:
        answer = await tab.send(type=kind, id=kind, message_id=message_id, **more)
        assert answer is not None
        assert (answer["type"], answer["id"]) == ("ack", kind)
        if run_id := answer.get("run_id"):
            await talk.finished(run_id)
            await rested(here)
            assert (await store.runs.get(run_id)).language == "en"
        return answer

    edited = await send("edit", asked["message_id"], content=text("Quero vender um Galaxy"))
    own = [each["content"] for each in talk.transcript.messages if each["role"] == "user"]
    assert "Galaxy" in str(own)
    assert "iPhone" not in str(own)
    again = await send("regenerate", edited["message_id"])
    assert again["run_id"] not in (edited["run_id"], None)
    await send("switch", asked["message_id"])
    assert "iPhone" in str(talk.transcript.messages[0])


async def test_a_repeat_of_an_unstored_message_is_not_counted_up_to_a_limit(
    here: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    intake = intake_of(here, messages_per_session="2/1h", repeats_per_session="1/1h")
    tab, other = [Tab(await new_session(here), intake) for _ in range(2)]
    with monkeypatch.context() as away:

        async def unavailable(*_: Any) -> Any:
            raise Unavailable

        away.setattr(here.ready.parts.runs, "submit", unavailable)
        said = [await each.send(type="message", id="m1", content=text("olá")) for each in (tab, tab, other)]
    assert [each and each["code"] for each in said] == ["unavailable"] * 3
    codes: list[str] = []
    for each in (tab, tab, other, other, other):
        answer = await each.send(type="message", id=f"n{len(codes)}", content=text("olá")) or {}
        codes.append(answer.get("code", answer["type"]))
    assert codes == ["ack", "rate_limited", "ack", "ack", "rate_limited"]


async def test_a_repeat_of_a_known_message_is_not_counted_up_to_a_limit(here: Inside) -> None:
    intake = intake_of(here, messages_per_session="2/1h", repeats_per_session="2/1h")
    tab = Tab(await new_session(here), intake)
    codes: list[str] = []
    for id in ("m1", "m1", "m1", "m1", "m2"):
        answer = await tab.send(type="message", id=id, content=text("olá")) or {}
        codes.append(answer.get("code", "dup" if answer.get("dup") else answer["type"]))
    assert codes == ["ack", "dup", "dup", "dup", "rate_limited"]


async def test_an_ack_names_the_tools_of_the_page_that_are_ignored(here: Inside) -> None:
    tab = Tab(await new_session(here), intake_of(here))
    taken = "transfer_to_me"
    tools = [{"name": "page_cart"}, {"name": taken}]
    answer = await tab.send(type="message", id="m1", content=text("olá"), tools=tools)
    assert answer is not None
    assert answer["ignored_tools"] == [taken]
    answer = await tab.send(type="message", id="m2", content=text("olá"), tools=tools[:1])
    assert answer is not None
    assert (answer["type"], answer.get("ignored_tools")) == ("ack", None)


async def test_the_last_bad_frame_of_too_many_ends_the_socket(here: Inside) -> None:
    intake = intake_of(here, bad_frames_per_socket="3/1h", frames_per_socket="100/1h")
    tab = Tab(await new_session(here), intake)
    for type_ in ("hello", "nothing"):
        assert (await tab.send(type=type_, id="b1") or {})["type"] == "error"
    assert await tab.send(type="typing") is None
    with pytest.raises(Malformed):
        await tab.inbox.answer("{")
    assert [each["code"] for each in tab.writer.frames()] == ["bad_frame", "unknown_type", "bad_json"]


async def test_frames_that_come_too_fast_are_refused_and_then_end_the_socket(here: Inside) -> None:
    intake = intake_of(here, bad_frames_per_socket="2/1h", frames_per_socket="2/1h")
    tab = Tab(await new_session(here), intake)
    assert (await tab.send(type="nothing", id="b1") or {})["code"] == "unknown_type"
    assert await tab.send(type="typing") is None
    assert (await tab.send(type="message", id="m1", content=text("olá")) or {})["type"] == "ack"
    refused = await tab.send(type="nothing", id="b2")
    assert refused is not None
    assert (refused["code"], refused["id"]) == ("rate_limited", "b2")
    with pytest.raises(RateLimited) as ended:
        await tab.inbox.answer('{"type":"cancel","id":"x1"}')
    assert 3500 < (ended.value.retry_after or 0) <= 3600
    assert tab.writer.frames()[-1]["id"] == "x1"


async def test_a_second_hello_is_refused_with_a_sentence(here: Inside) -> None:
    tab = Tab(await new_session(here), intake_of(here))
    answer = await tab.send(type="hello", ticket="t")
    assert answer is not None
    assert (answer["code"], answer["message"]) == ("bad_frame", "The hello was said already.")


async def test_a_frame_of_a_revoked_visitor_ends_its_socket_at_once(here: Inside) -> None:
    session = await new_session(here)
    await here.ready.parts.store.revocations.revoke(session.principal)
    tab = Tab(session, intake_of(here))
    with pytest.raises(Unauthorized):
        await tab.inbox.answer(json.dumps({"type": "message", "id": "m1", "content": text("olá")}))
    assert [each["code"] for each in tab.writer.frames()] == ["unauthorized"]
