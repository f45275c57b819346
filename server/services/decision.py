"""Decision: picks one of the given options for a prompt about an item, and says why."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, field_validator

from server.agents import RequestContract, RunContext, RunLimits, Service, Team
from server.loopos.core import Core
from server.loopos.requests.agents import request_agent
from server.loopos.requests.fields import OpenRequest, Text, require_letter
from server.loopos.requests.nodes import CatalogNodes, subject_of
from server.protocol.plain_text import LONGEST

AGENT = "loop_os_ai_decision_agent"
MOST_OPTIONS, MOST_OPTION = 100, 1_000
MOST_CATEGORIES = 20
"""Options that are looked up as categories; so many categories no catalog shows beside each other."""


Option = Annotated[str, Field(max_length=MOST_OPTION)]
Options = Annotated[list[Option], Field(min_length=1, max_length=MOST_OPTIONS, fail_fast=True)]


class DecisionRequest(OpenRequest):
    """A question with its possible answers."""

    prompt: Annotated[str, Field(min_length=1, max_length=8_000)] = Field(
        description="What is to be decided."
    )
    options: Options = Field(description="The choices; a string is read as choices between commas.")
    item_context: Text = Field(description="The item in words.")
    context: Text | None = Field(None, description="More about the business or the user.")

    _prompt = field_validator("prompt")(require_letter)

    @field_validator("options", mode="before", json_schema_input_type=Options | str)
    @classmethod
    def _split(cls, value: object) -> object:
        """Part a string at its commas; drop empty options and repetitions. Those of an array stay letter by letter."""
        if isinstance(value, str) and len(value) <= LONGEST:
            value = [each.strip() for each in value.split(",", MOST_OPTIONS)]
        if (
            not isinstance(value, list)
            or len(value) > MOST_OPTIONS
            or not all(isinstance(each, str) and len(each) <= LONGEST for each in value)
        ):
            return value
        first: dict[str, str] = {}
        for each in value:
            first.setdefault(each.strip(), each)
        return [each for name, each in first.items() if name]


class DecisionAnswer(BaseModel):
    """The chosen option, and why."""

    decision: str = Field(description="One of the options, letter by letter.")
    reasoning: str


async def _prepare(run: RunContext, request: DecisionRequest) -> dict[str, Any]:
    """Return the catalog's category of the item, and the options that name it or one above it."""
    nodes = CatalogNodes(run)
    listed = {each: await nodes.products_of(each) for each in request.options[:MOST_CATEGORIES]}
    kinds = {each: {one.category_id for one in found} for each, found in listed.items() if found}
    if not kinds:
        return {}
    mine, name = await nodes.kinds_of(subject_of(request.item_context))
    if not mine:
        found = await nodes.nearest(request.item_context[:200])
        mine = frozenset(each.category_id for each in found)
        name = found[0].category if found else ""
    fitting = [each for each, known in kinds.items() if known & mine]
    return {"item_category": name, "fitting_options": fitting} if fitting else {}


def _check(request: DecisionRequest, _agent: str, answer: dict[str, Any]) -> None:
    if _fold_case(answer["decision"]) not in map(_fold_case, request.options):
        raise ValueError(f"decision has to be one of {', '.join(request.options)[:1000]}")


def _complete(request: DecisionRequest, _facts: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Write the option as the caller does; of options that differ in their case alone the exact one is meant."""
    said = response["decision"].strip()
    same = {each.strip(): each for each in request.options if _fold_case(each) == _fold_case(said)}
    return {**response, "decision": same.get(said) or next(iter(same.values()))}


def _fold_case(option: str) -> str:
    return option.strip().casefold()


def team() -> Team:
    """Return the one agent."""
    return {AGENT: request_agent("decision", "decision", DecisionAnswer)}


service = Service(
    name="decision",
    start=AGENT,
    agents=team,
    limits=RunLimits(seconds=120, model_calls=4, tool_calls=1),
    client_tools=False,
    deps=(Core,),
    contract=RequestContract(
        path="/loopos_ai_decision",
        request=DecisionRequest,
        response=DecisionAnswer,
        summary="Picks one of the given options for a prompt about an item, and says why.",
        example={
            "prompt": "In which condition is the item?",
            "options": ["Excellent", "Good", "Fair", "Poor"],
            "item_context": "iPhone 12, 128 GB, light scratches on the back, everything works, with box.",
            "language": "en-US",
        },
        examples={
            "pt": {
                "prompt": "Em que estado está o artigo?",
                "options": ["Excelente", "Bom", "Razoável", "Mau"],
                "item_context": "iPhone 12, 128 GB, pequenos riscos atrás, tudo funciona, com caixa.",
                "language": "PT-PT",
            },
            "es": {
                "prompt": "¿En qué estado está el artículo?",
                "options": ["Excelente", "Bueno", "Aceptable", "Malo"],
                "item_context": "iPhone 12, 128 GB, pequeños arañazos detrás, todo funciona, con caja.",
                "language": "es",
            },
            "fr": {
                "prompt": "Dans quel état est l’article\N{NO-BREAK SPACE}?",
                "options": ["Excellent", "Bon", "Correct", "Mauvais"],
                "item_context": "iPhone 12, 128 Go, petites rayures au dos, tout fonctionne, avec boîte.",
                "language": "fr",
            },
            "de": {
                "prompt": "In welchem Zustand ist der Artikel?",
                "options": ["Ausgezeichnet", "Gut", "Mittel", "Schlecht"],
                "item_context": "iPhone 12, 128 GB, leichte Kratzer hinten, alles funktioniert, mit Karton.",
                "language": "de",
            },
        },
        route=lambda _: (AGENT,),
        prepare=_prepare,
        check=_check,
        complete=_complete,
        notes=(
            "A string of options is parted at its commas; blanks around them, empty ones and repetitions are dropped.",
            "`decision` is written as the caller wrote the option.",
        ),
    ),
)
