"""A message or an action of an operator is a run without a model: published once, and known to the next run."""

from __future__ import annotations

import asyncio

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from server.protocol.events import ours
from server.protocol.operators import change_part, said_part, whisper_part
from server.runs import crash_points
from server.runs.execution.ending import give_up_finish
from tests.integration.runs.asking import Asking
from tests.integration.runs.instances import Instance, Screen, instance, rested, settled
from tests.integration.runs.test_take_over import LEASE_S, dying
from tests.parts.agui_client import Client
from tests.parts.sampled import later
from tests.parts.wait import until_async

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")

TEXT = "I am Ana. **Bring** it on Monday."


async def speaks(here: Instance, session, id="o1", text=TEXT, name="Ana"):
    return await here.runs.operators.say(session, id, text, name=name, key_id="key_a")


async def joins(here: Instance, session, name="Ana"):
    await here.runs.operators.join(await here.store.sessions.load(session.id), name=name, key_id="key_a")


async def leaves(here: Instance, session):
    await here.runs.operators.hand_back(await here.store.sessions.load(session.id), key_id="key_a")


def texts(messages) -> list[tuple[str, str | None, object]]:
    """Return who said what: the role, the name, and the words or what the activity shows."""
    return [(each["role"], each.get("name"), each.get("content")) for each in messages]


@pytest.mark.once
async def test_a_message_of_an_operator_is_a_note_that_ag_uis_client_accepts(store, live_url, agui: Client):
    script = ScriptedModel([])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        ack = await speaks(here, session)
        await until_async(lambda: screen.ends() == 1, what="the end")
        await settled(here, session)
        assert screen.types() == [
            "RUN_STARTED",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "RUN_FINISHED",
        ]
        assert ours(screen.entries[0].event)["kind"] == "note"
        start = screen.entries[1].event
        assert (start["role"], start["name"], ours(start)) == ("assistant", "Ana", {"operator": True})
        events = [each.event for each in screen.entries]
        assert await agui.do("verify", events=events) == {"count": len(events)}
        stored = (await store.messages.transcript(session.id)).messages
        assert texts(stored) == [("assistant", "Ana", TEXT)]
        assert stored == screen.folded.messages
        assert stored == (await here.runs.snapshot(session.id)).transcript.messages
        again = await speaks(here, session)
        assert (again.dup, again.run_id, again.message_id) == (True, ack.run_id, ack.message_id)
        assert script.calls == ()


async def test_the_next_run_reads_what_the_person_said_and_that_it_was_one(store, live_url):
    script = ScriptedModel([[assistant_message("Hi.")], [assistant_message("On Monday.")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        await here.say(session, "hello")
        await settled(here, session)
        await speaks(here, session)
        await settled(here, session, 2)
        await here.say(session, "when?")
        await settled(here, session, 3)
        assert [(each["role"], each["content"]) for each in script.calls[1].input] == [
            ("user", "hello"),
            ("assistant", "Hi."),
            ("assistant", f"[This was written by a person of the team, Ana, not by an agent.]\n{TEXT}"),
            ("user", "when?"),
        ]


@pytest.mark.once
@pytest.mark.parametrize(
    "place",
    [
        later("publish.TEXT_MESSAGE_START"),
        crash_points.BEFORE_FINISH,
        later(crash_points.AFTER_FINISH),
        later(crash_points.AFTER_APPEND),
    ],
)
async def test_a_message_whose_process_dies_is_told_once_by_another(store, live_url, place):
    script = ScriptedModel([])
    async with (
        instance(store, live_url, script, lease_s=LEASE_S, capacity=0) as watching,
        instance(store, live_url, script, lease_s=LEASE_S, point=dying(place)) as here,
    ):
        session = await here.session()
        screen = await watching.screen(session)
        await speaks(here, session)
        await until_async(lambda: screen.ends() == 1, what="one end")
        await settled(watching, session)
        assert screen.ends() == 1
        stored = (await store.messages.transcript(session.id)).messages
        assert texts(stored) == [("assistant", "Ana", TEXT)]
        assert screen.folded.messages == stored
        assert ours(stored[0])["operator"]


async def test_a_message_that_one_instance_takes_is_told_by_another(store, live_url):
    script = ScriptedModel([])
    async with (
        instance(store, live_url, script, capacity=0) as door,
        instance(store, live_url, script) as worker,
    ):
        session = await door.session()
        screens = [await each.screen(session) for each in (door, worker)]
        await speaks(door, session)
        await until_async(lambda: all(each.ends() == 1 for each in screens), what="the end everywhere")
        assert [texts(each.folded.messages) for each in screens] == [[("assistant", "Ana", TEXT)]] * 2


@pytest.mark.once
async def test_no_model_is_asked_until_a_joined_operator_has_left(store, live_url, agui: Client):
    script = ScriptedModel([[assistant_message("I am back.")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        await joins(here, session)
        await joins(here, session)  # Once more changes nothing.
        await here.say(session, "is it open on Sunday?")
        await speaks(here, session)
        await leaves(here, session)
        await leaves(here, session)
        await settled(here, session, 4)
        assert script.calls == ()
        assert texts(screen.folded.messages) == [
            ("activity", None, {"status": "joined", "name": "Ana"}),
            ("user", None, "is it open on Sunday?"),
            ("assistant", "Ana", TEXT),
            ("activity", None, {"status": "left", "name": "Ana"}),
        ]
        await here.say(session, "thanks")
        await settled(here, session, 5)
        assert next(each["content"] for each in script.calls[0].input) == "is it open on Sunday?"
        assert screen.folded.messages == (await store.messages.transcript(session.id)).messages
        assert screen.folded.messages[-1]["content"] == "I am back."
        for run in runs_of(screen):
            assert await agui.do("verify", events=run) == {"count": len(run)}


def runs_of(screen: Screen) -> list[list[dict]]:
    """Return the stretches of the log, each from the start to the end of one run."""
    found: list[list[dict]] = []
    for each in screen.entries:
        if each.event["type"] == "RUN_STARTED":
            found.append([])
        found[-1].append(each.event)
    return found


async def test_an_operator_who_joins_stops_the_answer_on_another_instance(store, live_url):
    script = ScriptedModel([[function_call("wait", {"name": "g"}, call_id="c1")]])
    async with (
        instance(store, live_url, ScriptedModel([]), capacity=0) as door,
        instance(store, live_url, script) as worker,
    ):
        session = await worker.session()
        screen = await door.screen(session)
        await worker.say(session, "first")
        await worker.bench.entered.get()
        await worker.say(session, "second")
        await joins(door, session)
        await until_async(lambda: screen.ends() == 3, what="three ends")
        await settled(door, session, 3)
        outcomes = [
            each.event["outcome"]["type"] for each in screen.entries if each.event["type"] == "RUN_FINISHED"
        ]
        assert outcomes == ["cancelled", "success", "success"]
        assert screen.folded.messages[-1]["content"] == {"status": "joined", "name": "Ana"}
        assert screen.folded.messages == (await store.messages.transcript(session.id)).messages
        assert len(script.calls) == 1


async def test_an_operator_who_joins_closes_the_open_questions_and_a_message_does_not(store, live_url):
    script = ScriptedModel([[function_call("give", {"what": "bread"}, call_id="c1")]])
    async with instance(store, live_url, script, bench=Asking()) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "give me bread")
        await settled(here, session)
        waits = [each for each in screen.folded.messages if each["role"] == "activity"]
        assert [each["content"]["status"] for each in waits] == ["open"]
        await speaks(here, session)
        await settled(here, session, 2)
        assert screen.folded.message(waits[0]["id"])["content"]["status"] == "open"
        assert (await store.sessions.load(session.id)).status == "waiting"
        assert [each.kind for each in await store.interrupts.open_in(session.id)] == ["approval"]
        await joins(here, session)
        await settled(here, session, 3)
        assert screen.folded.message(waits[0]["id"])["content"]["status"] == "closed"
        assert await store.interrupts.open_in(session.id) == []
        assert screen.folded.messages == (await store.messages.transcript(session.id)).messages


@pytest.mark.once
async def test_a_visitors_stop_does_not_take_back_what_an_operator_said(store, live_url):
    script = ScriptedModel([[function_call("wait", {"name": "g"}, call_id="c1")], [assistant_message("one")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "first")
        await here.bench.entered.get()
        ack = await speaks(here, session)
        assert (await here.runs.queue(session.id)).items == [], (
            "what a person of the team said is none of the visitor's"
        )
        stopped = await store.runs.request_cancel(session.id, run_id=ack.run_id)
        assert stopped is not None
        here.bench.gate("g").set()
        await until_async(lambda: screen.ends() == 2, what="both ends")
        assert screen.entries[-1].event["outcome"] == {"type": "success"}
        assert texts(screen.folded.messages)[-1] == ("assistant", "Ana", TEXT)
        await settled(here, session, 2)


@pytest.mark.conformance
@pytest.mark.once
async def test_a_thousand_messages_at_once_store_what_may_wait_and_each_that_is_stored_is_told_once(
    store, live_url
):
    script = ScriptedModel([])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        done = await asyncio.gather(
            *(speaks(here, session, id=f"o{n}", text=f"message {n}") for n in range(1_000)),
            return_exceptions=True,
        )
        taken = [each for each in done if not isinstance(each, BaseException)]
        assert {getattr(each, "code", None) for each in done} <= {None, "busy", "rate_limited", "unavailable"}
        assert 0 < len(taken) <= 20
        await until_async(lambda: screen.ends() == len(taken), what="their ends")
        await settled(here, session, len(taken))
        assert sorted(each["id"] for each in screen.folded.messages) == sorted(
            each.message_id for each in taken
        )


@pytest.mark.once
async def test_an_operator_without_a_name_is_shown_as_the_team(store, live_url):
    async with instance(store, live_url, ScriptedModel([])) as here:
        session = await here.session()
        screen = await here.screen(session)
        await speaks(here, session, name=None)
        await settled(here, session)
        assert "name" not in screen.folded.messages[0]
        assert ours(screen.folded.messages[0])["operator"]


async def test_operator_actions_are_stored_in_the_session_language_and_by_key(store, live_url):
    async with instance(store, live_url, ScriptedModel([]), capacity=0) as here:
        session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="fr")
        said = await here.runs.operators.say(session, "o1", "Hello.", name="Ana", key_id="key_a")
        told = await here.runs.operators.say(
            session, "o2", "Be brief.", name=None, key_id="key_b", whisper=True
        )
        await here.runs.operators.join(session, name="Ana", key_id="key_c")
        joined = await store.sessions.load(session.id)
        assert joined.operator is not None
        assert (joined.operator["key"], joined.operator["name"]) == ("key_c", "Ana")
        await here.runs.operators.hand_back(joined, key_id="key_d")
        assert (await store.sessions.load(session.id)).operator is None
        runs = []
        for _ in range(4):
            claim = await store.runs.claim("me", 60)
            assert claim is not None
            runs.append(claim.run)
            await store.runs.finish(claim.run.id, claim.run.fence, give_up_finish(claim))
            await store.runs.mark_published(claim.run.id, claim.run.fence)
        recorded = await store.operator_actions.list_newest(9, session_id=session.id)
    assert [(each.action, each.key_id) for each in reversed(recorded)] == [
        ("message", "key_a"),
        ("whisper", "key_b"),
        ("join", "key_c"),
        ("leave", "key_d"),
    ]
    assert [each.content for each in runs] == [
        [said_part("Hello.", "Ana")],
        [whisper_part("Be brief.", None)],
        [change_part("joined", "Ana")],
        [change_part("left", "Ana")],
    ]
    assert {each.language for each in runs} == {"fr"}
    assert [each.client_id.partition("_")[0] for each in runs] == ["o1", "o2", "opr", "opr"]
    assert [(said.id, said.dup, said.run_id, said.message_id), (told.id, told.run_id)] == [
        ("o1", None, runs[0].id, runs[0].message_id),
        ("o2", runs[1].id),
    ]


@pytest.mark.once
async def test_an_operators_words_begin_and_end_no_run_of_the_agents(store, live_url):
    """A whisper is shown to nobody; the next model reads it."""
    script = ScriptedModel([[assistant_message("Short.")]])
    async with instance(store, live_url, script) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.runs.operators.say(session, "o1", "Be brief.", name=None, key_id="key_a", whisper=True)
        await rested(here)
        assert screen.types() == ["RUN_STARTED", "RUN_FINISHED"]
        await here.say(session, "hello")
        await rested(here)
        assert "Be brief." in str(script.calls[0].input)
        assert "Be brief." not in str(screen.folded.messages)
