"""Protocol generator: the questions that have to be asked about a used item of a category or product."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from server.agents import RequestContract, RunContext, RunLimits, Service, Team, without_nulls
from server.languages import Language
from server.loopos.answers.element import CLASSES, KINDS, Element
from server.loopos.core import Core
from server.loopos.requests.agents import request_agent
from server.loopos.requests.fields import Name, OpenRequest, Text, require_letter
from server.loopos.requests.nodes import CatalogNodes
from server.words import say

AGENT = "loop_os_ai_protocol_generator_agent"
MOST_ELEMENTS = 30


class NodeContext(BaseModel):
    """The category or product."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    _without_nulls = model_validator(mode="before")(without_nulls)

    name: Annotated[str, Field(min_length=1, max_length=300), AfterValidator(require_letter)]
    description: Text = ""
    parent_categories: Annotated[list[Name], Field(max_length=20, fail_fast=True)] = []


class ProtocolRequest(OpenRequest):
    """A node of the catalog whose questions are asked for."""

    node_type: Annotated[Name, AfterValidator(require_letter)] = Field(
        description="As `category`, `subcategory` or `product`."
    )
    node_context: NodeContext
    language: Annotated[str, Field(max_length=16), AfterValidator(require_letter)] = Field(
        description="Language of the questions, as `pt`."
    )


class GeneratedOption(BaseModel):
    """One choice of a select."""

    label: Annotated[str, Field(min_length=1)]
    deal_breaker: bool


class GeneratedElement(BaseModel):
    """One question or piece of information."""

    kind: Literal["info", "warning", "text", "select", "number", "date", "boolean"]
    label: Annotated[str, Field(min_length=1)]
    required: bool
    hint: str
    options: list[GeneratedOption]


class ProtocolAnswer(BaseModel):
    """The elements in asking order."""

    elements: list[GeneratedElement]


class ElementAttributes(BaseModel):
    """The words of an element."""

    label: str
    required: bool
    hint: str


class ElementOut(BaseModel):
    """An element as LoopOS writes it."""

    class_: str = Field(alias="class")
    attributes: ElementAttributes
    options: list[GeneratedOption] | None = None


class ProtocolResponse(BaseModel):
    """The elements in asking order."""

    elements: list[ElementOut]


async def _prepare(run: RunContext, request: ProtocolRequest) -> dict[str, Any]:
    """Return the questions that the marketplace asks about the nearest product of its own."""
    node = request.node_context
    texts = [node.name, node.description, *reversed(node.parent_categories)]
    elements, name = await CatalogNodes(run).questions_of(texts)
    if not elements:
        return {}
    return {"similar": [_element_fields(each, run.language) for each in elements], "product": name}


def _element_fields(element: Element, language: Language) -> dict[str, Any]:
    """Return an element of our own as the agent writes them."""
    return {
        "kind": element.kind,
        "label": element.label.text_in(language),
        "required": element.required,
        "hint": element.hint.text_in(language) if element.hint else "",
        "options": [
            {"label": each.label.text_in(language), "deal_breaker": each.deal_breaker}
            for each in element.options
        ],
    }


def _check(_request: ProtocolRequest, _agent: str, answer: dict[str, Any]) -> None:
    elements = answer["elements"]
    if not 1 <= len(elements) <= MOST_ELEMENTS:
        raise ValueError(f"elements holds 1 to {MOST_ELEMENTS} of them")
    for each in elements:
        if each["kind"] == "select" and len(each["options"]) < 2:  # noqa: PLR2004 - one option is no choice
            raise ValueError(f"the select {each['label'][:60]!r} needs at least two options")


def _complete(_request: ProtocolRequest, _facts: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Write the elements as LoopOS does."""
    written = []
    for each in response["elements"]:
        element = {
            "class": CLASSES[each["kind"]],
            "attributes": {name: each[name] for name in ("label", "required", "hint")},
        }
        written.append(element | ({"options": each["options"]} if each["kind"] == "select" else {}))
    return {"elements": written}


def _read(_request: ProtocolRequest, response: dict[str, Any], language: str) -> list[tuple[str, str]]:
    """Return each element with its kind, its options and its hint."""
    return [
        (f"{place}. {each['attributes']['label']}", "\n".join(_lines(each, language)))
        for place, each in enumerate(response["elements"], 1)
    ]


def _lines(element: dict[str, Any], language: str) -> Iterator[str]:
    kind = KINDS[element["class"]]
    asks = kind not in ("info", "warning") and not element["attributes"]["required"]
    yield say(f"element.{kind}", language) + (f" · {say('form.optional', language)}" if asks else "")
    for option in element.get("options", ()):
        mark = f" ({say('element.deal_breaker', language)})" if option["deal_breaker"] else ""
        yield f"– {option['label']}{mark}"
    if hint := element["attributes"]["hint"]:
        yield hint


def team() -> Team:
    """Return the one agent."""
    return {AGENT: request_agent("protocol_generator", "protocol_generator", ProtocolAnswer)}


def _example(language: str, name: str, description: str, parent: str) -> dict[str, Any]:
    """Return a request about a category in a language."""
    node = {"name": name, "description": description, "parent_categories": [parent]}
    return {"node_type": "category", "node_context": node, "language": language}


service = Service(
    name="protocol_generator",
    start=AGENT,
    agents=team,
    limits=RunLimits(seconds=120, model_calls=4, tool_calls=1),
    client_tools=False,
    deps=(Core,),
    contract=RequestContract(
        path="/loopos_ai_protocol_generator",
        request=ProtocolRequest,
        response=ProtocolResponse,
        summary="Writes the questions that have to be asked about a used item of a category or product.",
        example=_example("en", "Smartphones", "Used mobile phones.", "Electronics"),
        route=lambda _: (AGENT,),
        prepare=_prepare,
        check=_check,
        complete=_complete,
        about=lambda request: request.node_context.name,
        read=_read,
        examples={
            "pt": _example("pt", "Smartphones", "Telemóveis usados.", "Eletrónica"),
            "es": _example("es", "Móviles", "Móviles usados.", "Electrónica"),
            "fr": _example("fr", "Téléphones", "Téléphones d’occasion.", "Électronique"),
            "de": _example("de", "Handys", "Gebrauchte Handys.", "Elektronik"),
        },
        notes=("Elements come in asking order. `options` is there for a Select only.",),
    ),
)
