"""C2C validation: judges the words of a listing, and finds brand and product in a catalog; what is given is judged."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from server.agents import RequestContract, RunContext, RunLimits, Service, Team
from server.loopos.core import Core
from server.loopos.requests.agents import request_agent
from server.loopos.requests.fields import AgentSpecific, LooposRequest, Name, Share, Text, require_letter
from server.loopos.requests.nodes import CatalogNodes, subject_of
from server.loopos.requests.references import MOST_ROWS, Reference, read_references

TEXT, BRAND, PRODUCT = (f"loop_os_ai_c2c_validation_{each}_agent" for each in ("text", "brand", "product"))
MOST_MESSAGE = 200
"""Characters of `message_to_user`."""

WORDS, NAMES = (
    ("marketplace_posting_title", "marketplace_posting_description"),
    ("brand_name", "product_name"),
)
"""The fields that are judged."""

Sought = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(require_letter)]
Csv = Annotated[str, Field(max_length=200_000)]


class ValidationFields(AgentSpecific):
    """The groups of fields to judge: each that is there."""

    marketplace_posting_title: Name | None = Field(None, description="The title to judge.")
    marketplace_posting_description: Text | None = Field(None, description="The description to judge.")
    category_name: Name | None = Field(None, description="Where the listing stands; judged with its words.")
    brand_name: Sought | None = Field(None, description="The brand to find.")
    reference_brands: Csv | None = Field(None, description="CSV of the catalog's brands: id, name.")
    product_name: Sought | None = Field(None, description="The product to find.")
    reference_products: Csv | None = Field(None, description="CSV of the catalog's products: id, name.")

    @model_validator(mode="before")
    @classmethod
    def _without_empty_names(cls, value: object) -> object:
        """Leave out brand and product where they are empty beside something else to judge."""
        if not isinstance(value, Mapping):
            return value
        empty = {name for name in NAMES if isinstance(value.get(name), str) and not value[name].strip()}
        others = any(value.get(name) is not None for name in {*WORDS, *NAMES} - empty)
        return {name: each for name, each in value.items() if name not in empty} if others else value

    @model_validator(mode="after")
    def _has_something(self) -> Self:
        """Refuse a request without anything to judge."""
        if not self.agents:
            raise ValueError(
                "one of marketplace_posting_title, marketplace_posting_description, brand_name and product_name is"
                " required"
            )
        return self

    @property
    def agents(self) -> tuple[str, ...]:
        """Return the agents that judge this, in the documented order."""
        words = self.marketplace_posting_title is not None or self.marketplace_posting_description is not None
        asked = (
            (TEXT, words),
            (BRAND, self.brand_name is not None),
            (PRODUCT, self.product_name is not None),
        )
        return tuple(agent for agent, is_asked in asked if is_asked)


class ValidationRequest(LooposRequest):
    """A listing, a brand or a product to be judged."""

    agent_specific: ValidationFields

    def for_models(self) -> dict[str, Any]:
        """Return what the agents read; the lists of references come as facts."""
        told = super().for_models()
        for name in ("reference_brands", "reference_products"):
            told["agent_specific"].pop(name, None)
        return told


class TextJudgement(BaseModel):
    """Whether title and description may be published."""

    approved: bool
    rejection_reason: str | None
    confidence_score: Share
    validation_notes: str
    required_modifications: list[str]
    message_to_user: str


class BrandJudgement(BaseModel):
    """Whether the brand is known."""

    new_brand: bool
    new_brand_name: str | None
    existing_brand_name: str | None
    existing_brand_id: int | None


class ProductJudgement(BaseModel):
    """Whether the product is known."""

    new_product: bool
    new_product_name: str | None
    existing_product_name: str | None
    existing_product_id: int | None


class ValidationResponse(BaseModel):
    """The fields of every judgement that was asked for; others are missing."""

    approved: bool | None = None
    rejection_reason: str | None = None
    confidence_score: Share | None = None
    validation_notes: str | None = None
    required_modifications: list[str] | None = None
    message_to_user: Annotated[str, Field(max_length=MOST_MESSAGE)] | None = None
    new_brand: bool | None = None
    new_brand_name: str | None = None
    existing_brand_name: str | None = None
    existing_brand_id: int | None = None
    new_product: bool | None = None
    new_product_name: str | None = None
    existing_product_name: str | None = None
    existing_product_id: int | None = None


KINDS = {BRAND: "brand", PRODUCT: "product"}


async def _prepare(run: RunContext, request: ValidationRequest) -> dict[str, Any]:
    """Return the nearest of the caller's references, or of our own catalog where there are none."""
    known = request.agent_specific
    facts = await _category_facts(run, known) if TEXT in known.agents else {}
    if known.brand_name is not None:
        listed = await _references(run, known.reference_brands, known.brand_name, "brand")
        facts["brands"] = [each.to_json() for each in listed]
    if known.product_name is not None:
        listed = await _references(run, known.reference_products, known.product_name, "product")
        facts["products"] = [each.to_json() for each in listed]
    return facts


async def _category_facts(run: RunContext, known: ValidationFields) -> dict[str, Any]:
    """Return the catalog's category of the words, and whether it is the one that they stand under."""
    if not known.category_name:
        return {}
    nodes = CatalogNodes(run)
    asked = {each.category_id for each in await nodes.products_of(known.category_name)}
    found: dict[str, Any] = {}
    for text in (known.marketplace_posting_title, known.marketplace_posting_description):
        kinds, name = await nodes.kinds_of(subject_of(text or ""))
        if kinds & asked or not asked:
            return {}
        if kinds and not found:
            found = {"text_category": name, "category_fits": False}
    return found


async def _references(run: RunContext, csv: str | None, name: str, kind: str) -> list[Reference]:
    if csv is not None:
        return await asyncio.to_thread(read_references, csv, near=name)
    found = await run.resource(Core).search(name[:200], limit=20, language=run.language)
    pairs = {
        (each.brand_id, each.brand) if kind == "brand" else (each.product_id, each.name): None
        for each in found.matches
    }
    return [Reference(id, known) for id, known in pairs]


def _check(_request: ValidationRequest, agent: str, answer: dict[str, Any]) -> None:
    kind = KINDS.get(agent)
    if kind is None:
        if not answer["approved"] and not (answer["rejection_reason"] or "").strip():
            raise ValueError("rejection_reason is required where approved is false")
        if len(answer["message_to_user"]) > MOST_MESSAGE:
            raise ValueError(f"message_to_user has at most {MOST_MESSAGE} characters")
        return
    needed = f"new_{kind}_name" if answer[f"new_{kind}"] else f"existing_{kind}_id"
    if answer[needed] is None:
        raise ValueError(f"{needed} is required where new_{kind} is {str(answer[f'new_{kind}']).lower()}")


def _complete(request: ValidationRequest, facts: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Name only what the lists hold: an id that is not among them is a new name."""
    for kind in ("brand", "product"):
        if f"new_{kind}" not in response:
            continue
        listed = {each["id"]: each["name"] for each in facts.get(f"{kind}s", ())}
        found = None if response[f"new_{kind}"] else listed.get(response[f"existing_{kind}_id"])
        asked = getattr(request.agent_specific, f"{kind}_name")
        response = response | {
            f"new_{kind}": found is None,
            f"new_{kind}_name": None if found else response[f"new_{kind}_name"] or asked,
            f"existing_{kind}_name": found,
            f"existing_{kind}_id": response[f"existing_{kind}_id"] if found else None,
        }
    if response.get("approved"):
        response = response | {"rejection_reason": None, "required_modifications": []}
    return response


def team() -> Team:
    """Return the team: one agent for each group of fields."""
    return {
        TEXT: request_agent("c2c_validation_text", "validation_text", TextJudgement),
        BRAND: request_agent("c2c_validation_brand", "validation_brand", BrandJudgement),
        PRODUCT: request_agent("c2c_validation_product", "validation_product", ProductJudgement),
    }


def _example(language: str, colour: str, description: str, category: str) -> dict[str, Any]:
    """Return a request about a listing in a language."""
    known = {
        "marketplace_posting_title": f"Apple iPhone 12 128 GB {colour}",
        "marketplace_posting_description": description,
        "category_name": category,
    }
    return {"agent_specific": known, "language": language}


service = Service(
    name="c2c_validation",
    start=TEXT,
    agents=team,
    limits=RunLimits(seconds=120, model_calls=8, tool_calls=1),
    client_tools=False,
    deps=(Core,),
    contract=RequestContract(
        path="/loopos_ai_c2c_validation",
        request=ValidationRequest,
        response=ValidationResponse,
        summary="Judges the words of a listing, and finds brand and product in a catalog.",
        example=_example(
            "PT-PT",
            "preto",
            "iPhone 12 em bom estado, pequenos riscos atrás, com caixa e cabo.",
            "Smartphones",
        ),
        examples={
            "en": _example(
                "en-US", "black", "In good condition, light scratches, with box and cable.", "Smartphones"
            ),
            "es": _example(
                "es", "negro", "En buen estado, pequeños arañazos detrás, con caja y cable.", "Móviles"
            ),
            "fr": _example(
                "fr", "noir", "En bon état, petites rayures au dos, avec boîte et câble.", "Téléphones"
            ),
            "de": _example(
                "de", "schwarz", "In gutem Zustand, leichte Kratzer hinten, mit Karton und Kabel.", "Handys"
            ),
        },
        route=lambda request: request.agent_specific.agents,
        prepare=_prepare,
        check=_check,
        complete=_complete,
        notes=(
            "The keys of `agent_specific` say what is judged; of several at once the answer holds all fields.",
            "The lists are CSV: id, name, with or without a header, parted by commas, semicolons or tabs.",
            f"The first {MOST_ROWS:,} rows of a list are looked at; what stands after them is not.",
            "Without a list the catalog of this installation is searched.",
            "`existing_…_id` is always one of the list; what is not there is new.",
        ),
    ),
)
