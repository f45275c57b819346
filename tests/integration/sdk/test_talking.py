"""The Python client at a real server: a whole sale, approvals, tools, pictures, and coming back as the same person."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwire import Ask, Closed, Event, Refused, Snapshot, Text, Tool, connect
from loopwire.transcript import Transcript
from tests.integration.conversation.models import remote
from tests.integration.sdk.people import OPENING, agent_words, agents, pressed, read, sell, words
from tests.modelserver import Call, Plan, Scripted
from tests.modelserver import Text as Said
from tests.modelserver.faults import ServerError
from tests.parts.images import png
from tests.parts.model import Model, sentences
from tests.parts.server import Served, served

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def quick() -> Iterator[Served]:
    """Yield a server whose demo model does not pause, and that takes messages as fast as a program sends them."""
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0", "LOOPWIRE_LIMIT_MESSAGES_PER_SESSION": "1000/1m"}) as running:
        yield running


async def test_a_whole_sale_is_told_once_and_is_what_was_stored(quick: Served) -> None:
    async with connect(quick.url, service="submission", language="pt") as chat:
        parts = await sell(chat)
        assert len(agents(parts)) == 3
        assert words(parts) == agent_words(chat.messages)
        stored = [each async for each in chat.history()]
        assert stored[::-1][-50:] == chat.messages[-50:]
        tools = [each for each in parts if isinstance(each, Tool)]
        assert {each.status for each in tools if each.id == tools[-1].id} >= {"done"}
        assert chat.run is not None and chat.run.outcome == {"type": "success"}
        assert chat.agents == [] and chat.queue == ()


async def test_a_result_tells_what_was_said_and_what_it_cost(quick: Served) -> None:
    async with connect(quick.url, service="submission") as chat:
        run = await chat.send(OPENING)
        result = await run
        assert (result.status, result.outcome, result.code) == ("finished", "success", None)
        assert result.text == agent_words(chat.messages) != ""
        assert [each.model for each in result.usage] == ["demo"]
        assert result.usage[0].total_tokens > 0


async def test_a_session_is_opened_again_by_its_visitor_alone(quick: Served) -> None:
    async with connect(quick.url, service="submission") as chat:
        await (await chat.send(OPENING, id="m1"))
        session, visitor, before = chat.session, chat.visitor, chat.messages
    async with connect(quick.url, session=session, visitor=visitor) as again:
        assert again.messages == before
        run = await again.send(OPENING, id="m1")
        assert words(await read(run)) == agent_words(before)
        assert (await run).outcome == "success"
        assert (await run).text == agent_words(before)
        with pytest.raises(Refused) as refused:
            await again.send("something else", id="m1")
        assert refused.value.code == "id_reused"
        assert [each["role"] for each in again.messages].count("user") == 1
    with pytest.raises(Closed) as closed:
        async with connect(quick.url, session=session):
            raise AssertionError
    assert closed.value.code == "not_found"


@pytest.mark.conformance
async def test_a_run_that_ended_long_ago_is_known_by_its_message(quick: Served) -> None:
    """Its messages are in no snapshot any more, and its end in no frame."""
    async with connect(quick.url, service="chat", language="en") as chat:
        first = await chat.send("hello", id="m1")
        await first
        for number in range(30):
            await (await chat.send("hello", id=f"again{number}"))
        session, visitor = chat.session, chat.visitor
    async with connect(quick.url, session=session, visitor=visitor) as again:
        run = await again.send("hello", id="m1")
        assert run.id == first.id
        result = await run
        assert (result.status, result.outcome) == ("finished", "success")


async def test_two_clients_of_one_session_get_the_same_answer(quick: Served) -> None:
    async with (
        connect(quick.url, service="submission") as one,
        connect(quick.url, session=one.session, visitor=one.visitor) as other,
    ):
        run = await one.send(OPENING)
        followed = other.follow(run.id)
        assert words(await read(followed)) == words(await read(run)) != ""
        assert (await followed).usage == (await run).usage
        assert other.messages == one.messages


async def test_the_log_is_numbered_without_holes_and_goes_on_after_any_place(quick: Served) -> None:
    async with connect(quick.url, service="submission") as chat, chat.events() as events:
        whole = [await anext(events)]
        assert isinstance(whole[0], Snapshot)
        await (await chat.send(OPENING))
        assert chat.run is not None
        while (event := await anext(events)).data["type"] != "RUN_FINISHED":
            assert isinstance(event, Event)
            whole.append(event)
        whole.append(event)
        transcript = Transcript()
        for each in whole[1:]:
            transcript.apply(each.data)
        assert transcript.messages == chat.messages
        assert [each.first for each in whole[2:]] == [each.seq + 1 for each in whole[1:-1]]
        for place in (1, len(whole) // 2):
            async with chat.events(after=whole[place].position) as later:
                missed = [await anext(later) for _ in whole[place + 1 :]]
            assert [each.data for each in missed] == [each.data for each in whole[place + 1 :]]
        async with chat.events(after=("unknown.1", 3)) as later:
            assert isinstance(await anext(later), Snapshot)


async def test_a_picture_is_uploaded_and_sent(quick: Served, tmp_path: Path) -> None:
    file = tmp_path / "bottle.png"
    file.write_bytes(png())
    async with connect(quick.url, service="submission") as chat:
        for given in (file, file.read_bytes()):
            uploaded = await chat.upload(given)
            assert (uploaded.media_type, uploaded.width > 0) == ("image/jpeg", True)
        await (await chat.send([uploaded, "What is this?"]))
        mine = next(each for each in chat.messages if each["role"] == "user")
        assert mine["metadata"]["loopwire"]["content"][0]["blob_id"] == uploaded.blob_id
        with pytest.raises(Refused) as refused:
            await chat.upload(b"no picture", "image/png")
        assert refused.value.code == "image_unreadable"


async def test_a_message_is_judged(quick: Served) -> None:
    async with connect(quick.url, service="submission") as chat:
        await (await chat.send(OPENING))
        answer = next(each for each in chat.messages if each["role"] == "assistant" and "content" in each)
        await chat.feedback(answer["id"], "up")
        await chat.feedback(answer["id"], "down", reason="wrong", comment="Faltam 3 peças.")
        with pytest.raises(Refused) as refused:
            await chat.feedback(answer["id"], "up", comment="Nada.")
        assert refused.value.code == "bad_frame"
        await chat.feedback(answer["id"], None)
        with pytest.raises(Refused) as refused:
            await chat.feedback("msg_none", "down")
        assert refused.value.code == "not_found"


async def test_an_approval_is_answered_once_and_the_answer_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "apps.toml"
    file.write_text('[demo]\napprovals = ["create_item"]\n')
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0", "LOOPWIRE_APPS": str(file)}) as running:
        async with (
            connect(running.url, service="submission") as chat,
            connect(running.url, session=chat.session, visitor=chat.visitor) as other,
        ):
            asks, content = [], OPENING
            while not asks:
                run = await chat.send(content)
                async for part in run:
                    if isinstance(part, Ask):
                        asks.append(part)
                        assert (await run).outcome == "interrupt"
                        assert not (await chat.answer(part, {"approved": True})).lost
                    elif not isinstance(part, Text | Tool) and getattr(part, "choices", ()):
                        content = pressed(part)
            (ask,) = asks
            assert (ask.kind, ask.tool, ask.schema["required"]) == ("approval", "create_item", ["approved"])
            assert ask.content["kind"] == "approval"
            result = await run
            assert (result.outcome, result.asks) == ("success", ())
            assert (await other.answer(ask, {"approved": True})).lost
            with pytest.raises(Refused) as refused:
                await other.answer("int_none", {"approved": True})
            assert refused.value.code == "not_found"


@pytest.mark.conformance
async def test_a_form_is_judged_and_its_answer_goes_on(quick: Served) -> None:
    async with connect(quick.url, service="chat", language="en") as chat:
        run = await chat.send("Can I arrange a pick-up?")
        (ask,) = (await run).asks
        assert (ask.kind, ask.content["fields"][0]["name"]) == ("form", "date")
        with pytest.raises(Refused) as refused:
            await chat.answer(ask, {"date": "yesterday"})
        assert refused.value.code == "bad_answer"
        given = {"date": "2031-05-02", "window": "09:00-13:00", "email": "ana@example.org"}
        assert not (await chat.answer(ask, given)).lost
        told = (await run).text
        assert all(each in told for each in given.values())
        again = await chat.send("Can I arrange a pick-up?")
        (left,) = (await again).asks
        await chat.answer(left, cancel=True)
        assert (await again).outcome == "success"


async def test_a_function_of_this_program_is_called_by_the_agent() -> None:
    called: list[str] = []
    with remote("responses") as running:
        plans = [Plan([Call("where", {"city": "Porto"})]), Plan([Said("Rua Nova, then.")])]
        async with running.model(Scripted(plans)):
            chat = connect(running.served.url, service="chat")

            @chat.tool
            def where(city: str) -> dict[str, str]:
                """Where the shop of a city is."""
                called.append(city)
                return {"street": "Rua Nova"}

            async with chat:
                run = await chat.send("Where is your shop in Porto?")
                parts = await read(run)
                assert words(parts) == "Rua Nova, then."
                assert [each.status for each in parts if isinstance(each, Tool)][-1] == "done"
                assert not [each for each in parts if isinstance(each, Ask)]
                assert (await run).outcome == "success"
    assert called == ["Porto"]


async def test_a_stop_ends_an_answer_and_keeps_what_was_said() -> None:
    with remote("responses") as running:
        async with running.model(Scripted()) as server, connect(running.served.url, service="chat") as chat:
            Model(server).held(sentences(10)).let(6)
            run = await chat.send("Olá")
            async for part in run:
                if isinstance(part, Text):
                    break
            assert chat.run is not None and chat.run.status == "running"
            await run.stop()
            result = await run
            assert (result.status, result.outcome) == ("finished", "cancelled")
            assert result.text and sentences(10).startswith(result.text.strip())
            await run.stop()


async def test_a_run_that_fails_is_told_with_its_code() -> None:
    with remote("responses") as running:
        async with running.model(Scripted()) as server, connect(running.served.url, service="chat") as chat:
            server.faults.add(ServerError(), times=None)
            result = await (await chat.send("Olá"))
            assert (result.status, result.outcome, result.code) == ("error", None, "model_error")
            assert result.message


@pytest.mark.conformance
async def test_a_message_that_waits_is_read_when_its_turn_comes() -> None:
    with remote("responses") as running:
        async with running.model(Scripted()) as server, connect(running.served.url, service="chat") as chat:
            tap = Model(server).held("first answer")
            Model(server).will_say("second answer")
            one, two = await chat.send("one"), await chat.send("two")
            reading = asyncio.ensure_future(read(two))
            tap.open()
            assert words(await read(one)) == "first answer"
            assert words(await reading) == "second answer"
