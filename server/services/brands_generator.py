"""Brands generator: the brands that are common in a category. LoopOS names this service and documents no fields."""

from collections import Counter
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from server.agents import RequestContract, RunContext, RunLimits, Service, Team
from server.loopos.core import Core
from server.loopos.requests.agents import request_agent
from server.loopos.requests.fields import AgentSpecific, LooposRequest, require_letter
from server.loopos.requests.nodes import CatalogNodes

AGENT = "loop_os_ai_brands_generator_agent"
MOST = 20


class BrandsFields(AgentSpecific):
    """The category."""

    category: Annotated[str, Field(min_length=1, max_length=300), AfterValidator(require_letter)]


class BrandsRequest(LooposRequest):
    """A category whose brands are asked for."""

    agent_specific: BrandsFields


class BrandsAnswer(BaseModel):
    """Brands, best known first."""

    brands: list[str]
    reasoning: str


async def _prepare(run: RunContext, request: BrandsRequest) -> dict[str, Any]:
    """Return the marketplace's own brands of the category, those with most products first."""
    listed = await CatalogNodes(run).products_of(request.agent_specific.category)
    return {"brands": [brand for brand, _ in Counter(each.brand for each in listed).most_common()]}


def _complete(_request: BrandsRequest, _facts: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Name each brand once, and no more than are asked for."""
    known = {each.strip().casefold(): each.strip() for each in reversed(response["brands"]) if each.strip()}
    order = dict.fromkeys(each.strip().casefold() for each in response["brands"] if each.strip())
    return {**response, "brands": [known[each] for each in order][:MOST]}


def team() -> Team:
    """Return the one agent."""
    return {AGENT: request_agent("brands_generator", "brands_generator", BrandsAnswer)}


service = Service(
    name="brands_generator",
    start=AGENT,
    agents=team,
    limits=RunLimits(seconds=120, model_calls=4, tool_calls=1),
    client_tools=False,
    deps=(Core,),
    contract=RequestContract(
        path="/loopos_ai_brands_generator",
        request=BrandsRequest,
        response=BrandsAnswer,
        summary="Names the brands that are common in a category.",
        example={"agent_specific": {"category": "Smartphones"}, "language": "en-US"},
        examples={
            "pt": {"agent_specific": {"category": "Smartphones"}, "language": "PT-PT"},
            "es": {"agent_specific": {"category": "Móviles"}, "language": "es"},
            "fr": {"agent_specific": {"category": "Téléphones"}, "language": "fr"},
            "de": {"agent_specific": {"category": "Handys"}, "language": "de"},
        },
        route=lambda _: (AGENT,),
        prepare=_prepare,
        complete=_complete,
        notes=(
            "LoopOS documents neither path nor fields of this service: both are Loopwire's own.",
            "A path as `Electronics > Smartphones` means its last part. An unknown category has no brands.",
        ),
    ),
)
