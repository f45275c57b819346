"""Another version of a message as its run is given it: the tools, the page, the state and the agent of its place."""

from __future__ import annotations

from typing import Any

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from server.errors import TooManyVersions
from server.protocol.commands import ClientTool, Edit, Message, Regenerate, Switch, TextPart
from server.protocol.content_parts import CONTEXT, SWITCH
from tests.integration.runs.instances import Instance, instance, rested

HELLO = [TextPart(type="text", text="hello")]
AGAIN = [TextPart(type="text", text="good morning")]
WHERE, WHEN = ClientTool(name="where"), ClientTool(name="when")


def hi(count: int = 4) -> ScriptedModel:
    return ScriptedModel([[assistant_message("Hi.")] for _ in range(count)])


async def said(here: Instance, session: Any) -> Any:
    """Say hello from a page with a tool, and wait for the answer."""
    given = Message(type="message", id="m1", content=HELLO, tools=[WHERE], context={"page": "/a"})
    ack = await here.runs.submit(session, given, "en")
    await rested(here)
    return ack


@pytest.mark.once
@pytest.mark.parametrize(
    ("given", "tools", "pages"),
    [
        ({}, ["where"], [{"page": "/a"}]),
        ({"tools": [WHEN]}, ["when"], [{"page": "/a"}]),
        ({"context": {"page": "/b"}}, ["where"], [{"page": "/b"}]),
        ({"context": {}}, ["where"], []),
    ],
)
async def test_an_edit_goes_with_the_tools_and_the_page_of_the_message_unless_it_brings_its_own(
    store, live_url, given: dict[str, Any], tools: list[str], pages: list[Any]
) -> None:
    async with instance(store, live_url, hi()) as here:
        session = await here.session()
        first = await said(here, session)
        edit = Edit(type="edit", id="e1", message_id=str(first.message_id), content=AGAIN, **given)
        ack = await here.runs.versions.edit(session, edit, "fr")
        run = await store.runs.get(ack.run_id)
        await rested(here)
    assert (ack.id, ack.dup, ack.message_id) == ("e1", None, run.message_id)
    assert (run.client_id, run.language, run.kind) == ("e1", "fr", "agent")
    assert [each["name"] for each in run.tools or ()] == tools
    text, *rest = run.content
    assert (text["text"], rest) == ("good morning", [{"type": CONTEXT, "data": each} for each in pages])
    assert run.branch == {"version_of": first.message_id}


async def test_a_new_answer_goes_with_all_that_the_message_had(store, live_url) -> None:
    async with instance(store, live_url, hi()) as here:
        session = await here.session()
        first = await said(here, session)
        answer = (await store.messages.transcript(session.id)).messages[-1]["id"]
        asked = Regenerate(type="regenerate", id="g1", message_id=answer)
        ack = await here.runs.versions.regenerate(session, asked, "fr")
        run, before = await store.runs.get(ack.run_id), await store.runs.get(first.run_id)
        await rested(here)
    assert (ack.id, ack.dup, ack.message_id) == ("g1", None, run.message_id)
    assert (run.client_id, run.language, run.kind) == ("g1", "fr", "agent")
    assert (run.content, run.tools) == (before.content, before.tools)
    assert run.branch == {"version_of": first.message_id}


async def test_a_switch_is_stored_as_a_note_without_a_message(store, live_url) -> None:
    async with instance(store, live_url, hi()) as here:
        session = await here.session()
        first = await said(here, session)
        switch = Switch(type="switch", id="s1", message_id=str(first.message_id))
        ack = await here.runs.versions.switch(session, switch, "fr")
        run = await store.runs.get(ack.run_id)
        await rested(here)
    assert (ack.id, ack.dup, ack.message_id) == ("s1", None, None)
    assert (run.client_id, run.language, run.kind, run.tools) == ("s1", "fr", "note", None)
    assert run.content == [{"type": SWITCH, "message_id": first.message_id}]
    assert run.branch == {"switch_to": first.message_id}


async def test_a_version_too_many_is_refused_by_its_id_however_it_is_asked_for(store, live_url) -> None:
    async with instance(store, live_url, hi()) as here:
        session = await here.session()
        first = await said(here, session)
        here.runs.versions.most = 1
        id = str(first.message_id)
        with pytest.raises(TooManyVersions) as edited:
            await here.runs.versions.edit(
                session, Edit(type="edit", id="e1", message_id=id, content=AGAIN), "en"
            )
        with pytest.raises(TooManyVersions) as again:
            await here.runs.versions.regenerate(
                session, Regenerate(type="regenerate", id="g1", message_id=id), "en"
            )
    assert (edited.value.id, again.value.id) == ("e1", "g1")


@pytest.mark.once
async def test_an_edit_continues_with_the_state_and_the_agent_of_its_place(store, live_url) -> None:
    """The first message hands over and is paid; what replaces it knows nothing of that."""
    pay = function_call("pay", {"amount": 3}, call_id="c1")
    hand = function_call("transfer_to_second", {}, call_id="c2")
    script = ScriptedModel(
        [
            [pay],
            [hand],
            [assistant_message("Paid.")],
            [assistant_message("Well.")],
            [assistant_message("New.")],
            [assistant_message("Fresh.")],
        ]
    )
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        first = await here.say(session, "pay")
        await rested(here)
        second = await here.say(session, "and now?")
        await rested(here)
        after = await store.sessions.load(session.id)
        assert (after.agent, after.state["paid"]) == ("second", 3)
        assert script.calls[3].system_instructions == "You are second."
        edit = Edit(type="edit", id="e1", message_id=str(second.message_id), content=AGAIN)
        await here.runs.versions.edit(session, edit, "en")
        await rested(here)
        assert script.calls[4].system_instructions == "You are second."
        assert screen.folded.state["paid"] == 3
        edit = Edit(type="edit", id="e2", message_id=str(first.message_id), content=AGAIN)
        await here.runs.versions.edit(session, edit, "en")
        await rested(here)
        assert script.calls[5].system_instructions == "You are first."
        assert "paid" not in screen.folded.state
        assert (await store.sessions.load(session.id)).agent == "first"
        # What happens once stays done, and the conversation says so.
        kept = [each for each in screen.folded.messages if each["id"].startswith("kept_")]
        assert [each["content"]["kind"] for each in kept] == ["notice"]
        stored = (await store.messages.transcript(session.id)).messages
        assert screen.folded.messages == stored
