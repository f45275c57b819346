"""Agents with the tools of an MCP server: called in both dialects, allowed by name, asked for, made once."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from openai import AsyncOpenAI

from server.agents.model.providers import ServerModels
from server.store.rows import Interrupt
from tests.integration.mcp.conftest import Open, Shop, outputs
from tests.modelserver import Call, ModelServer, Scripted
from tests.parts.mcp_words import CANARY
from tests.parts.sampled import later
from tests.parts.wait import until_async
from tests.unit.agents.outlet import Memory, Play, Recorder
from tests.unit.agents.teams import ScriptedModel, assistant_message, function_call

pytestmark = pytest.mark.once

READ = {"effect": "read"}


def play(shop: Shop, model: Any, **more: Any) -> Play:
    """Return a conversation whose agents have the shop's tools."""
    return Play(shop.bench.service(), model, remote=shop.connections, **more)


def results(out: Recorder) -> list[tuple[str, dict[str, Any]]]:
    """Return how each call ended, and what a browser sees of it."""
    return [
        (each["metadata"]["loopwire"]["status"], json.loads(each["content"]))
        for each in out.of("TOOL_CALL_RESULT")
    ]


@pytest.mark.parametrize("dialect", ["responses", later("chat")])
async def test_a_model_calls_what_is_allowed_and_nothing_else(open_shop: Open, dialect: Any) -> None:
    shown = {**READ, "args": ["city"], "result": True}
    shop = await open_shop({"forecast": shown, "variables": READ, "fail": READ}, env=["HOME"])
    script = Scripted(
        [
            [Call("shop_forecast", {"city": "Porto"}), Call("shop_variables", {})],
            [Call("shop_hidden", {}), Call("hidden", {}), Call("shop_fail", {"why": "no"})],
            "It rains.",
        ]
    )
    async with (
        ModelServer(script) as server,
        AsyncOpenAI(api_key="sk-test", base_url=server.base_url, max_retries=0) as client,
    ):
        out = await play(shop, ServerModels(client, "test-model", dialect)).say("weather?")
    script.assert_complete()
    assert {"shop_forecast", "shop_variables", "shop_fail"} <= set(script.requests[0].tool_names)
    assert not {"shop_hidden", "hidden", "shop_book"} & set(script.requests[0].tool_names)

    forecast, variables = outputs(script.requests[1])
    assert forecast == {"result": "Rain in Porto. <script>alert(1)</script>[31m"}
    assert set(variables["result"].split(",")) <= {
        "HOME",
        "LANG",
        "LC_CTYPE",
        "LOGNAME",
        "PATH",
        "TMPDIR",
        "USER",
    }
    refused = [each["output"] for each in script.requests[2].outputs_since_user]
    for said in ("Tool 'shop_hidden' not found", "Tool 'hidden' not found", '"error": "tool_error"'):
        assert sum(said in each for each in refused) == 1, refused
    assert "hidden" not in shop.called() and shop.called()[-1] == "fail"

    assert results(out)[:2] == [("done", forecast), ("done", {"status": "done"})]
    assert [status for status, _ in results(out)[2:]] == ["failed", "failed", "failed"]
    assert CANARY not in json.dumps(out.events)
    assert out.text() == "It rains."


@pytest.mark.conformance
async def test_a_server_that_hangs_dies_or_floods_costs_one_call_and_is_started_again(
    open_shop: Open,
) -> None:
    shop = await open_shop(dict.fromkeys(("hang", "flood", "die", "babble", "forecast"), READ), timeout_s=1)
    model = ScriptedModel(
        [
            [function_call("shop_hang", {"whole": False}, call_id="c1")],
            [function_call("shop_flood", {"mib": 2}, call_id="c2")],
            [function_call("shop_forecast", {"city": "Faro"}, call_id="c3")],
            [function_call("shop_die", {}, call_id="c4")],
            [assistant_message("Sorry.")],
        ]
    )
    playing = play(shop, model)
    out = await playing.say()
    assert [status for status, _ in results(out)] == ["failed", "failed", "done", "failed"]
    assert playing.result is not None and playing.result.outcome == "success"
    read = [json.loads(each["output"]) for each in playing.result.items if "output" in each]
    assert [each.get("error") for each in read] == ["timeout", "tool_error", None, "unavailable"]
    assert all(len(json.dumps(each)) < 200 for each in read)

    await until_async(shop.is_ready, what="the next life", seconds=120)
    assert len([each for each in shop.lines("started") if not each.endswith("child")]) == 2
    again = ScriptedModel(
        [
            [function_call("shop_hang", {"whole": True}, call_id="d1")],
            [assistant_message("It hangs.")],
        ]
    )
    assert [status for status, _ in results(await play(shop, again).say())] == ["failed"]
    await until_async(
        lambda: not shop.is_ready(), what="the doubt about a server that answers nothing", seconds=60
    )
    unoffered = ScriptedModel([[assistant_message("Without it.")]])
    assert (await play(shop, unoffered).say()).text() == "Without it."
    assert "shop_forecast" not in {each.name for each in unoffered.calls[0].tools}
    await until_async(shop.is_ready, what="the life after that", seconds=120)

    babbling = ScriptedModel(
        [[function_call("shop_babble", {}, call_id="e1")], [assistant_message("It babbles.")]]
    )
    lives = len(shop.lines("started"))
    assert [status for status, _ in results(await play(shop, babbling).say())] == ["failed"]
    await until_async(
        lambda: not shop.is_ready() or len(shop.lines("started")) > lives,
        what="the end of a server that babbles",
        seconds=60,
    )


def answered(asked: Interrupt, approved: bool) -> list[dict[str, Any]]:
    """Return the content of a run that answers a question."""
    payload = {"approved": approved}
    part = {"type": "resume", "interrupt_id": asked.id, "call_id": asked.call_id, "kind": "approval"}
    return [{**part, "status": "resolved", "payload": payload}]


async def test_a_tool_that_says_nothing_of_itself_waits_for_a_yes_and_happens_once(open_shop: Open) -> None:
    shop = await open_shop({"book": {}})
    ledger = Memory()
    model = ScriptedModel(
        [[function_call("shop_book", {"room": "<b>12</b>"}, call_id="c1")], [assistant_message("Booked.")]]
    )
    first = play(shop, model, ledger=ledger)
    out = await first.say()
    assert first.result is not None and first.result.outcome == "interrupt" and shop.called() == []
    (block,) = [
        each["content"] for each in out.of("ACTIVITY_SNAPSHOT") if each["content"]["kind"] == "approval"
    ]
    assert block["pairs"] == [{"label": "room", "value": "<b>12</b>"}]
    (asked,) = first.result.interrupts
    turn, out = play(shop, model, ledger=ledger).prepare(content=answered(asked, True), parent_run_id="run_0")
    second = play(shop, model, ledger=ledger)
    await second.go(replace(turn, checkpoint=first.result.resume), out)
    assert second.result is not None and second.result.outcome == "success"
    assert shop.called() == ["book <b>12</b>"]
    assert results(out) == [("done", {"status": "done"})]


@pytest.mark.parametrize(
    ("tool", "arguments", "effect", "calls", "status"),
    [
        ("book", {"room": "12"}, "once", 1, "done"),
        later("book", {"room": "12"}, "read", 2, "done"),
        later("hang", {"whole": False}, "once", 1, "unknown"),
        later("fail", {"why": "no"}, "once", 1, "failed"),
    ],
)
async def test_a_take_over_repeats_what_may_be_repeated(
    open_shop: Open, tool: str, arguments: dict[str, Any], effect: str, calls: int, status: str
) -> None:
    shop = await open_shop({tool: {"effect": effect, "approval": False}})
    call = function_call(f"shop_{tool}", arguments, call_id="c1")
    first = play(shop, ScriptedModel([[call], [assistant_message("Never said.")]]))
    turn, out = first.prepare()
    dead = asyncio.Event()
    out.on = lambda event: dead.set() if event["type"] == "TOOL_CALL_RESULT" else None
    running = asyncio.get_running_loop().create_task(first.go(turn, out))
    hanging = asyncio.get_running_loop().create_task(
        until_async(lambda: "hang" in shop.called(), what="a hang")
    )
    gone = asyncio.get_running_loop().create_task(dead.wait())
    await asyncio.wait({hanging if tool == "hang" else gone}, timeout=60)
    for each in (running, hanging, gone):
        each.cancel()
    await asyncio.wait({running, hanging, gone})
    assert first.result is None

    checkpoint = out.checkpoints[0] if out.checkpoints else None
    answers = [[assistant_message("Done.")]] if checkpoint else [[call], [assistant_message("Done.")]]
    second = play(shop, ScriptedModel(answers), ledger=first.ledger)
    again = replace(turn, run=replace(turn.run, attempt=2), checkpoint=checkpoint)
    out = await second.go(again, Recorder(turn.run.id, "ses_1", turn.run.content, ledger=first.ledger))
    assert second.result is not None and second.result.outcome == "success"
    assert len(shop.called()) == calls
    assert results(out)[-1][0] == status
