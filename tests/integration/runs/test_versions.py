"""Versions as runs: the active path is published, stored and remembered, for all readers and after a crash."""

from __future__ import annotations

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from server.errors import NotEditable, NotFound, TooManyVersions
from server.limits import Limits
from server.protocol.commands import Edit, Regenerate, Switch, TextPart
from server.protocol.events import ours
from server.runs import crash_points
from server.runs.submission.versions import VersionCommands
from tests.contract.store.conftest import Talk
from tests.integration.runs.instances import Instance, instance, rested, settled
from tests.integration.runs.test_take_over import LEASE_S, dying
from tests.parts.agui_client import Client
from tests.parts.sampled import later
from tests.parts.wait import until_async

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


def answers(*texts: str) -> ScriptedModel:
    return ScriptedModel([[assistant_message(text)] for text in texts])


async def edits(here: Instance, session, of: str, text: str, id: str = "e1"):
    part = TextPart(type="text", text=text)
    return await here.runs.versions.edit(
        session, Edit(type="edit", id=id, message_id=of, content=[part]), "en"
    )


async def again(here: Instance, session, of: str, id: str = "g1"):
    return await here.runs.versions.regenerate(
        session, Regenerate(type="regenerate", id=id, message_id=of), "en"
    )


async def shows(here: Instance, session, of: str, id: str = "s1"):
    return await here.runs.versions.switch(session, Switch(type="switch", id=id, message_id=of), "en")


async def wait_until_published(here: Instance, ack) -> None:
    async def is_published() -> bool:
        return (await here.store.runs.get(ack.run_id)).published

    await until_async(is_published, what="the run to be published")


def texts(messages) -> list[str]:
    return [each.get("content", "") for each in messages]


async def same_everywhere(here: Instance, session, screen) -> list[str]:
    """Return the texts of the active path, as events, stored messages and a snapshot give it alike."""
    stored = (await here.store.messages.transcript(session.id)).messages
    assert screen.folded.messages == stored
    assert (await here.runs.snapshot(session.id)).transcript.messages == stored
    return texts(stored)


async def test_an_edit_a_new_answer_and_a_switch_are_told_as_they_are_stored(store, live_url, agui: Client):
    script = answers("Hi.", "Fine.", "Good.", "Better.", "Back.")
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        first = await here.say(session, "hello")
        await wait_until_published(here, first)
        second = await here.say(session, "how are you?")
        await wait_until_published(here, second)
        third = await edits(here, session, second.message_id, "how is it?")
        await wait_until_published(here, third)
        assert await same_everywhere(here, session, screen) == ["hello", "Hi.", "how is it?", "Good."]
        fourth = await again(here, session, screen.folded.messages[-1]["id"])
        await wait_until_published(here, fourth)
        assert await same_everywhere(here, session, screen) == ["hello", "Hi.", "how is it?", "Better."]
        versions = [second.message_id, third.message_id, fourth.message_id]
        assert ours(screen.folded.messages[2])["versions"] == versions
        await wait_until_published(here, await shows(here, session, second.message_id))
        assert await same_everywhere(here, session, screen) == ["hello", "Hi.", "how are you?", "Fine."]
        assert ours(screen.folded.messages[2])["versions"] == versions
        await wait_until_published(here, await here.say(session, "and now?"))
        assert texts(screen.folded.messages)[-3:] == ["Fine.", "and now?", "Back."]
        # The model reads the active path only.
        read = [[each["content"] for each in call.input] for call in script.calls]
        assert read[2] == read[3] == ["hello", "Hi.", "how is it?"]
        assert read[4] == ["hello", "Hi.", "how are you?", "Fine.", "and now?"]
        events = [each.event for each in screen.entries]
        assert await agui.do("verify", events=events) == {"count": len(events)}
        dup = await edits(here, session, second.message_id, "how is it?")
        assert (dup.dup, dup.run_id) == (True, third.run_id)


@pytest.mark.once
async def test_an_edit_stops_the_answer_that_is_being_written(store, live_url):
    """What was written stays in its version."""
    waits = [function_call("wait", {"name": "gate"}, call_id="c1")]
    script = ScriptedModel([waits, [assistant_message("Hi.")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        first = await here.say(session, "hello")
        await until_async(lambda: "TOOL_CALL_END" in screen.types(), what="the call")
        waiting = await here.say(session, "are you there?")
        await wait_until_published(here, await edits(here, session, first.message_id, "good morning"))
        assert await same_everywhere(here, session, screen) == ["good morning", "Hi."]
        await wait_until_published(here, await shows(here, session, first.message_id))
        stored = await same_everywhere(here, session, screen)
        assert (stored[0], stored[-1]) == ("hello", "are you there?")
        assert screen.folded.messages[-1]["id"] == waiting.message_id
        assert ours(screen.folded.messages[-2])["ended"] == {"outcome": "cancelled"}


@pytest.mark.once
@pytest.mark.parametrize(
    "place",
    [
        later("publish.MESSAGES_SNAPSHOT"),
        crash_points.BEFORE_FINISH,
        later(crash_points.AFTER_FINISH),
    ],
)
async def test_an_edit_whose_process_dies_is_told_once_by_another(store, live_url, place):
    script = answers("Hi.", "Hi again.", "Hi again.")
    async with instance(store, live_url, script, lease_s=LEASE_S, capacity=0) as watching:
        session = await watching.session()
        async with instance(store, live_url, script) as before:
            first = await before.say(session, "hello")
            await wait_until_published(before, first)
            await rested(before)
        screen = await watching.screen(session)
        screen.folded = (await watching.runs.snapshot(session.id)).transcript
        async with instance(store, live_url, script, lease_s=LEASE_S, point=dying(place)) as here:
            await wait_until_published(watching, await edits(here, session, first.message_id, "good morning"))
            await until_async(lambda: screen.ends() == 1, what="one end")
        assert await same_everywhere(watching, session, screen) == ["good morning", "Hi again."]
        assert len(ours(screen.folded.messages[0])["versions"]) == 2


@pytest.mark.once
async def test_a_version_far_up_tells_the_end_of_its_path_with_the_cursor_before_it(store, live_url):
    session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="en")
    talk = Talk(store, session)
    for each in range(10):
        await talk.turn(f"m{each}", *(f"re {each}" for _ in range(11)))
    async with instance(store, live_url, answers("re other")) as here:
        screen = await here.screen(session)
        ids = [each["id"] for each in (await store.messages.transcript(session.id)).messages]
        await wait_until_published(here, await edits(here, session, ids[96], "other"))
        assert screen.folded.older
        assert screen.folded.messages[0]["id"] == ids[46]
        assert [each["id"] for each in screen.folded.messages[:50]] == ids[46:96]
        assert texts(screen.folded.messages)[50:] == ["other", "re other"]
        before = (await here.runs.snapshot(session.id)).before
        page = await store.messages.page(session.id, session.principal, before=before)
        assert page.messages[-1]["id"] == ids[47]
        whole = (await store.messages.transcript(session.id)).messages
        assert [each["id"] for each in whole[:96]] == ids[:96]


@pytest.mark.once
async def test_a_version_of_an_answer_or_of_a_foreign_message_is_refused(store, live_url):
    async with instance(store, live_url, answers("Hi.", "Hi.")) as here:
        session, other = await here.session(), await here.session()
        said = await here.say(session, "hello")
        await settled(here, session)
        answer = (await store.messages.transcript(session.id)).messages[1]["id"]
        with pytest.raises(NotEditable):
            await edits(here, session, answer, "no")
        for act in (edits(here, other, said.message_id, "no"), shows(here, other, said.message_id)):
            with pytest.raises(NotFound):
                await act
        with pytest.raises(NotFound):
            await again(here, session, "msg_none")
        commands = here.runs.versions
        assert isinstance(commands, VersionCommands)
        assert commands.most == Limits().versions_per_message
        commands.most = 2
        first = await edits(here, session, said.message_id, "yes")
        await wait_until_published(here, first)
        with pytest.raises(TooManyVersions):
            await edits(here, session, said.message_id, "more", "e2")
        assert (await edits(here, session, said.message_id, "yes")).dup
