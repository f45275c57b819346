"""The bodies of the HTTP contract of LoopOS Core, with their bounds; what does not fit is refused as a whole.

Fields that are not known are ignored, so that a Core may add some. Texts are made plain where they come in. Of a list
the first element with a fault is the last that is judged.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from server import patterns
from server.languages import Language
from server.loopos.answers.element import Element, ElementClass
from server.loopos.rows import MOST_CENTS, MOST_PICTURES, Found, Item, ItemStatus, Product, RefusalReason
from server.protocol.plain_text import plain_text

MOST_MATCHES = 1000
MOST_ELEMENTS = 200
MOST_CHOICES = 500
MOST_OPTIONS = 50
MOST_WORDS = 2_000
MOST_NAME = 300
"""Characters of what is looked for, and of a name."""

PLAIN_ID = r"^[A-Za-z0-9_-]{1,64}$"

_ATOM = r"(?:\[\^?\]?[^\[\]\\]*\]|\\[dws.+*?(){}\[\]|/\\-]|[^\\()\[\]{}*+?|^$.])"
_VARIABLE = r"(?:[*+?]|\{\d{0,3},\d{0,3}\})"
_PATTERN = patterns.compile(rf"(?:{_ATOM}(?:{_VARIABLE}|\{{\d{{1,3}}\}})?)+")
MOST_VARIABLE = 2


def _require_quick(pattern: str) -> str:
    """Refuse a pattern whose matching could take long: it is tried on what people write."""
    if not _PATTERN.fullmatch(pattern):
        raise ValueError("a pattern has characters, classes and counts alone: no groups, no alternatives")
    if len(patterns.findall(_VARIABLE, patterns.sub(r"\[[^\]]*\]|\\.", "x", pattern))) > MOST_VARIABLE:
        raise ValueError(f"a pattern has at most {MOST_VARIABLE} counts that vary")
    try:
        patterns.compile(pattern).check()
    except patterns.error as error:
        raise ValueError("this is no pattern") from error
    return pattern


def _require_few(options: Any) -> Any:
    """Refuse too many options before each of them is judged: a fault of each is much work."""
    if isinstance(options, dict) and len(options) > MOST_OPTIONS:
        raise ValueError(f"an item has at most {MOST_OPTIONS} options")
    return options


def _make_plain(value: Any) -> Any:
    return plain_text(value) if isinstance(value, str) else value


Plain = BeforeValidator(_make_plain)
Id = Annotated[int, Field(ge=1, le=2**53 - 1)]
Name = Annotated[str, Plain, Field(min_length=1, max_length=MOST_NAME)]
Sentence = Annotated[str, Plain, Field(max_length=2_000)]
PlainId = Annotated[str, Field(pattern=PLAIN_ID)]
Scalar = Annotated[str, Plain, Field(max_length=4_000)] | bool | int | float | None
"""The value of an answer."""


class CoreModel(BaseModel):
    """The common part of all bodies."""

    model_config = ConfigDict(
        extra="ignore", strict=True, frozen=True, populate_by_name=True, allow_inf_nan=False
    )


class CoreBilingual(CoreModel):
    """One text in both languages of Loopwire."""

    pt: Sentence
    en: Sentence


Words = CoreBilingual | Sentence
"""A text that people read: in both languages, or one that is the same in both."""


class CoreSearch(CoreModel):
    """The query of the catalog. It is in the body because people write it: URLs are logged."""

    query: Annotated[str, Field(max_length=MOST_WORDS)] = Field(
        description="The name that a person gave the product; may be empty with a brand or a category."
    )
    category: Annotated[str, Field(max_length=MOST_NAME)] | None = Field(
        None, description="Only this category, by its key or its name in any language."
    )
    brand: Annotated[str, Field(max_length=MOST_NAME)] | None = Field(
        None, description="Only this brand, by its name."
    )
    limit: Annotated[int, Field(ge=1, le=MOST_MATCHES)] = Field(6, description="So many matches at most.")
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = Field(0, description="So many matches are left out.")
    language: Language = Field("pt", description="The language of the texts in the answer.")


class CoreMatch(CoreModel):
    """A product that the words may mean."""

    product_id: Id
    name: Name
    brand_id: Id
    brand: Name
    category_id: Id
    category: Name
    score: float = Field(description="How sure it is, 0 to 100 or any other scale: only the order counts.")
    exact: bool = Field(description="Whether the words are the whole name of the product.")


class CoreMatches(CoreModel):
    """One page of what a search found, the likeliest first."""

    total: Annotated[int, Field(ge=0)] = Field(description="All matches, those of other pages too.")
    matches: Annotated[list[CoreMatch], Field(max_length=MOST_MATCHES, fail_fast=True)]


class CoreCategoryWish(CoreModel):
    """A text that may name a category."""

    text: Annotated[str, Field(max_length=MOST_NAME)]


class CoreCategory(CoreModel):
    """The category that a text names."""

    key: Annotated[str, Plain, Field(max_length=128)] | None = Field(
        description="As `smartphones`; null where the text names none."
    )


class CoreBrand(CoreModel):
    """A maker."""

    id: Id
    name: Name


class CoreOptionValue(CoreModel):
    """One variant, for example 128 GB."""

    id: Id
    name: Name


class CoreOptionType(CoreModel):
    """A property in which the variants differ, with the values that the product has."""

    id: Id
    name: Name
    values: Annotated[list[CoreOptionValue], Field(max_length=MOST_CHOICES, fail_fast=True)]


class CoreProduct(CoreModel):
    """A product as one language reads it."""

    id: Id
    name: Name
    description: Annotated[str, Plain, Field(max_length=8_000)]
    category_id: Id
    category: Name
    brands: Annotated[list[CoreBrand], Field(max_length=MOST_CHOICES, fail_fast=True)]
    option_types: Annotated[list[CoreOptionType], Field(max_length=50, fail_fast=True)]


class CoreElementOption(CoreModel):
    """One answer of a select."""

    value: Annotated[str, Plain, Field(min_length=1, max_length=128)]
    label: Words
    deal_breaker: bool = Field(False, description="Choosing it means that the item cannot be taken.")


class CoreElementAttributes(CoreModel):
    """The words and the limits of an element."""

    label: Words
    title: Words | None = Field(None, description="The short name of the question, for a card of the item.")
    hint: Words | None = None
    required: bool = False
    unit: Words | None = None
    unit_one: Words | None = Field(None, description="The unit of exactly one, where that is another word.")
    min: float | None = None
    max: float | None = None
    pattern: Annotated[str, Field(max_length=200), AfterValidator(_require_quick)] | None = Field(
        None,
        description="A regular expression for the whole text: characters, classes and counts, at most two counts "
        "that vary; no groups and no alternatives.",
    )
    max_length: Annotated[int, Field(ge=1, le=2_000)] = 2_000
    not_in_future: bool = Field(False, description="Of a date: today at the latest.")
    depends_on: Annotated[list[Id], Field(max_length=50, fail_fast=True)] = Field(
        [], description="Option types: when the value of one is changed, the question is asked again."
    )


class CoreElement(CoreModel):
    """A question about an item, or a notice between the questions, as LoopOS's protocol generator writes them."""

    id: Annotated[str, Plain, Field(min_length=1, max_length=128)]
    class_: ElementClass = Field(alias="class")
    attributes: CoreElementAttributes
    options: Annotated[list[CoreElementOption], Field(max_length=MOST_CHOICES, fail_fast=True)] = Field(
        [], description="The answers of a select."
    )

    def element(self) -> Element:
        """Return it as the agents use it."""
        return Element.of(self.model_dump(by_alias=True, exclude_none=True))


class CoreProtocol(CoreModel):
    """The questions about a product in asking order."""

    elements: Annotated[list[CoreElement], Field(max_length=MOST_ELEMENTS, fail_fast=True)]


class CoreNewItem(CoreModel):
    """An item to create. The `Idempotency-Key` names it: the same key of the same principal is the same item."""

    product_id: Id
    brand_id: Id
    option_value_ids: Annotated[list[Id], Field(max_length=50, fail_fast=True)] = Field(
        description="One value of each option type of the product, none of one whose values the item has none of."
    )
    session_id: PlainId = Field(description="The conversation that it is made in, given back as it is.")


class CoreItemChange(CoreModel):
    """Other options of an item."""

    option_value_ids: Annotated[list[Id], Field(max_length=50, fail_fast=True)] = Field(
        description="One value of each option type, none of one whose values the item has none of."
    )
    seen: Annotated[list[Id], Field(max_length=50, fail_fast=True)] = Field(
        description="The values that the caller saw when it decided. Where the item has others: 409 `item_changed`."
    )


class CoreAnswerBody(CoreModel):
    """An answer to one question."""

    value: Scalar = Field(description="For machines; null skips an optional question.")
    shown: Annotated[str, Field(max_length=4_000)] = Field(description="For people.")


class CoreNewPicture(CoreModel):
    """A picture of an item, at most 1 MiB, without metadata."""

    media_type: Literal["image/jpeg"]
    width: Annotated[int, Field(ge=1, le=1_600)]
    height: Annotated[int, Field(ge=1, le=1_600)]
    data: Annotated[str, Field(max_length=1_500_000)] = Field(description="Its bytes in base64.")


Cents = Annotated[int, Field(ge=1, le=MOST_CENTS)]


class CoreNewPrice(CoreModel):
    """The price that the seller asks for an item."""

    cents: Cents | None = Field(description="Hundredths of the currency's unit; null takes the price back.")
    currency: Literal["EUR"] = Field(description="Loopwire asks for prices in euro.")


class CoreAskingPrice(CoreModel):
    """The price that the seller asks for an item, if they have said it."""

    cents: Cents | None = Field(description="Hundredths of the currency's unit; null while nothing is asked.")
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] = "EUR"


class CorePicture(CoreModel):
    """A picture that an item has, by the id that it was given."""

    id: PlainId
    width: Annotated[int, Field(ge=1, le=100_000)]
    height: Annotated[int, Field(ge=1, le=100_000)]


class CoreItemAnswer(CoreModel):
    """The answer to one question."""

    element_id: Annotated[str, Plain, Field(min_length=1, max_length=128)]
    question: Sentence
    value: Scalar
    shown: Annotated[str, Plain, Field(max_length=4_000)]
    title: Annotated[str, Plain, Field(max_length=300)] = Field(
        "", description="The short name of the question."
    )


class CoreItem(CoreModel):
    """A product that a person hands in, in the words of one language."""

    id: PlainId
    token: Annotated[str, Field(min_length=1, max_length=512)] = Field(
        description="Opens the item at LoopOS; a secret, which no browser gets."
    )
    reference: Annotated[str, Plain, Field(min_length=1, max_length=64)] = Field(
        description="What people call it: short, and it opens nothing."
    )
    session_id: PlainId | None = Field(description="The conversation that it was made in.")
    product_id: Id
    product: Name
    brand_id: Id
    brand: Name
    option_value_ids: Annotated[list[Id], Field(max_length=50, fail_fast=True)] = Field(
        description="In the order of the product's option types."
    )
    options: Annotated[dict[Name, Name], Field(max_length=MOST_OPTIONS), BeforeValidator(_require_few)] = (
        Field(description="The chosen values by option type, in words.")
    )
    answers: Annotated[list[CoreItemAnswer], Field(max_length=MOST_ELEMENTS, fail_fast=True)] = Field(
        description="In the order of their first answering; changing one keeps its place."
    )
    status: ItemStatus = Field(
        description="`refused` while an answer breaks the deal, `complete` once everything is answered. "
        "`withdrawn` items are still readable, are listed no more and never change."
    )
    created_at: Annotated[int, Field(ge=0)] = Field(description="Milliseconds since 1970, UTC.")
    pictures: Annotated[list[CorePicture], Field(max_length=MOST_PICTURES, fail_fast=True)] | None = Field(
        None,
        description="In the order in which they were added; absent where the Core keeps none: it is given none then.",
    )
    asking_price: CoreAskingPrice | None = Field(
        None, description="Absent where the Core keeps none: the seller is asked for none then."
    )


class CoreItems(CoreModel):
    """The items of a principal, the newest first, without those that were withdrawn."""

    items: Annotated[list[CoreItem], Field(max_length=MOST_MATCHES, fail_fast=True)]


class CoreHealth(CoreModel):
    """The state of the Core."""

    status: Literal["ok"]


class CoreError(CoreModel):
    """The reason of a refused request. Loopwire reads `code` and `reason`, and never shows another text of it."""

    code: Literal["not_found", "item_refused", "item_changed", "in_progress", "unauthorized", "bad_request"]
    reason: RefusalReason | None = Field(None, description="Of `item_refused`.")
    message: Annotated[str, Field(max_length=2_000)] = Field("", description="For the developer.")


_FOUND: TypeAdapter[Found] = TypeAdapter(Found)
_PRODUCT: TypeAdapter[Product] = TypeAdapter(Product)
_ITEM: TypeAdapter[Item] = TypeAdapter(Item)


def found_of(body: CoreMatches) -> Found:
    """Return matches as the agents use them."""
    return _FOUND.validate_python(body.model_dump())


def product_of(body: CoreProduct) -> Product:
    """Return a product as the agents use it."""
    return _PRODUCT.validate_python(body.model_dump())


def item_of(body: CoreItem) -> Item:
    """Return an item as the agents use it."""
    return _ITEM.validate_python(body.model_dump())
