"""C2C descriptor: writes the listing of a used item from pictures, the seller's words and what is known of it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from server import patterns
from server.agents import MOST_IMAGES, RequestContract, RunContext, RunLimits, Service, Team
from server.languages import fold
from server.loopos.core import Core
from server.loopos.requests.agents import request_agent
from server.loopos.requests.fields import (
    AgentSpecific,
    Condition,
    ConditionHint,
    LooposRequest,
    Money,
    Name,
    Text,
)
from server.loopos.requests.nodes import CatalogNodes, subject_of
from server.loopos.requests.prices import price_facts, require_ascending

AGENT = "loop_os_ai_c2c_descriptor_agent"


class DescriptorFields(AgentSpecific):
    """The known facts of the item."""

    category_name: Name = ""
    product_name: Name = ""
    brand_name: Name = ""
    user_description: Text = Field("", description="The seller's own words.")
    condition: ConditionHint = Field(None, description="A hint: A excellent, B good, C fair, D poor.")
    value_out_max: Money | None = Field(None, description="A price hint in euro, as the other two.")
    value_out_min: Money | None = Field(None, description="A price hint in euro.")
    value_out_average: Money | None = Field(None, description="A price hint in euro.")


class DescriptorRequest(LooposRequest):
    """An item to be listed."""

    images: Annotated[list[str], Field(max_length=MOST_IMAGES)] = Field(
        description="Pictures of the item: http(s) addresses or base64 data URLs."
    )
    agent_specific: DescriptorFields

    @field_validator("agent_specific")
    @classmethod
    def _says_something(cls, known: DescriptorFields, info: ValidationInfo) -> DescriptorFields:
        """Refuse an item of which there are neither pictures nor words."""
        words = (known.category_name, known.product_name, known.brand_name, known.user_description)
        if not info.data.get("images") and not any(each.strip() for each in words):
            raise ValueError("images, user_description or a name is required")
        return known


class DescriptorAnswer(BaseModel):
    """A listing. Prices are in euro."""

    value_out_max: Money
    value_out_min: Money
    value_out_average: Money
    marketplace_posting_title: str
    marketplace_posting_description: str
    condition: Condition
    dimensions_box: Literal["S", "L"] = Field(description="L over 30 kg or over 1.5 m in any dimension.")
    warning: bool = Field(
        description="Whether pictures, words, category, brand and product contradict each other, or more is to be said."
    )
    warning_message: str


async def _prepare(run: RunContext, request: DescriptorRequest) -> dict[str, Any]:
    known = request.agent_specific
    found = await price_facts(
        run,
        product=known.product_name,
        brand=known.brand_name,
        category=known.category_name,
        condition=known.condition,
        text=known.user_description,
    )
    return {**found, **await _contradictions(run, known)}


async def _contradictions(run: RunContext, known: DescriptorFields) -> dict[str, Any]:
    """Return where the catalog puts product, category and words into different categories."""
    nodes = CatalogNodes(run)
    product, _ = await nodes.kinds_of(f"{known.brand_name} {known.product_name}")
    if not product:
        product, _ = await nodes.kinds_of(known.product_name)
    category = frozenset(each.category_id for each in await nodes.products_of(known.category_name))
    words, about = await nodes.kinds_of(subject_of(known.user_description))
    found: dict[str, Any] = {}
    if product and category and not product & category:
        found["category_fits"] = False
    if words and (product or category) and not words & (product | category):
        found["words_about"] = about
    elif other := await _other_product(nodes, known):
        found["words_about"] = other
    return found


_REALLY = patterns.compile(
    r"^.{0,40}?\b(?:is|it['’]s|é|es|est|ist)\s"
    r"(?:(?:really|actually|afinal|na verdade|en realidad|en fait|eigentlich)\s)?"
    r"(?:an?|the|um|uma|una?|une|eine?|o|a|el|la|le|das|der|die)\s",
    patterns.IGNORECASE,
)
"""The beginning of a sentence that says what a thing is."""


async def _other_product(nodes: CatalogNodes, known: DescriptorFields) -> str:
    """Return the product that the words say the item is, where it is another one than the product that is named."""
    named = await nodes.nearest(known.product_name[:200]) if known.product_name.strip() else []
    said = await nodes.nearest(_REALLY.sub("", subject_of(known.user_description))[:200])
    if not named or not said or not named[0].exact or not said[0].exact:
        return ""
    mine, other = fold(named[0].name), fold(said[0].name)
    return "" if mine in other or other in mine else said[0].name


def _check(request: DescriptorRequest, _agent: str, answer: dict[str, Any]) -> None:
    require_ascending(answer, "value_out")
    if answer["warning"] and not answer["warning_message"].strip():
        raise ValueError("warning_message has to say what contradicts, since warning is true")


def _complete(
    _request: DescriptorRequest, _facts: dict[str, Any], response: dict[str, Any]
) -> dict[str, Any]:
    """Leave no message where there is no warning."""
    return response if response["warning"] else {**response, "warning_message": ""}


def team() -> Team:
    """Return the one agent."""
    return {AGENT: request_agent("c2c_descriptor", "descriptor", DescriptorAnswer)}


def _example(language: str, words: str, category: str) -> dict[str, Any]:
    """Return a request about a telephone in a language."""
    known = {
        "category_name": category,
        "product_name": "iPhone 12",
        "brand_name": "Apple",
        "user_description": words,
        "condition": "B",
    }
    return {"images": [], "agent_specific": known, "language": language}


service = Service(
    name="c2c_descriptor",
    start=AGENT,
    agents=team,
    limits=RunLimits(seconds=120, model_calls=4, tool_calls=1),
    client_tools=False,
    deps=(Core,),
    contract=RequestContract(
        path="/loopos_ai_c2c_descriptor",
        request=DescriptorRequest,
        response=DescriptorAnswer,
        summary="Writes the listing of a used item: title, description, condition, price and parcel.",
        example=_example(
            "PT-PT", "iPhone 12 de 128 GB, pequenos riscos atrás, bateria a 87 %, com caixa.", "Smartphones"
        ),
        examples={
            "en": _example(
                "en-US", "iPhone 12 with 128 GB, light scratches, battery at 87 %, with box.", "Smartphones"
            ),
            "es": _example(
                "es", "iPhone 12 de 128 GB, pequeños arañazos detrás, batería al 87 %, con caja.", "Móviles"
            ),
            "fr": _example(
                "fr",
                "iPhone 12 de 128 Go, petites rayures au dos, batterie à 87 %, avec boîte.",
                "Téléphones",
            ),
            "de": _example(
                "de", "iPhone 12 mit 128 GB, leichte Kratzer hinten, Akku bei 87 %, mit Karton.", "Handys"
            ),
        },
        about=lambda request: request.agent_specific.product_name,
        route=lambda _: (AGENT,),
        pictures=("picture", "second_picture", "third_picture"),
        prepare=_prepare,
        check=_check,
        complete=_complete,
        notes=(
            "Prices are in euro. `images` may be empty; then the words alone are described.",
            "Price hints hold; where they do not ascend they are put in order, and `warning` says so.",
            "Title and description are for buyers: contact data and insults of the words are left out, and what is to"
            " be remarked (a price that is a mere guess, a thing that may not be sold) stands in `warning_message`.",
        ),
    ),
)
