"""Faults around an interrupt: a tool that fails after the approval, an unreadable state, a holder that dies."""

import asyncio
import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from sqlalchemy import update

from server.agents.tools import ToolFailure, tool
from server.bus.log.log import log_key, meta_key
from server.errors import BadFrame, Busy, NotFound
from server.runs import crash_points
from server.store import GivenAnswer
from server.store.tables import checkpoints
from tests.integration.runs.asking import QUESTIONS, WHERE, Asked, Asking, yes
from tests.integration.runs.instances import instance, open_store
from tests.integration.runs.test_take_over import LEASE_S, dying
from tests.parts import process
from tests.parts.checkpoints import checkpoint_of
from tests.parts.sampled import later
from tests.parts.server import clean_environment, started
from tests.parts.wait import PATIENCE_S, until_async
from tests.unit.agents.teams import Ctx


def script(*first):
    """Return a model that makes these calls, and afterwards says what it read of their results."""

    def last(asked):
        outputs = [item["output"] for item in asked.input if item.get("type") == "function_call_output"]
        return [assistant_message(" | ".join(outputs) or "nothing")]

    return ScriptedModel([[*first], *[ModelStep.respond(last) for _ in range(9)]])


GIVE = function_call("give", {"what": "bread"}, call_id="c1")
FORM = function_call("ask_user", {"message": "Sizes", "questions": QUESTIONS}, call_id="c1")


class Frail(Asking):
    """`spend` asks a person first, and then does not manage to."""

    def tools(self) -> list[Any]:
        @tool(effect="once", approval=lambda run, a: "Spend it?")
        async def spend(ctx: Ctx, how: str) -> str:
            """Spend."""
            self.done.append(f"spend {how}")
            raise ToolFailure("There is nothing left.", code="empty") if how == "none" else RuntimeError(how)

        return [*super().tools(), spend]


@pytest.mark.once
@pytest.mark.parametrize(
    ("how", "status", "read"), [("none", "failed", "empty"), ("db", "unknown", "unknown")]
)
async def test_a_tool_that_fails_after_the_yes_says_so_and_the_run_goes_on(
    store, live_url, how, status, read
):
    call = function_call("spend", {"how": how}, call_id="c1")
    async with instance(store, live_url, script(call), bench=Frail()) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
        await talk.answer(yes(waits))
        assert here.bench.done == [f"spend {how}"]
        assert talk.block(waits)["status"] == "answered"
        assert talk.results() == {"c1": status}
        assert talk.outcome() == {"type": "success"}
        assert read in talk.screen.folded.messages[-1]["content"]
        await talk.agrees()


@pytest.mark.once
@pytest.mark.parametrize("state", ["", "{}", '{"v": 1, "sdk": {"$schemaVersion": "99"}, "tally": {}}'])
async def test_an_answer_whose_state_nobody_can_read_fails_and_the_conversation_goes_on(
    store, live_url, state
):
    async with instance(store, live_url, script(GIVE), bench=Asking()) as here:
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
        async with store.database.write() as connection:
            await connection.execute(update(checkpoints).values(run_state=state))
        ack = await talk.answer(yes(waits))
        run = talk.screen.folded.run
        assert (run.id, run.status, run.code) == (ack.run_id, "error", "instance_lost")
        assert talk.block(waits)["status"] == "answered"
        assert talk.results() == {"c1": "stopped"}
        assert here.bench.done == []
        assert await checkpoint_of(store, ack.run_id) is None
        await talk.agrees()
        await talk.say("and now?")
        assert talk.outcome() == {"type": "success"}
        assert "not_answered" in talk.screen.folded.messages[-1]["content"]
        await talk.agrees()


class Alone(Asking):
    """A service that takes no tools of a page."""

    def service(self, **changes: Any) -> Any:
        return super().service(client_tools=False, **changes)


@pytest.mark.once
async def test_a_service_may_take_no_tools_of_a_page(store, live_url):
    said = ScriptedModel([[assistant_message("Done.")]])
    async with instance(store, live_url, said, bench=Alone()) as here:
        talk = await Asked.of(here)
        with pytest.raises(BadFrame):
            await talk.say("hello", tools=[WHERE])
        assert await store.runs.queue(talk.session.id) == []
        await talk.say("hello")
        assert talk.outcome() == {"type": "success"}


@pytest.mark.conformance
@pytest.mark.once
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("log", [later("kept"), "lost"])
@pytest.mark.parametrize("call", [pytest.param(GIVE, id="approval"), later(FORM, id="form")])
async def test_a_question_whose_run_ended_unpublished_is_told_by_another(store, live_url, call, log):
    async with instance(
        store, live_url, script(call), bench=Asking(), lease_s=60, point=dying(crash_points.AFTER_FINISH)
    ) as here:
        session = await here.session()
        ack = await here.say(session, "hello")

        async def unpublished() -> bool:
            return bool(await store.runs.list_unpublished(0))

        await until_async(unpublished, what="the end that is not published")
        await here.runs.worker.aclose(drain_s=0)
    if log == "lost":
        with redis.Redis.from_url(live_url) as client:
            client.delete(log_key(session.id), meta_key(session.id))
    bench = Asking()
    done = ScriptedModel([[assistant_message("Done.")]])
    async with instance(store, live_url, done, bench=bench, lease_s=LEASE_S, capacity=0) as watching:
        talk = Asked(watching, session, await watching.screen(session))
        async with instance(store, live_url, done, bench=bench, lease_s=LEASE_S) as other:
            await talk.ended(1)
            (waits,) = await talk.open()
            folded = (await other.runs.snapshot(session.id)).transcript
            stored = await store.messages.transcript(session.id)
            assert folded.messages == stored.messages
            assert folded.message(waits.block_id)["content"]["status"] == "open"
            assert folded.message("c1")["metadata"]["loopwire"]["waits"]["block_id"] == waits.block_id
            assert folded.run.outcome["type"] == "interrupt"
            told = talk.screen.entries[-1].event
            assert (told["type"], told["runId"]) == ("RUN_FINISHED", ack.run_id)
            assert [each["id"] for each in told["outcome"]["interrupts"]] == [waits.id]
            payload = {"size": "S"} if waits.kind == "form" else None
            await talk.answer(yes(waits, payload))
            stored = await store.messages.transcript(session.id)
            assert stored.messages[-1]["content"] == "Done."
            if log == "lost":  # What the screen saw began with the end that was told anew.
                assert talk.screen.folded.messages == stored.messages


@dataclass(frozen=True)
class DyingProcess:
    """Another process over the same parts, which answers yes and is killed in the middle of the approved call."""

    folder: Path
    live_url: str
    durable_url: str | None

    async def answers(self, session_id: str, interrupt_id: str) -> None:
        """Have it say yes, and wait until it is dead."""
        argv = ["tests.integration.runs.dying_process", str(self.folder), self.live_url]
        argv += [session_id, interrupt_id, *filter(None, [self.durable_url])]
        child = started(argv, log=self.folder / "log", env=clean_environment(), fresh=False)
        try:
            ended = await asyncio.to_thread(child.wait, PATIENCE_S)
        finally:
            process.kill_group(child)
        assert ended == -signal.SIGKILL, process.tail(self.folder / "log")

    def given(self) -> list[Mapping[str, Any]]:
        """Return what was really given away."""
        return [json.loads(line) for line in (self.folder / "given").read_text().splitlines()]


@pytest.mark.once
async def test_an_approved_call_whose_process_is_killed_in_its_middle_is_unknown_and_never_repeated(
    tmp_path, live_url, durable_url
):
    async with (
        open_store(durable_url, tmp_path) as store,
        instance(store, live_url, script(GIVE), bench=Asking()) as here,
    ):
        talk = await Asked.of(here)
        await talk.say("hello")
        (waits,) = await talk.open()
    other = DyingProcess(tmp_path, live_url, durable_url)
    await other.answers(talk.session.id, waits.id)
    assert other.given() == [{"what": "bread"}]

    def read(asked: Any) -> Any:
        (output,) = [each["output"] for each in asked.input if each.get("type") == "function_call_output"]
        return [assistant_message(output)]

    bench = Asking()
    model = ScriptedModel([ModelStep.respond(read)])
    async with (
        open_store(durable_url, tmp_path) as store,
        instance(store, live_url, model, bench=bench, lease_s=LEASE_S) as here,
    ):

        async def over() -> bool:
            return await store.runs.running(
                talk.session.id
            ) is None and not await store.runs.list_unpublished(0)

        await until_async(over, what="another one to end the run")
        stored = await store.messages.transcript(talk.session.id)
        (result,) = [each for each in stored.messages if each["role"] == "tool"]
        assert (result["toolCallId"], result["metadata"]["loopwire"]["status"]) == ("c1", "unknown")
        assert "unknown_outcome" in stored.messages[-1]["content"]
        assert (await here.runs.snapshot(talk.session.id)).transcript.messages == stored.messages
    assert bench.done == []
    assert other.given() == [{"what": "bread"}]


class Late:
    """The runs of a store whose ends are committed when a test says so."""

    def __init__(self, runs: Any) -> None:
        self.reached, self.gate = asyncio.Event(), asyncio.Event()
        self._runs = runs

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runs, name)

    async def finish(self, *end: Any) -> None:
        self.reached.set()
        await self.gate.wait()
        await self._runs.finish(*end)


@pytest.mark.once
async def test_an_answer_before_the_question_is_committed_is_told_to_come_again(store, live_url):
    late = Late(store.runs)
    store.runs = late
    async with instance(store, live_url, script(GIVE), bench=Asking()) as here:
        talk = await Asked.of(here)
        await here.say(talk.session, "hello")
        await late.reached.wait()
        (block,) = [each["content"] for each in talk.screen.folded.messages if each["role"] == "activity"]
        approved, forged = (
            GivenAnswer("resolved", {"approved": True}, interrupt_id=each)
            for each in (block["interrupt_id"], "int_forged")
        )
        for given in (approved, forged):
            with pytest.raises(Busy) as caught:
                await here.runs.resume(talk.session, f"x {given.interrupt_id}", [given], "en")
            assert caught.value.retry
            assert 0 < (caught.value.retry_after or 0) < 1
        late.gate.set()
        await talk.ended(1)
        with pytest.raises(NotFound):
            await here.runs.resume(talk.session, f"x {forged.interrupt_id}", [forged], "en")
        await talk.answer(approved, id=f"x {approved.interrupt_id}")
        assert here.bench.done == ["give bread"]
        await talk.agrees()
