"""Value estimation: what a used item is worth second-hand, as material, and what a repair costs."""

from typing import Any

from pydantic import BaseModel, Field

from server.agents import RequestContract, RunContext, RunLimits, Service, Team
from server.loopos.core import Core
from server.loopos.requests.agents import request_agent
from server.loopos.requests.fields import AgentSpecific, ItemOfRequest, LooposRequest, Money
from server.loopos.requests.prices import price_facts, require_ascending

AGENT = "loop_os_ai_value_estimation_agent"


class EstimationFields(AgentSpecific):
    """The item."""

    loopos_item: ItemOfRequest


class EstimationRequest(LooposRequest):
    """An item whose value is asked for."""

    agent_specific: EstimationFields


class EstimationAnswer(BaseModel):
    """Values in euro."""

    value_out_max: Money
    value_out_min: Money
    value_out_average: Money
    recycling_value_max: Money
    recycling_value_min: Money
    recycling_value_average: Money
    repair_cost_max: Money
    repair_cost_min: Money
    repair_cost_average: Money
    reasoning: str
    description: str
    references: list[str] = Field(description="Addresses of the sources; empty where there were none.")


async def _prepare(run: RunContext, request: EstimationRequest) -> dict[str, Any]:
    words = request.agent_specific.loopos_item.words
    name = words.get("name", "")
    if (brand := words.get("brand", "")) and brand.casefold() not in name.casefold():
        name = f"{brand} {name}"
    found = await price_facts(
        run, name=name, category=words.get("category", ""), condition=words.get("condition")
    )
    return {**found, "item": words}


def _check(_request: EstimationRequest, _agent: str, answer: dict[str, Any]) -> None:
    for name in ("value_out", "recycling_value", "repair_cost"):
        require_ascending(answer, name)


def _complete(_request: EstimationRequest, facts: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Return only sources that were found: without a search there are none."""
    known = set(facts.get("sources", ()))
    return {**response, "references": [each for each in response["references"] if each in known]}


def team() -> Team:
    """The one agent."""
    return {AGENT: request_agent("value_estimation", "value_estimation", EstimationAnswer)}


service = Service(
    name="value_estimation",
    start=AGENT,
    agents=team,
    limits=RunLimits(seconds=120, model_calls=6, tool_calls=6),
    client_tools=False,
    deps=(Core,),
    contract=RequestContract(
        path="/loopos_ai_value_estimation",
        request=EstimationRequest,
        response=EstimationAnswer,
        summary="Estimates what a used item is worth second-hand, as material, and what a repair costs.",
        example={
            "agent_specific": {
                "loopos_item": {
                    "item": {
                        "data": {
                            "name": "iPhone 12 128 GB",
                            "brand": "Apple",
                            "condition": "B",
                            "description": "Light scratches on the back, battery at 87 %.",
                            "category": "Smartphones",
                        }
                    }
                }
            },
            "language": "en-US",
        },
        route=lambda _: (AGENT,),
        prepare=_prepare,
        check=_check,
        complete=_complete,
        notes=(
            "Values are in euro, for Portugal.",
            "Without a search on the web `references` is empty and `reasoning` says that there were no sources.",
            "`item.data` is read in both documented shapes: with `name` and `brand`, or `product` and `categories`.",
        ),
    ),
)
