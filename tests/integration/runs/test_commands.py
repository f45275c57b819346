"""The commands of people as they are stored: what a run is given to work with, and what is refused."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from server.agents.service import Service
from server.errors import BadAnswer, BadFrame, NotFound, OverBudget
from server.protocol.commands import Cancel, ClientTool, ImagePart, Message, TextPart
from server.protocol.content_parts import CONTEXT
from server.services import decision
from server.store import Budget, GivenAnswer
from server.tracing.trace_context import take_stored
from tests.integration.runs.asking import QUESTIONS, Asked, Asking, yes
from tests.integration.runs.instances import instance, message, rested
from tests.parts.wait import PATIENCE_S, until_async
from tests.unit.agents.teams import Bench

HOOK = "https://shop.example/hook"
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def hi() -> ScriptedModel:
    return ScriptedModel([[assistant_message("Hi.")] for _ in range(4)])


async def test_a_message_is_stored_with_its_language_its_page_and_the_pages_tools(store, live_url):
    async with instance(store, live_url, hi()) as here:
        session = await here.session()
        where = ClientTool(name="where", description="Where?", parameters={"type": "object"}, effect=True)
        said = [TextPart(type="text", text="hello")]
        given = Message(type="message", id="m1", content=said, tools=[where], context={"page": "/a"})
        ack = await here.runs.submit(session, given, "fr")
        run = await store.runs.get(ack.run_id)
        await rested(here)
    assert (ack.id, ack.dup, ack.message_id) == ("m1", None, run.message_id)
    assert (run.client_id, run.language, run.kind, run.branch) == ("m1", "fr", "agent", None)
    assert run.content == [{"type": "text", "text": "hello"}, {"type": CONTEXT, "data": {"page": "/a"}}]
    assert run.tools == [
        {"name": "where", "description": "Where?", "parameters": {"type": "object"}, "effect": True}
    ]


async def picture(store: Any, session: Any, size: tuple[int, int] = (30, 20)) -> str:
    kept: str = await store.blobs.put_image(
        principal=session.principal,
        session_id=session.id,
        media_type="image/webp",
        data=b"picture",
        size=size,
        keep_s=600,
    )
    return kept


@pytest.mark.once
async def test_a_picture_of_a_message_is_shown_with_its_size_and_kept_as_long_as_the_message(store, live_url):
    script = hi()
    async with instance(store, live_url, script) as here:
        session, other = await here.session(), await here.session()
        id = await picture(store, session)
        parts = [ImagePart(type="image", blob_id=id), TextPart(type="text", text="look")]
        ack = await here.runs.submit(session, Message(type="message", id="m1", content=parts), "en")
        run = await store.runs.get(ack.run_id)
        assert run.content == [
            {
                "type": "image",
                "blob_id": id,
                "url": f"/v1/sessions/{session.id}/blobs/{id}",
                "width": 30,
                "height": 20,
            },
            {"type": "text", "text": "look"},
        ]
        assert [each.id for each in await store.blobs.of_messages(session.id, session.principal)] == [id]
        with pytest.raises(NotFound):
            await here.runs.submit(other, Message(type="message", id="m2", content=parts), "en")
        await rested(here)
    assert "data:image/webp;base64," in str(script.calls[0].input), "the model sees it"


@dataclass
class Requests(Bench):
    """A service that takes requests."""

    def service(self, **changes: Any) -> Service:
        """Return it."""
        return super().service(contract=decision.service.contract, **changes)


@pytest.mark.once
async def test_a_service_with_a_contract_takes_requests_and_no_messages(store, live_url):
    request = {
        "content": [{"type": "input", "data": {"a": 1}, "text": "a request"}],
        "language": "en",
        "callback_url": HOOK,
        "private": True,
    }
    async with instance(store, live_url, hi(), bench=Requests(), capacity=0) as here:
        session = await here.session()
        with pytest.raises(BadFrame, match="/loopos_ai_decision"):
            await here.say(session, "hello")
        take_stored(TRACE)
        run_id = await here.runs.submit_request(session, "r1", **request)
        assert await here.runs.submit_request(session, "r1", **request) == run_id
        run = await store.runs.get(run_id)
    assert (run.client_id, run.language, run.callback_url) == ("r1", "en", HOOK)
    (part,) = run.content
    assert (part["text"], run.trace_context) == ("a request", TRACE)
    assert part["data"] != {"a": 1}, "what is private is not stored in the clear"


@pytest.mark.once
async def test_the_end_of_a_run_of_which_its_own_sender_wants_the_answer_is_announced(store, live_url):
    announced: list[bool] = []
    give = function_call("give", {"what": "bread"}, call_id="c1")
    script = ScriptedModel([[give], [assistant_message("Here.")]])
    async with instance(
        store, live_url, script, bench=Asking(), on_end=lambda: announced.append(True)
    ) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
        assert announced == []
        take_stored(TRACE)
        ack = await here.runs.resume(talk.session, "r1", [yes(waits)], "fr", callback_url=HOOK)
        run = await store.runs.get(ack.run_id)
        assert (ack.id, ack.dup, run.callback_url, run.language) == ("r1", None, HOOK, "fr")
        assert run.trace_context == TRACE
        await rested(here)
    assert announced == [True]


@pytest.mark.once
async def test_an_answer_that_does_not_fit_is_refused_by_its_id_in_the_language_of_who_gave_it(
    store, live_url
):
    call = function_call("ask_user", {"message": "Sizes", "questions": QUESTIONS}, call_id="c1")
    async with instance(store, live_url, ScriptedModel([[call]]), bench=Asking()) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
        sentences = []
        for language in ("en", "pt"):
            with pytest.raises(BadAnswer) as caught:
                await here.runs.resume(talk.session, "r1", [yes(waits, {"size": "XL"})], language)
            assert caught.value.id == "r1"
            sentences.append(str(caught.value))
        assert len(set(sentences)) == 2
        wrong = GivenAnswer("resolved", {"size": "S", "count": 0}, interrupt_id=waits.id)
        with pytest.raises(BadAnswer, match="count"):
            await here.runs.resume(talk.session, "r2", [wrong], "en")


@pytest.mark.once
async def test_the_budget_of_an_app_is_that_of_its_messages_and_of_its_answers(store, live_url):
    give = function_call("give", {"what": "bread"}, call_id="c1")
    async with instance(store, live_url, ScriptedModel([[give]]), bench=Asking()) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
    spent = {"demo": Budget(principal=0, app=0)}
    async with instance(store, live_url, hi(), bench=Asking(), capacity=0, budgets=spent) as here:
        with pytest.raises(OverBudget):
            await here.say(talk.session, "hello")
        with pytest.raises(OverBudget):
            await here.runs.resume(talk.session, "r1", [yes(waits)], "en")
        other = await store.sessions.create(app="other", principal="vis_9", service="test", language="en")
        assert (await here.say(other, "hello")).run_id, "the budget is another app's"


@pytest.mark.once
async def test_a_message_that_is_stopped_in_the_queue_leaves_it_on_every_screen(store, live_url):
    waiting = [function_call("wait", {"name": "g"}, call_id="c1")]
    script = ScriptedModel([waiting, [assistant_message("one")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "first")
        await here.bench.entered.get()
        ack = await here.say(session, "second", "m2")
        queued = {"run_id": ack.run_id, "message_id": ack.message_id, "id": "m2", "text": "second"}
        (item,) = (await here.runs.queue(session.id)).items
        assert item.model_dump(exclude_none=True) == queued
        await until_async(lambda: any(b"second" in each for each in screen.frames), what="it in the queue")
        stop = await here.runs.cancel(session, Cancel(type="cancel", id="x", message_id="m2"))
        assert (stop.id, stop.run_id) == ("x", ack.run_id)
        await until_async(lambda: b"second" not in screen.frames[-1], what="it out of the queue")
        here.bench.gate("g").set()
        await rested(here)


@pytest.mark.once
async def test_the_agents_tools_and_the_end_of_a_log_are_known(store, live_url):
    async with instance(store, live_url, hi()) as here:
        session = await here.session()
        await here.runs.submit(session, message("hello"), "en")
        await rested(here)
        assert "look" in here.runs.tools("demo", "test")
        reached = await here.runs.reached_seqs([session.id])
        assert reached == {session.id: (await here.runs.snapshot(session.id)).seq}


@pytest.mark.once
async def test_a_message_is_taken_in_at_once_though_all_slots_are_busy(store, live_url):
    script = ScriptedModel([[function_call("wait", {"name": "g"}, call_id="c1")]])
    async with instance(store, live_url, script, capacity=1) as here:
        await here.say(await here.session(), "hello")
        await here.bench.entered.get()
        other = await here.session()
        async with asyncio.timeout(PATIENCE_S):
            ack = await here.say(other, "hello")
        assert (await store.runs.get(ack.run_id)).status == "queued"
        await here.runs.worker.aclose(drain_s=0)
