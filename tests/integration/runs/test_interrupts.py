"""Runs that wait for a person or a page: their events, and the effect of an answer, once."""

import asyncio
from dataclasses import replace

import pytest
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

from server.agents.service import RunLimits
from server.errors import Answered, BadAnswer, Expired, NotFound
from server.protocol.commands import ClientTool
from server.runs import crash_points
from server.store import GivenAnswer
from tests.integration.runs.asking import QUESTIONS, WHERE, Asked, Asking, no, yes
from tests.integration.runs.instances import instance, open_store
from tests.integration.runs.test_take_over import dying
from tests.parts.checkpoints import checkpoint_of
from tests.parts.sampled import later

pytestmark = pytest.mark.once

GIVE = function_call("give", {"what": "bread"}, call_id="c1")


def script(*first):
    """Return a model that makes these calls, and afterwards says what it read of their results."""

    def last(asked):
        outputs = [item["output"] for item in asked.input if item.get("type") == "function_call_output"]
        return [assistant_message(" | ".join(outputs) or "nothing")]

    return ScriptedModel([[assistant_message("Well."), *first], *[ModelStep.respond(last) for _ in range(9)]])


async def test_an_approved_call_is_executed_once_and_the_run_goes_on(store, live_url):
    bench = Asking()
    async with instance(store, live_url, script(GIVE), bench=bench) as here:
        talk = await Asked.of(here)
        first = await talk.say("hello")
        assert bench.done == []
        (waits,) = await talk.open()
        (told,) = talk.outcome()["interrupts"]
        assert (waits.kind, waits.message, waits.call_id) == ("approval", "Give bread?", "c1")
        assert (told["id"], told["toolCallId"]) == (waits.id, "c1")
        block = talk.block(waits)
        assert (block["kind"], block["status"], block["tool"]) == ("approval", "open", "give")
        assert block["pairs"] == [{"label": "what", "value": "bread"}]
        await talk.agrees()

        ack = await talk.answer(yes(waits), id="x1")
        assert bench.done == ["give bread"]
        assert talk.screen.folded.run.parent_run_id == first.run_id
        assert talk.screen.folded.run.id == ack.run_id
        assert talk.outcome() == {"type": "success"}
        assert talk.block(waits)["status"] == "answered" and talk.block(waits)["answer"] == {"approved": True}
        assert talk.results() == {"c1": "done"}
        assert talk.screen.types().count("TOOL_CALL_START") == 1
        assert talk.screen.folded.messages[-1]["content"] == '{"given": "bread"}'
        assert [each["role"] for each in talk.screen.folded.messages].count("user") == 1
        await talk.agrees()
        assert await checkpoint_of(store, ack.run_id) is None

        again = await here.runs.resume(talk.session, "x1", [yes(waits)], "en")
        assert (again.dup, again.run_id) == (True, ack.run_id)
        with pytest.raises(Answered):
            await here.runs.resume(talk.session, "x2", [yes(waits)], "en")
        await talk.say("and now?")
        assert talk.screen.folded.messages[-1]["content"] == '{"given": "bread"}'


async def test_the_model_reads_the_conversation_once_before_and_after_an_answer(store, live_url):
    read = []

    def heard(*output):
        def respond(asked):
            read.append([item["content"] for item in asked.input if item.get("role") == "user"])
            return list(output)

        return ModelStep.respond(respond)

    steps = [heard(assistant_message("Hi.")), heard(GIVE), heard(assistant_message("Here."))]
    model = ScriptedModel([*steps, heard(assistant_message("Yes."))])
    async with instance(store, live_url, model, bench=Asking()) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        await talk.say("bread, please")
        (waits,) = await talk.open()
        await talk.answer(yes(waits))
        await talk.say("more?")
    asked = ["hello", "bread, please"]
    assert read == [["hello"], asked, asked, [*asked, "more?"]]


async def test_a_declined_call_is_never_executed_and_the_model_reads_why(store, live_url):
    bench = Asking()
    async with instance(store, live_url, script(GIVE), bench=bench) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
        await talk.answer(no(waits, "too much"))
        assert bench.done == []
        said = talk.screen.folded.messages[-1]["content"]
        assert "declined" in said and "too much" in said
        assert talk.block(waits)["status"] == "declined"
        assert talk.results() == {"c1": "stopped"}
        await talk.agrees()


async def test_a_form_takes_what_fits_and_says_what_does_not(store, live_url):
    call = function_call("ask_user", {"message": "Sizes", "questions": QUESTIONS}, call_id="c1")
    async with instance(store, live_url, script(call), bench=Asking()) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
        assert [each["input"] for each in talk.block(waits)["fields"]] == ["choice", "integer"]
        with pytest.raises(BadAnswer, match="size: Choose one of the options"):
            await talk.answer(yes(waits, {"size": "XL"}))
        with pytest.raises(BadAnswer, match="count: The least is 1"):
            await talk.answer(yes(waits, {"size": "S", "count": 0}))
        await talk.answer(yes(waits, {"size": "S", "count": 2}))
        assert talk.screen.folded.messages[-1]["content"] == '{"size": "S", "count": 2}'
        assert talk.block(waits)["answer"] == {"size": "S", "count": 2}
        await talk.agrees()


async def test_a_form_that_cannot_be_drawn_is_not_asked(store, live_url):
    odd = {"type": "object", "properties": {"a": {"type": "array"}}}
    call = function_call("ask_user", {"message": "Odd", "questions": odd}, call_id="c1")
    async with instance(store, live_url, script(call), bench=Asking()) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        assert talk.outcome() == {"type": "success"}
        assert "bad_form" in talk.screen.folded.messages[-1]["content"]


async def test_a_tool_of_the_page_gives_what_the_page_sends(store, live_url):
    call = function_call("where", {"deep": True}, call_id="c1")
    async with instance(store, live_url, script(call), bench=Asking()) as here:
        talk = await Asked.of(here)
        await talk.say("hello", tools=[WHERE])
        (waits,) = await talk.open()
        assert (waits.kind, waits.block_id, waits.schema) == ("tool", None, {"type": "string"})
        shown = talk.screen.folded.message("c1")["toolCalls"][0]["function"]["arguments"]
        assert shown == '{"deep": true}'
        await talk.answer(GivenAnswer("resolved", "at home", call_id="c1"))
        assert talk.screen.folded.messages[-1]["content"] == "at home"
        await talk.agrees()


@pytest.mark.parametrize("name", ["look", "transfer_to_second"])
async def test_a_tool_of_the_page_that_is_called_like_one_of_ours_is_left_out(store, live_url, name):
    async with instance(store, live_url, script(), bench=Asking()) as here:
        talk = await Asked.of(here)
        ack = await talk.say("hello", tools=[ClientTool(name=name), WHERE])
        assert [each["name"] for each in (await store.runs.get(ack.run_id)).tools] == [WHERE.name]
        assert here.runs.ignored_tools(talk.session, [name, WHERE.name]) == [name]


async def test_one_of_two_tabs_that_answer_at_once_wins(store, live_url):
    bench = Asking()
    async with instance(store, live_url, script(GIVE), bench=bench) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
        both = [here.runs.resume(talk.session, f"tab{n}", [yes(waits)], "en") for n in range(2)]
        done = await asyncio.gather(*both, return_exceptions=True)
        await talk.ended(2)
        assert sorted(type(each).__name__ for each in done) == ["Ack", "Answered"]
        assert bench.done == ["give bread"]


async def test_an_answer_may_come_after_a_restart(durable_url, tmp_path, live_url):
    async with (
        open_store(durable_url, tmp_path) as store,
        instance(store, live_url, script(GIVE), bench=Asking()) as here,
    ):
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
    bench = Asking()
    async with (
        open_store(durable_url, tmp_path) as store,
        instance(store, live_url, ScriptedModel([[assistant_message("Done.")]]), bench=bench) as here,
    ):
        later = Asked(here, talk.session, await here.screen(talk.session))
        await later.answer(yes(waits))
        assert bench.done == ["give bread"]
        stored = await store.messages.transcript(talk.session.id)
        assert stored.messages[-1]["content"] == "Done."


async def test_an_answered_call_is_executed_and_the_other_is_asked_again(store, live_url):
    bench = Asking()
    calls = [
        function_call("look", {"word": "x"}, call_id="c0"),
        GIVE,
        function_call("give", {"what": "wine"}, call_id="c2"),
    ]
    async with instance(store, live_url, script(*calls), bench=bench) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        bread, wine = await talk.open()
        ack = await talk.answer(yes(bread))
        assert bench.done == ["look x", "give bread"]
        assert [each["id"] for each in talk.outcome()["interrupts"]] == [wine.id]
        assert (talk.block(bread)["status"], talk.block(wine)["status"]) == ("answered", "open")
        assert await talk.open() == [wine]
        await talk.agrees()
        await talk.answer(no(wine))
        assert talk.screen.folded.run.parent_run_id == ack.run_id
        assert bench.done == ["look x", "give bread"]
        assert talk.results() == {"c0": "done", "c1": "done", "c2": "stopped"}
        assert talk.screen.types().count("TOOL_CALL_START") == 3
        await talk.agrees()


async def test_a_plain_message_closes_an_open_question(store, live_url):
    bench = Asking()
    async with instance(store, live_url, script(GIVE), bench=bench) as here:
        talk = await Asked.of(here)
        first = await talk.say("hello")
        (waits,) = await talk.open()
        await talk.say("never mind")
        assert bench.done == []
        assert await talk.open() == []
        assert talk.block(waits)["status"] == "closed"
        assert talk.results() == {"c1": "stopped"}
        assert "not_answered" in talk.screen.folded.messages[-1]["content"]
        assert await checkpoint_of(store, first.run_id) is None
        with pytest.raises(Answered):
            await talk.answer(yes(waits))
        await talk.agrees()


async def test_a_message_that_came_before_the_question_overrides_it_too(store, live_url):
    calls = [function_call("wait", {"name": "g"}, call_id="c0"), GIVE]
    async with instance(store, live_url, script(*calls), bench=Asking()) as here:
        talk = await Asked.of(here)
        count = asyncio.get_running_loop().create_task(talk.say("hello"))
        await here.bench.entered.get()
        await here.say(talk.session, "wait, no")
        here.bench.gate("g").set()
        await count
        await talk.ended(2)
        assert await talk.open() == []
        assert talk.results() == {"c0": "done", "c1": "stopped"}
        await talk.agrees()


async def test_an_approval_that_expires_is_told_by_a_note(store, live_url):
    bench = Asking(limits=RunLimits(approval_s=0.0))
    async with instance(store, live_url, script(GIVE), bench=bench) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = talk.outcome()["interrupts"]
        with pytest.raises(Expired):
            await here.runs.resume(
                talk.session,
                "late",
                [GivenAnswer("resolved", {"approved": True}, interrupt_id=waits["id"])],
                "en",
            )
        await talk.ended(2)
        assert (talk.screen.folded.run.kind, talk.outcome()) == ("note", {"type": "success"})
        block = talk.screen.folded.message(waits["metadata"]["loopwire"]["block_id"])["content"]
        assert block["status"] == "expired"
        assert talk.results() == {"c1": "stopped"}
        await talk.agrees()
        await talk.say("and?")
        assert "not_answered" in talk.screen.folded.messages[-1]["content"]
        assert bench.done == []


async def test_a_forged_id_and_another_persons_are_not_found(store, live_url):
    async with instance(store, live_url, script(GIVE), bench=Asking()) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
        with pytest.raises(NotFound):
            await talk.answer(GivenAnswer("resolved", {"approved": True}, interrupt_id="int_forged"))
        other = await here.session()
        for stranger in (other, replace(talk.session, principal="vis_2")):
            with pytest.raises(NotFound):
                await here.runs.resume(stranger, "s1", [yes(waits)], "en")
        assert await talk.open() == [waits]


async def test_the_limits_of_a_run_count_over_its_whole_chain(store, live_url):
    bench = Asking(limits=RunLimits(model_calls=1))
    async with instance(store, live_url, script(GIVE), bench=bench) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
        await talk.answer(yes(waits))
        assert bench.done == ["give bread"]
        assert (talk.screen.folded.run.status, talk.screen.folded.run.code) == ("error", "limit")
        assert talk.results() == {"c1": "done"}
        await talk.agrees()


async def test_a_stopped_answer_is_cancelled_and_asks_no_more(store, live_url):
    calls = [function_call("give", {"what": "bread"}, call_id="c1")]
    async with instance(store, live_url, script(*calls), bench=Asking(), capacity=8) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
        await here.runs.worker.aclose(drain_s=0)  # Nobody claims: the answer waits, and is stopped there.
        ack = await here.runs.resume(talk.session, "r", [yes(waits)], "en")
        await store.runs.request_cancel(talk.session.id, run_id=ack.run_id)
        async with instance(store, live_url, script(), bench=Asking()) as other:
            await until_told(other, talk)
        assert talk.outcome() == {"type": "cancelled"}
        assert talk.results() == {"c1": "stopped"}
        assert talk.block(waits)["status"] == "answered"


async def until_told(other, talk):
    """Wait for the end of a run that another instance executes."""
    await Asked(other, talk.session, talk.screen).ended(2)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize(
    "place",
    [
        later("append.RUN_STARTED"),
        "publish.ACTIVITY_DELTA",
        later("publish.TOOL_CALL_RESULT"),
        later(crash_points.BEFORE_FINISH),
        later(crash_points.AFTER_FINISH),
        later(crash_points.AFTER_APPEND),
    ],
)
async def test_an_answer_whose_holder_dies_is_carried_out_once_by_another(store, live_url, place):
    bench = Asking()
    async with instance(store, live_url, script(GIVE), bench=bench, lease_s=5) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
    done = ScriptedModel([[assistant_message("Done.")] for _ in range(4)])
    async with (
        instance(store, live_url, done, bench=bench, lease_s=5, capacity=0) as watching,
        instance(store, live_url, done, bench=bench, lease_s=5, point=dying(place)) as here,
    ):
        later = Asked(watching, talk.session, await watching.screen(talk.session))
        await here.runs.resume(talk.session, "r", [yes(waits)], "en")
        await later.ended(1)
        stored = await store.messages.transcript(talk.session.id)
        assert stored.messages[-1]["content"] == "Done."
        assert bench.done == ["give bread"]
        results = [each for each in stored.messages if each["role"] == "tool"]
        assert [each["toolCallId"] for each in results] == ["c1"]
