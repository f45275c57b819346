"""A handoff in an answer whose other call waits for a person: it happens, and is explained, after their yes."""

from __future__ import annotations

from dataclasses import replace

from agents import Agent

from server.agents.context import RunContext
from server.agents.service import Service, Team, hands_over
from tests.unit.agents.outlet import Play
from tests.unit.agents.teams import ScriptedModel, assistant_message, function_call
from tests.unit.agents.test_answered_calls import give, given, giving


async def test_a_handoff_beside_a_call_that_waited_has_its_reason() -> None:
    done: list[str] = []

    def team() -> Team:
        tools = [giving(done)]
        second = Agent[RunContext](name="second", tools=tools)
        first = Agent[RunContext](
            name="first", tools=tools, handoffs=[hands_over(second, reason="confirmado")]
        )
        return {"first": first, "second": second}

    service = Service(name="test", start="first", agents=team)
    calls = [give(), function_call("transfer_to_second", {}, call_id="h1")]
    play = Play(service, ScriptedModel([calls]))
    await play.say("oi")
    assert play.result is not None and play.result.resume is not None
    (asked,) = play.result.interrupts
    goes_on = Play(service, ScriptedModel([[assistant_message("Pronto.")]]), ledger=play.ledger)
    turn, out = goes_on.prepare(content=[given(asked, {"approved": True})])
    await goes_on.go(replace(turn, checkpoint=play.result.resume), out)
    assert done == ["bread"]
    assert goes_on.result is not None and goes_on.result.outcome == "success"
    (shown,) = [each["content"] for each in out.of("ACTIVITY_SNAPSHOT") if each["activityType"] == "handoff"]
    assert (shown["from"], shown["to"], shown["reason"]) == ("first", "second", "confirmado")
