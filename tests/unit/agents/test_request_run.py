"""A run that answers a request: the agents of its route, their repair, what is kept of them, and what stays private."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from agents import Agent
from agents.testing import ModelStep
from pydantic import BaseModel, Field

from server.agents.context import RunContext
from server.agents.contract import RequestContract, ServiceRequest
from server.agents.service import Service
from server.agents.tools import tool
from server.protocol.blocks import MOST_RESPONSE_BYTES
from server.protocol.shown_state import PRIVATE
from tests.unit.agents.outlet import Play, Recorder
from tests.unit.agents.teams import Ctx, ScriptedModel, assistant_message, function_call

FOUND = "https://shop.example/"


class Ask(ServiceRequest):
    """A request with one field of its own."""

    article: str = Field("", description="What is priced.")
    token: str = Field("", description="What nobody may read.")


class Found(BaseModel):
    """The answer of the first agent."""

    price: float


class Told(BaseModel):
    """The answer of the second agent."""

    reason: str


class Response(BaseModel):
    """The response."""

    price: float
    reason: str
    sources: list[str] = []
    token: str = ""


def check(request: Ask, agent: str, answer: dict[str, Any]) -> None:
    if answer.get("price", 0) < 0:
        raise ValueError("price: it is below nothing")


async def prepare(run: RunContext, request: Ask) -> dict[str, Any]:
    return {"stock": 3}


def complete(request: Ask, facts: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    return {**response, "sources": facts["sources"], "token": request.token}


def contract(**changes: Any) -> RequestContract:
    """Return the contract of a service of two agents."""
    given: dict[str, Any] = {
        "request": Ask,
        "response": Response,
        "summary": "Prices.",
        "example": {},
        "route": lambda request: ["first", "second"],
        "prepare": prepare,
        "check": check,
        "complete": complete,
        **changes,
    }
    return RequestContract("/loopos_ai_test", **given)


def service(of: RequestContract, tools: Sequence[Any] = ()) -> Service:
    """Return a service with this contract."""

    def team() -> dict[str, Agent[RunContext]]:
        first = Agent[RunContext](
            name="first", instructions="Price it.", output_type=Found, tools=list(tools)
        )
        return {"first": first, "second": Agent(name="second", instructions="Say why.", output_type=Told)}

    return Service(name="test", start="first", agents=team, contract=of)


PRICE, WHY = assistant_message('{"price": 7}'), assistant_message('{"reason": "new"}')


def asking(
    model: ScriptedModel, of: RequestContract | None = None, tools: Sequence[Any] = (), **given: Any
) -> Play:
    return Play(service(of or contract(), tools), model, **given)


async def ask(play: Play, checkpoint: Any = None, **data: Any) -> Recorder:
    """Send a request."""
    content = [{"type": "input", "data": {"article": "phone", **data}, "text": "phone"}]
    turn, out = play.prepare(content=content)
    return await play.go(replace(turn, checkpoint=checkpoint), out)


def response_of(play: Play) -> Any:
    assert play.result is not None
    return play.result.response


async def test_the_agents_of_the_route_are_asked_in_turn_and_together_are_the_response() -> None:
    model = ScriptedModel([[PRICE], [WHY]])
    play = asking(model)
    out = await ask(play)
    assert response_of(play) == {"price": 7.0, "reason": "new", "sources": [], "token": ""}
    assert [each["stepName"] for each in out.of("STEP_STARTED")] == ["first", "second"]
    assert [each["stepName"] for each in out.of("STEP_FINISHED")] == ["first", "second"]
    for each in model.calls:
        (item,) = each.input
        asked = json.loads(item["content"])
        assert asked["request"]["article"] == "phone"
        assert asked["facts"] == {"stock": 3}
    (block,) = [each["content"] for each in out.of("ACTIVITY_SNAPSHOT")]
    assert (block["kind"], block["service"], block["job"]) == ("response", "test", out.run_id)
    assert block["data"] == response_of(play)
    assert out.types()[-1] == "ACTIVITY_SNAPSHOT", "the response is shown before the run ends"
    assert play.state == {}, "what its agents have answered is not kept beyond it"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [('{"price": -1}', "price: it is below nothing"), ('{"price": "x"}', "price: Input should be")],
)
async def test_an_answer_that_does_not_fit_is_asked_for_once_more_with_the_reason(
    wrong: str, why: str
) -> None:
    model = ScriptedModel([[assistant_message(wrong)], [PRICE], [WHY]])
    play = asking(model)
    await ask(play)
    assert response_of(play)["price"] == 7.0
    repair = model.calls[1].input[-1]
    assert (repair["role"], repair["content"].startswith(f"Your answer cannot be used: {why}")) == (
        "user",
        True,
    )
    twice = asking(ScriptedModel([[assistant_message(wrong)], [assistant_message(wrong)], [PRICE]]))
    await ask(twice)
    assert twice.result is not None
    assert (twice.result.outcome, twice.result.code, twice.result.response) == ("error", "bad_output", None)


async def test_an_agent_that_waits_for_a_person_fails_the_request() -> None:
    @tool(effect="once", approval="May I?")
    async def pay(ctx: Ctx) -> str:
        """Pay."""
        return "paid"

    play = asking(ScriptedModel([[function_call("pay", {}, call_id="c1")]]), tools=[pay])
    await ask(play)
    assert play.result is not None
    assert (play.result.outcome, play.result.code) == ("error", "tool_failed")


def searching() -> Any:
    @tool(effect="read")
    async def find(ctx: Ctx) -> str:
        """Find a page."""
        ctx.context.add_sources([FOUND])
        return "found"

    return find


FIND = [function_call("find", {}, call_id="c1")]


async def test_a_take_over_asks_only_who_has_not_answered_and_knows_the_pages_that_were_found() -> None:
    play = asking(ScriptedModel([FIND, [PRICE], [WHY]]), tools=[searching()])
    out = await ask(play)
    assert response_of(play)["sources"] == [FOUND]
    (kept,) = out.checkpoints
    assert (kept.run_state, kept.items, kept.agent) == (None, [], "first")
    assert [each["role"] for each in kept.messages].count("tool") == 1
    again = asking(ScriptedModel([[WHY]]), tools=[searching()])
    out = await ask(again, kept)
    assert response_of(again) == {"price": 7.0, "reason": "new", "sources": [FOUND], "token": ""}
    assert [each["stepName"] for each in out.of("STEP_STARTED")] == ["second"]
    assert again.state == {}


async def test_of_private_fields_nothing_is_kept_or_shown() -> None:
    private = contract(private=frozenset({"token"}))
    model = ScriptedModel([FIND, [PRICE], [WHY]])
    play = asking(model, private, tools=[searching()])
    out = await ask(play, token="secret")
    assert response_of(play)["token"] == "secret", "who asked reads it"
    assert out.checkpoints == []
    assert play.result is not None and play.result.items == []
    assert "secret" not in json.dumps([each for each in out.events if each.get("messageId") != "msg_user"])
    assert play.state == {}


async def test_a_request_with_private_fields_that_fails_keeps_nothing_of_its_agents() -> None:
    private = contract(private=frozenset({"token"}))
    play = asking(ScriptedModel([[PRICE], [assistant_message("no")], [assistant_message("no")]]), private)
    await ask(play, token="secret")
    assert play.result is not None and play.result.outcome == "error"
    assert play.result.state == {}
    public = asking(ScriptedModel([[PRICE], [assistant_message("no")], [assistant_message("no")]]))
    await ask(public)
    assert public.result is not None
    assert public.result.state[PRIVATE]["_outputs"] == {"first": {"price": 7.0}}


@pytest.mark.parametrize(
    ("conversation", "private", "reads"), [(False, (), False), (True, (), True), (True, ("token",), False)]
)
async def test_a_request_reads_the_conversation_only_where_it_asks_for_it_and_has_no_secret(
    conversation: bool, private: tuple[str, ...], reads: bool
) -> None:
    history = [{"role": "user", "content": "before"}, {"role": "assistant", "content": "Yes."}]
    model = ScriptedModel([[PRICE], [WHY]])
    play = asking(model, contract(private=frozenset(private)), history=list(history))
    await ask(play, conversation=conversation)
    for each in model.calls:
        assert ([item["content"] for item in each.input[:-1]] == ["before", "Yes."]) is reads
    assert play.result is not None
    assert (play.result.items != []) is reads, "later requests read it as little as it read the earlier ones"


async def test_a_response_that_is_too_large_for_the_log_is_shown_by_its_fields_alone() -> None:
    def large(size: int) -> Any:
        def completed(request: Ask, facts: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
            empty = len('{"price":7.0,"reason":""}')
            return {"price": 7.0, "reason": "x" * (size - empty)}

        return completed

    for size, whole in ((MOST_RESPONSE_BYTES, True), (MOST_RESPONSE_BYTES + 1, False)):
        play = asking(ScriptedModel([[PRICE], [WHY]]), contract(complete=large(size)))
        out = await ask(play)
        (block,) = [each["content"] for each in out.of("ACTIVITY_SNAPSHOT")]
        assert (block.get("data") == response_of(play)) is whole
        assert (block.get("data") is None) is not whole


async def test_people_read_a_response_as_the_contract_says() -> None:
    def read(request: Ask, response: dict[str, Any], language: str) -> list[tuple[str, str]]:
        return [("Preço" if language == "pt" else "Price", f"{response['price']} {request.article}")]

    play = asking(ScriptedModel([[PRICE], [WHY]]), contract(read=read))
    out = await ask(play)
    (block,) = [each["content"] for each in out.of("ACTIVITY_SNAPSHOT")]
    assert block["pairs"] == [{"label": "Preço", "value": "7.0 phone"}]


async def test_a_model_that_fails_between_two_agents_ends_the_request() -> None:
    play = asking(ScriptedModel([[PRICE], ModelStep.raise_error(RuntimeError("db://secret"))]))
    await ask(play)
    assert play.result is not None
    assert (play.result.outcome, play.result.code) == ("error", "internal")
