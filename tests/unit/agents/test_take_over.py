"""A run that dies anywhere is continued from its last checkpoint, and what may happen once happens once."""

import asyncio
import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from agents.models.chatcmpl_converter import Converter
from agents.testing import ModelStep

from server.protocol.shown_state import PRIVATE
from server.store.rows import Checkpoint
from tests.parts.sampled import later
from tests.unit.agents.outlet import Memory, Play, Recorder
from tests.unit.agents.teams import Bench, ScriptedModel, assistant_message, function_call

_ids = itertools.count()


def brain() -> ScriptedModel:
    """Return a model without memory: it reads what was done and does the next thing."""

    def answer(asked: Any) -> list[Any]:
        done = [item["name"] for item in asked.input if item.get("type") == "function_call"]
        call_id = f"call_{next(_ids)}"
        if "look" not in done:
            return [
                assistant_message("Vejo."),
                function_call("look", {"word": "x"}, call_id=call_id),
            ]
        if "transfer_to_second" not in done:
            return [function_call("transfer_to_second", {}, call_id=call_id)]
        if "pay" not in done:
            return [
                assistant_message("Pago."),
                function_call("look", {"word": "y"}, call_id=call_id + "b"),
                function_call("pay", {"amount": 5, "key": None}, call_id=call_id),
            ]
        return [assistant_message("Pronto.")]

    return ScriptedModel([ModelStep.respond(answer) for _ in range(40)])


async def killed(play: Play, at: int) -> tuple[Recorder, Checkpoint | None, Any]:
    """Run until event number `at`, and die there: what comes later reaches nobody."""
    turn, out = play.prepare("oi")
    dead = asyncio.Event()
    last: list[Checkpoint] = []

    def count(event: dict[str, Any]) -> None:
        if len(out.events) >= at:
            dead.set()

    def keep(checkpoint: Checkpoint) -> None:
        if not dead.is_set():
            last[:] = [out.checkpoints[-1]]

    out.on, out.on_checkpoint = count, keep
    running = asyncio.get_running_loop().create_task(play.go(turn, out))
    death = asyncio.get_running_loop().create_task(dead.wait())
    await asyncio.wait({running, death}, return_when=asyncio.FIRST_COMPLETED)
    running.cancel()
    await asyncio.wait({running})
    death.cancel()
    return out, (last[0] if last else None), turn


async def taken_over(play: Play, turn: Any, checkpoint: Checkpoint | None) -> Recorder:
    """Another process goes on."""
    again = replace(turn, run=replace(turn.run, attempt=2), checkpoint=checkpoint)
    out = Recorder(turn.run.id, "ses_1", turn.run.content, ledger=play.ledger)
    return await play.go(again, out)


@pytest.mark.parametrize("at", [at if at % 3 == 1 else later(at) for at in range(4, 32)])
async def test_a_run_killed_after_any_event_is_finished_by_another_process(at: int) -> None:
    bench = Bench()
    play = Play(bench.service(), brain())
    _, checkpoint, turn = await killed(play, at)
    assert play.result is None, "the run had ended before it could be killed"
    paid_before = bench.done.count("pay 5")
    out = await taken_over(Play(bench.service(), brain(), ledger=play.ledger), turn, checkpoint)
    assert bench.done.count("pay 5") == 1, (paid_before, bench.done)
    assert out.text().endswith("Pronto.")
    texts = [m for m in out.transcript.messages if m.get("role") == "assistant" and m.get("content")]
    assert [m["content"] for m in texts] == ["Vejo.", "Pago.", "Pronto."]
    assert out.transcript.run is not None and out.transcript.run.outcome == {"type": "success"}


async def test_the_history_after_a_take_over_is_that_of_an_undisturbed_run() -> None:
    calm = Play(Bench().service(), brain())
    await calm.say("oi")
    whole = shape(calm)
    for at in range(4, 30):
        bench = Bench()
        play = Play(bench.service(), brain())
        _, checkpoint, turn = await killed(play, at)
        if play.result is not None:
            continue
        second = Play(bench.service(), brain(), ledger=play.ledger)
        await taken_over(second, turn, checkpoint)
        assert shape(second) == whole, at
        assert second.state == calm.state


def shape(play: Play) -> list[Any]:
    """Return a history without its ids."""
    assert play.result is not None
    return [
        (item.get("role") or item["type"], item.get("name"), item.get("output")) for item in play.result.items
    ]


async def test_a_run_that_is_taken_over_reads_the_earlier_conversation_in_a_shape_for_every_dialect() -> None:
    """The SDK writes plain texts into its state in half the shape of Responses, which Chat Completions refuses."""
    said = [{"role": "user", "content": "olá"}, {"role": "assistant", "content": "Sim."}]
    bench, read = Bench(), []

    def answer(asked: Any) -> list[Any]:
        read.append(list(asked.input))
        return [assistant_message("Pronto.")]

    play = Play(bench.service(), brain(), history=list(said))
    _, checkpoint, turn = await killed(play, 20)
    assert checkpoint is not None and checkpoint.run_state
    assert "Sim." not in checkpoint.run_state, "each checkpoint would hold the whole history"
    second = Play(bench.service(), ScriptedModel([ModelStep.respond(answer)]), ledger=play.ledger)
    await taken_over(second, turn, checkpoint)
    assert read[0][:2] == said
    assert len(Converter.items_to_messages(read[0])) >= 3


async def test_a_once_call_waits_for_a_checkpoint_with_its_exact_id() -> None:
    bench = Bench()
    play = Play(bench.service(), brain())
    turn, out = play.prepare("oi")
    seen: list[tuple[int, int]] = []
    out.on_checkpoint = lambda checkpoint: seen.append((bench.done.count("pay 5"), len(out.checkpoints)))
    await play.go(turn, out)
    ledger_call = play.ledger.asked[0][0]
    before = [c for c in out.checkpoints if c.run_state and f'"{ledger_call}"' in c.run_state]
    assert before and seen[0][0] == 0
    first_with_call = out.checkpoints.index(before[0])
    assert seen[first_with_call][0] == 0
    assert play.state == {"handed": 1, "paid": 5, PRIVATE: {"sums": [5], "token": "tok_9"}}
    assert "tok_9" not in json.dumps(out.events)


async def test_a_once_call_that_died_inside_is_told_as_unknown_and_not_repeated() -> None:
    bench = Bench()
    play = Play(bench.service(), brain())
    turn, out = play.prepare("oi")
    kept: list[Checkpoint] = []
    out.on_checkpoint = lambda checkpoint: kept.append(out.checkpoints[-1])
    await play.go(turn, out)
    paying = [c for c in kept if c.run_state and '"next_step_interruption"' in c.run_state][-1]
    other = Play(bench.service(), brain())
    await other.ledger.begin(turn.run.id, play.ledger.asked[0][0], "pay", "once", "", None)
    again = await taken_over(other, turn, paying)
    results = {e["toolCallId"]: e for e in again.of("TOOL_CALL_RESULT")}
    assert results[play.ledger.asked[0][0]]["metadata"]["loopwire"]["status"] == "unknown"
    assert bench.done.count("pay 5") == 1
    assert other.result is not None
    outputs = {i["call_id"]: i["output"] for i in other.result.items if "output" in i}
    assert json.loads(outputs[play.ledger.asked[0][0]])["error"] == "unknown_outcome"


async def test_a_once_call_that_breaks_is_unknown_and_one_known_by_its_key_is_reused() -> None:
    bench = Bench()
    model = ScriptedModel(
        [
            [function_call("lose", {}, call_id="c1")],
            [function_call("pay", {"amount": -7, "key": "k"}, call_id="c0")],
            [function_call("pay", {"amount": 7, "key": "k"}, call_id="c2")],
            [function_call("pay", {"amount": 7, "key": "k"}, call_id="c3")],
            [assistant_message("ok")],
        ]
    )
    out = await Play(bench.service(), model).say()
    statuses = [e["metadata"]["loopwire"]["status"] for e in out.of("TOOL_CALL_RESULT")]
    assert statuses == ["unknown", "failed", "done", "done"]
    assert bench.done == ["lose", "pay 7"]


async def test_a_call_that_happens_once_does_not_begin_when_the_run_may_be_anothers() -> None:
    """Its process stood still after the intent was noted: the next attempt may have said that nobody knows."""
    bench = Bench()
    play = Play(bench.service(), brain())
    turn, out = play.prepare("oi")
    begin = play.ledger.begin

    async def late(*about: Any) -> Any:
        entry = await begin(*about)
        out.is_over = True
        return entry

    play.ledger.begin = late  # type: ignore[method-assign]
    await play.go(turn, out)
    assert bench.done.count("pay 5") == 0
    assert play.ledger.rows == {}, "nothing was done, so the next attempt may do it"


@pytest.mark.parametrize(
    "broken", ["", "{", '{"v": 9}', '{"v": 1, "sdk": {"$schemaVersion": "99.0"}, "tally": {}}']
)
async def test_a_state_that_cannot_be_restored_starts_again_from_the_kept_items(broken: str) -> None:
    bench = Bench()
    play = Play(bench.service(), brain())
    turn, out = play.prepare("oi")
    await play.go(turn, out)
    checkpoint = replace(out.checkpoints[1], run_state=broken)
    other = Play(bench.service(), brain(), ledger=play.ledger)
    again = await taken_over(other, turn, checkpoint)
    assert again.text().endswith("Pronto.")
    assert other.result is not None
    assert [i.get("role") for i in other.result.items].count("user") == 1


async def test_counts_against_the_limits_survive_a_take_over() -> None:
    bench = Bench()
    play = Play(bench.service(), brain())
    _, checkpoint, _turn = await killed(play, 18)
    assert checkpoint is not None and checkpoint.run_state is not None
    run_usage = json.loads(checkpoint.run_state)["tally"]
    assert run_usage["model_calls"] >= 1 and run_usage["tool_calls"] >= 1


class Broken(Memory):
    """A ledger whose database is away at one of its verbs."""

    def __init__(self, verb: str) -> None:
        super().__init__()
        setattr(self, verb, self._refuse)

    async def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise OSError("db://secret")


@pytest.mark.parametrize(
    ("verb", "amount", "status", "paid"),
    [
        ("begin", 5, "failed", []),
        ("done", 5, "done", ["pay 5"]),
        ("failed", -5, "failed", []),
    ],
)
async def test_a_ledger_that_cannot_be_reached_never_lets_a_once_call_happen_unnoted(
    verb: str, amount: int, status: str, paid: list[str]
) -> None:
    bench = Bench()
    model = ScriptedModel(
        [[function_call("pay", {"amount": amount, "key": None}, call_id="c1")], [assistant_message("ok")]]
    )
    out = await Play(bench.service(), model, ledger=Broken(verb)).say()
    assert [e["metadata"]["loopwire"]["status"] for e in out.of("TOOL_CALL_RESULT")] == [status]
    assert bench.done == paid and "secret" not in json.dumps(out.events)
