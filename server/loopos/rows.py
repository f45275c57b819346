"""The rows of LoopOS Core: products in one language, and items."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from server.errors import LoopwireError
from server.languages import Language, format_euro

RefusalReason = Literal[
    "unknown_product",
    "other_brand",
    "option_missing",
    "unknown_option",
    "unknown_question",
    "required",
    "withdrawn",
    "too_many_pictures",
    "bad_price",
    "other",
]

ItemStatus = Literal["draft", "complete", "refused", "withdrawn"]

REFUSALS: dict[RefusalReason, str] = {
    "unknown_product": "This product is not in the catalog.",
    "other_brand": "This brand does not make this product.",
    "option_missing": "One value is needed of each option, and no more.",
    "unknown_option": "A chosen option is none of this product's.",
    "unknown_question": "This is not a question about this item.",
    "required": "This question must be answered.",
    "withdrawn": "This item was withdrawn.",
    "too_many_pictures": "This item has ten pictures.",
    "bad_price": "A price is more than nothing, and a million euro at most.",
    "other": "This does not fit the catalog.",
}
"""The meaning of each reason, in our own words: those of another Core are never shown."""


class ItemRefused(LoopwireError):
    """The item or its answer does not fit the catalog; the message says what."""

    code, status, text = "item_refused", 422, REFUSALS["other"]

    def __init__(self, reason: RefusalReason = "other", message: str | None = None) -> None:
        """`message` is for a sentence that says more than the reason."""
        super().__init__(message or REFUSALS[reason])
        self.reason = reason


class ItemChanged(LoopwireError):
    """The item is not what the caller saw when it decided on the change: look again, then decide."""

    code, status, text = "item_changed", 409, "The item has changed meanwhile."


@dataclass(frozen=True, slots=True)
class Match:
    """A product that the words may mean; `exact` when they are its whole name."""

    product_id: int
    name: str
    brand_id: int
    brand: str
    category_id: int
    category: str
    score: float
    exact: bool


@dataclass(frozen=True, slots=True)
class Found:
    """One page of what a search found; `total` counts every match."""

    total: int
    matches: list[Match]


@dataclass(frozen=True, slots=True)
class Brand:
    """A maker."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class OptionValue:
    """One variant, for example 128 GB."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class OptionType:
    """A property in which the variants differ, with the values that the product has."""

    id: int
    name: str
    values: tuple[OptionValue, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A product as one language reads it."""

    id: int
    name: str
    description: str
    category_id: int
    category: str
    brands: tuple[Brand, ...]
    option_types: tuple[OptionType, ...]


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """The answer to one question: the value for machines and the text for people."""

    element_id: str
    question: str
    value: Any
    shown: str
    title: str = ""
    """The short name of the question; empty where it has none."""


MOST_PICTURES = 10
"""Pictures that an item has at most."""


@dataclass(frozen=True, slots=True)
class ItemPicture:
    """A picture of an item: its id is that of the conversation's picture, its size is in pixels."""

    id: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class NewPicture:
    """A picture that an item is to have; `read` gives its bytes, which not every Core needs."""

    id: str
    width: int
    height: int
    media_type: str
    read: Callable[[], Awaitable[bytes]]


MOST_CENTS = 100_000_000
"""The highest asking price: a million euro."""


@dataclass(frozen=True, slots=True)
class AskingPrice:
    """The price that the seller asks for an item, in hundredths of its currency's unit; None before they said it."""

    cents: int | None = None
    currency: str = "EUR"

    def text_in(self, language: Language) -> str:
        """Return the amount as the language writes it; empty while there is none."""
        if self.cents is None:
            return ""
        amount = self.cents / 100
        return format_euro(amount, language) if self.currency == "EUR" else f"{amount:.2f} {self.currency}"


@dataclass(frozen=True, slots=True)
class Item:
    """A product that a person hands in. The token never reaches a browser."""

    id: str
    token: str
    reference: str
    session_id: str | None
    """The conversation that it was made in, while that exists."""
    product_id: int
    product: str
    brand_id: int
    brand: str
    option_value_ids: tuple[int, ...]
    options: dict[str, str]
    """Chosen values by option type, as the principal reads them."""
    answers: tuple[ItemAnswer, ...]
    """In the order of their first answering; changing one keeps its place."""
    status: ItemStatus
    """Withdrawn: its owner says that it is another thing. It stays readable and never changes again."""
    created_at: int
    pictures: tuple[ItemPicture, ...] | None = ()
    """In the order in which they were given; None where the Core keeps none."""
    asking_price: AskingPrice | None = None
    """None where the Core keeps none."""
