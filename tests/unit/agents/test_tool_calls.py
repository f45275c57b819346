"""One call of a tool: how each end is told to the model, noted in the ledger, and logged."""

from __future__ import annotations

import asyncio
import json
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from agents.tool_context import ToolContext

from server.agents.context import RunContext, StateTooLarge, current_call, recorded
from server.agents.run import tool_calls
from server.agents.run.events.event_emitter import EventEmitter
from server.agents.run.tool_calls import (
    AWAY,
    UNKNOWN,
    AnsweredFailure,
    ToolDeclaration,
    ToolFailure,
    args_hash,
    invoking,
)
from server.errors import ModelBusy, RunFailed, Unavailable
from server.store.rows import LedgerEntry
from tests.unit.agents.outlet import Memory, NoConversations, Recorder

ARGUMENTS = '{"key": "k1"}'


class Noting(Memory):
    """A ledger that keeps what it was told of each call, and is away at these verbs."""

    def __init__(self, *away: str, error: Exception | None = None) -> None:
        super().__init__()
        self.noted: list[tuple[Any, ...]] = []
        for verb in away:
            setattr(self, verb, self._refuse)
        self._error = error or OSError("db://secret")

    async def begin(self, *about: Any) -> LedgerEntry:
        """Note an intent."""
        self.noted.append(about)
        return await super().begin(*about)

    async def _refuse(self, *args: Any) -> Any:
        raise self._error


class Call:
    """One call of a tool with this body and declaration."""

    def __init__(
        self, body: Any, effect: Any = "read", ledger: Memory | None = None, **declared: Any
    ) -> None:
        self.out = Recorder("run_1", "ses_1", [], ledger=ledger or Memory())
        self.emitter = EventEmitter(self.out)
        self.run = RunContext(
            session_id="ses_1",
            run_id="run_1",
            principal="pri_1",
            app="demo",
            service="test",
            language="en",
            conversations=NoConversations(),
            emitter=self.emitter,
        )
        self.view = ToolDeclaration(effect, declared.pop("timeout_s", 20.0), **declared)
        self.invoke = invoking(body, self.view)

    async def made(self, call_id: str = "c1") -> tuple[str, Any]:
        """Make the call as the SDK does; returns its status and what the model reads."""
        ctx = ToolContext(context=self.run, tool_name="pay", tool_call_id=call_id, tool_arguments=ARGUMENTS)
        read = json.loads(await self.invoke(ctx))
        return await self.emitter.end_call(call_id, self.view), read

    @property
    def rows(self) -> dict[tuple[str, str], LedgerEntry]:
        """Return what the ledger has."""
        return self.out.ledger.rows


def raising(error: BaseException) -> Any:
    """Return the body of a tool that raises this."""

    async def body(ctx: Any) -> Any:
        raise error

    return body


def giving(value: Any, done: list[str] | None = None) -> Any:
    """Return the body of a tool that returns this."""

    async def body(ctx: Any) -> Any:
        if done is not None:
            done.append("done")
        return value

    return body


async def hang(ctx: Any) -> Any:
    await asyncio.Event().wait()


LARGE = {"error": "state_too_large", "message": "The state would be too large."}

ENDS: list[tuple[Any, Any]] = [
    (raising(ToolFailure("There is none.", code="none")), {"error": "none", "message": "There is none."}),
    (raising(ToolFailure("No.")), {"error": "failed", "message": "No."}),
    (raising(AnsweredFailure("No.", code="refused")), {"error": "refused", "message": "No."}),
    (hang, {"error": "timeout", "message": "The tool took too long."}),
    (raising(Unavailable()), AWAY),
    (raising(StateTooLarge("The state would be too large.")), LARGE),
    (raising(RuntimeError("db://secret")), {"error": "failed", "message": "The tool failed."}),
]


@pytest.mark.parametrize(("body", "read"), ENDS)
async def test_a_model_reads_one_neutral_sentence_of_a_call_that_failed(body: Any, read: Any) -> None:
    for effect in ("read", "idempotent"):
        call = Call(body, effect, timeout_s=0.05 if body is hang else 20.0)
        assert await call.made() == ("failed", read)
        assert call.rows == {}
    assert AWAY == {"error": "unavailable", "message": "Not done: try again later."}


REFUSED = {"error": "refused", "message": "No."}


@pytest.mark.parametrize(
    ("body", "status", "read", "kept"),
    [
        (giving({"paid": 5}), "done", {"paid": 5}, {"value": {"paid": 5}, "did": []}),
        (raising(ToolFailure("No.", code="refused")), "failed", REFUSED, None),
        (
            raising(AnsweredFailure("No.", code="refused")),
            "failed",
            REFUSED,
            {"value": REFUSED, "did": [], "status": "failed"},
        ),
        *((body, "unknown", UNKNOWN, "unknown") for body, _ in ENDS[3:]),
    ],
)
async def test_of_a_call_that_happens_once_the_end_is_noted(
    body: Any, status: str, read: Any, kept: Any
) -> None:
    ledger = Noting()
    call = Call(body, "once", ledger, timeout_s=0.05 if body is hang else 20.0)
    assert await call.made() == (status, read)
    assert ledger.noted == [("run_1", "c1", "pay", "once", args_hash(ARGUMENTS), None)]
    if kept is None:
        assert call.rows == {}
        return
    entry = LedgerEntry("unknown", None, False) if kept == "unknown" else LedgerEntry("done", kept, False)
    assert call.rows == {("run_1", "c1"): entry}
    if kept != "unknown":
        done: list[str] = []
        again = Call(giving("again", done), "once", ledger)
        assert (await again.made(), done) == ((status, read), []), "its first result is given again"


def by_key(run: RunContext, arguments: dict[str, Any]) -> str:
    return f"{run.app} {arguments['key']}"


async def test_a_failure_of_a_part_is_told_by_its_sentence_and_is_unknown_where_it_may_have_happened() -> (
    None
):
    fault: RunFailed = ModelBusy()
    done = Call(raising(fault), "read")
    status, read = await done.made()
    assert (status, read["error"]) == ("failed", "model_busy")
    done.run.language = "pt"
    _, other = await done.made()
    assert read["message"] and other["message"] and read["message"] != other["message"]
    once = Call(raising(fault), "once")
    assert await once.made() == ("unknown", UNKNOWN)
    keyed = Call(raising(fault), "once", keyed=True, business_key=by_key)
    assert (await keyed.made())[0] == "failed"
    assert keyed.rows == {}, "the other side knows the key: the call may be made again"


@pytest.mark.parametrize(
    ("keyed", "key", "again"), [(True, by_key, True), (True, None, False), (False, by_key, False)]
)
async def test_a_call_whose_end_nobody_knows_is_made_again_only_where_the_other_side_knows_its_key(
    keyed: bool, key: Any, again: bool
) -> None:
    ledger, done = Memory(), []
    await ledger.begin("run_1", "c1", "pay", "once", args_hash(ARGUMENTS), key and "demo k1")
    call = Call(giving("paid", done), "once", ledger, keyed=keyed, business_key=key)
    assert await call.made() == (("done", "paid") if again else ("unknown", UNKNOWN))
    assert done == (["done"] if again else [])
    assert [each.state for each in call.rows.values()] == ["done" if again else "unknown"]


async def test_a_key_names_what_a_call_does_whatever_its_own_id_is() -> None:
    ledger, done = Noting(), []
    call = Call(giving("paid", done), "once", ledger, business_key=by_key)
    assert [await call.made(each) for each in ("c1", "c2")] == [("done", "paid")] * 2
    assert [each[-1] for each in ledger.noted] == ["demo k1", "demo k1"]
    assert done == ["done"]


async def test_a_noted_call_stays_noted_when_the_lease_may_be_lost() -> None:
    ledger = Memory()
    await ledger.begin("run_1", "c1", "pay", "once", args_hash(ARGUMENTS), "demo k1")
    call = Call(giving("paid"), "once", ledger, keyed=True, business_key=by_key)
    call.out.is_over = True
    assert await call.made() == ("failed", AWAY)
    assert [each.state for each in call.rows.values()] == ["intent"]


@pytest.mark.parametrize(
    ("body", "away", "status"),
    [
        (giving("paid"), "begin", "failed"),
        (giving("paid"), "keep_result", "done"),
        (raising(ToolFailure("No.")), "forget", "failed"),
        (raising(RuntimeError()), "mark_unknown", "unknown"),
    ],
)
@pytest.mark.parametrize("error", [OSError("db://secret"), Unavailable()], ids=["broken", "away"])
async def test_a_ledger_that_fails_is_logged_and_changes_no_end(
    body: Any, away: str, status: str, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    call = Call(body, "once", Noting(away, error=error))
    found, read = await call.made()
    assert found == status
    assert away != "begin" or read == AWAY
    said = "tool pay could not be noted" if away == "begin" else "the end of a call could not be noted"
    (record,) = [each for each in caplog.records if said in each.getMessage()]
    if isinstance(error, Unavailable):
        assert (record.levelno, record.exc_info) == (logging.WARNING, None)
    else:
        assert record.levelno == logging.ERROR
        assert record.exc_info is not None and record.exc_info[1] is error


async def test_the_ledger_keeps_the_changes_of_a_call_as_they_were_at_its_end() -> None:
    async def pay(ctx: Any) -> str:
        ctx.context.private["sums"].append(len(ctx.context.private["sums"]))
        ctx.context.private.pop("old", None)
        ctx.context.set_state(paid=len(ctx.context.private["sums"]))
        return "paid"

    call = Call(pay, "once")
    call.run.private.update(sums=[], old=1, same=[2])
    for each in ("c1", "c2"):
        await call.made(each)
    first, second = (entry.result["did"] for entry in call.rows.values())
    assert first == [
        {"did": "state", "changes": {"paid": 1}},
        {"did": "private", "changes": {"sums": [0]}, "gone": ["old"]},
    ]
    assert second == [
        {"did": "state", "changes": {"paid": 2}},
        {"did": "private", "changes": {"sums": [0, 1]}, "gone": []},
    ]


async def test_a_call_that_only_forgets_is_kept_too_and_one_that_changes_nothing_has_nothing_to_keep() -> (
    None
):
    async def forget(ctx: Any) -> str:
        ctx.context.private.pop("old", None)
        return "ok"

    call = Call(forget, "once")
    call.run.private["old"] = 1
    for each in ("c1", "c2"):
        await call.made(each)
    assert [entry.result["did"] for entry in call.rows.values()] == [
        [{"did": "private", "changes": {}, "gone": ["old"]}],
        [],
    ]


@pytest.mark.parametrize("effect", ["read", "once"])
async def test_a_call_is_at_work_only_until_its_end(effect: str) -> None:
    seen: list[Any] = []

    async def look(ctx: Any) -> None:
        seen.append((current_call.get(), recorded.get()))
        raise ValueError

    call = Call(look, effect)
    await call.made()
    assert seen == [("c1", [] if effect == "once" else None)]
    assert (current_call.get(), recorded.get()) == ("", None)


async def test_a_result_says_how_long_its_call_took(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(tool_calls, "time", clock)

    async def work(ctx: Any) -> None:
        clock.now += 1.5

    call = Call(work)
    await call.made()
    (result,) = call.out.of("TOOL_CALL_RESULT")
    assert result["metadata"]["loopwire"]["duration_ms"] == 1500


async def test_a_call_that_is_cut_after_its_end_shows_what_it_gave() -> None:
    call = Call(giving({"paid": 5, "token": "t"}), "once", result=lambda r: {"paid": r["paid"]})
    ctx = ToolContext(context=call.run, tool_name="pay", tool_call_id="c1", tool_arguments=ARGUMENTS)
    await call.invoke(ctx)
    call.emitter.close()
    (result,) = call.out.of("TOOL_CALL_RESULT")
    assert (result["toolCallId"], json.loads(result["content"])) == ("c1", {"paid": 5})
    assert result["metadata"]["loopwire"]["status"] == "done"


async def test_a_stopped_call_ends_its_task() -> None:
    begun = asyncio.Event()

    async def wait(ctx: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    call = Call(wait, "once")
    going = asyncio.create_task(call.made())
    await begun.wait()
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert [each.state for each in call.rows.values()] == ["unknown"]


class Claimed(NoConversations):
    """Conversations of which a user has claimed each, or whose database is away."""

    def __init__(self, *, away: bool) -> None:
        self._away = away

    async def owner_of(self, session_id: str) -> str:
        if self._away:
            raise Unavailable
        return f"usr_of_{session_id}"


@pytest.mark.parametrize(("away", "whose"), [(False, "usr_of_ses_1"), (True, "vis_1")])
async def test_a_call_is_that_of_whose_the_conversation_is_by_now(away: bool, whose: str) -> None:
    async def me(ctx: Any) -> str:
        return str(ctx.context.principal)

    call = Call(me)
    call.run.principal, call.run.conversations = "vis_1", Claimed(away=away)
    assert await call.made() == ("done", whose)
