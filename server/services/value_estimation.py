"""Value estimation: what a used item is worth second-hand, as material, and what a repair costs."""

from typing import Any

from pydantic import BaseModel, Field, field_validator

from server.agents import RequestContract, RunContext, RunLimits, Service, Team, web_search
from server.loopos.core import Core
from server.loopos.requests.agents import request_agent
from server.loopos.requests.fields import AgentSpecific, ItemOfRequest, LooposRequest, Money
from server.loopos.requests.prices import price_facts, require_ascending
from server.loopos.requests.sources import tell_sources

AGENT = "loop_os_ai_value_estimation_agent"


class EstimationFields(AgentSpecific):
    """The item."""

    loopos_item: ItemOfRequest

    @field_validator("loopos_item")
    @classmethod
    def _says_something(cls, item: ItemOfRequest) -> ItemOfRequest:
        """Refuse an item of which nothing is known."""
        if not {"name", "category", "description"} & set(item.words):
            raise ValueError("item.data needs a name, a category or a description, each a text")
        stated = item.words.get("condition_words", "").strip()
        if len(stated) == 1:
            raise ValueError(f"the condition {stated} is none of A, B, C and D; it may also be words")
        return item


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
    item = request.agent_specific.loopos_item
    words = item.words
    found = await price_facts(
        run,
        product=words.get("name", ""),
        brand=words.get("brand", ""),
        category=words.get("category", ""),
        condition=words.get("condition"),
        text=words.get("description", ""),
    )
    return {**found, "item": words, "answers": item.answers}


def _check(_request: EstimationRequest, _agent: str, answer: dict[str, Any]) -> None:
    for name in ("value_out", "recycling_value", "repair_cost"):
        require_ascending(answer, name)


def _complete(request: EstimationRequest, facts: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Name only sources that were found: without a search there are none, and the reasoning says so."""
    return tell_sources(response, facts.get("sources", ()), request.language)


def team() -> Team:
    """Return the one agent."""
    return {AGENT: request_agent("value_estimation", "value_estimation", EstimationAnswer, [web_search])}


def _example(language: str, description: str, category: str) -> dict[str, Any]:
    """Return a request about a telephone in a language."""
    data = {
        "name": "iPhone 12 128 GB",
        "brand": "Apple",
        "condition": "B",
        "description": description,
        "category": category,
    }
    return {"agent_specific": {"loopos_item": {"item": {"data": data}}}, "language": language}


service = Service(
    name="value_estimation",
    start=AGENT,
    agents=team,
    # A failed search costs the sources, not the estimation.
    limits=RunLimits(seconds=120, model_calls=8, tool_calls=8, tool_failures=8),
    client_tools=False,
    deps=(Core,),
    contract=RequestContract(
        path="/loopos_ai_value_estimation",
        request=EstimationRequest,
        response=EstimationAnswer,
        summary="Estimates what a used item is worth second-hand, as material, and what a repair costs.",
        example=_example("en-US", "Light scratches on the back, battery at 87 %.", "Smartphones"),
        examples={
            "pt": _example("PT-PT", "Pequenos riscos atrás, bateria a 87 %.", "Smartphones"),
            "es": _example("es", "Pequeños arañazos detrás, batería al 87 %.", "Móviles"),
            "fr": _example("fr", "Petites rayures au dos, batterie à 87 %.", "Téléphones"),
            "de": _example("de", "Leichte Kratzer hinten, Akku bei 87 %.", "Handys"),
        },
        route=lambda _: (AGENT,),
        prepare=_prepare,
        check=_check,
        complete=_complete,
        notes=(
            "Values are in euro, for Portugal.",
            "`references` are addresses that a search of this very run has found; others are taken out.",
            "Without a search on the web `references` is empty and `reasoning` says that there were no sources.",
            "A larger storage raises the band, age lowers it, and so does a brand that the catalog lacks.",
            "Answers in `item.protocol_answers.last_answers` are read as words about the item.",
            "`condition` is A, B, C, D, a word for one (`good`) or words about it (`broken screen`); another letter is"
            " refused.",
            "`item.data` is read in both documented shapes: with `name` and `brand`, or `product` and `categories`.",
        ),
    ),
)
