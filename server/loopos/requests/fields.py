"""The fields that LoopOS's requests share, and the item that they may be about."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from server.agents import ServiceRequest
from server.languages import Language, nearest_language
from server.protocol.plain_text import plain_value

Text = Annotated[str, Field(max_length=8_000)]
"""A text that a person wrote."""

Name = Annotated[str, Field(max_length=300)]
"""The name of a product, a brand or a category."""

Money = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
"""Euro."""


def require_letter(text: str) -> str:
    """Refuse a text of blanks and marks alone."""
    if not any(each.isalnum() for each in text):
        raise ValueError("at least one letter or digit is required")
    return text


Condition = Literal["A", "B", "C", "D"]
"""A excellent, B good, C fair, D poor."""


class RequestMessage(BaseModel):
    """A message of the conversation, as Deep Chat writes it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    role: Annotated[str, Field(max_length=64)] = "user"
    text: Text = ""
    html: Text | None = None


class LooposRequest(ServiceRequest):
    """A request of LoopOS; `agent_specific` is each service's own."""

    loopos_core_context: Text | None = Field(
        None, description="The business in words: model, geography, categories."
    )
    messages: Annotated[list[RequestMessage], Field(max_length=200, fail_fast=True)] = Field(
        [], description="The conversation so far."
    )

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        """Drop control characters: a database does not take all of them."""
        return plain_value(value)

    @property
    def speaks(self) -> Language:
        """The language of the answer."""
        return nearest_language(self.language)


class AgentSpecific(BaseModel):
    """The fields of one service; others are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ItemOfRequest(BaseModel):
    """`loopos_item`: what is known of an item. `data` is open: names, brand, condition, categories, in either shape."""

    model_config = ConfigDict(extra="allow", frozen=True)

    class Inner(BaseModel):
        """The item in its envelope."""

        model_config = ConfigDict(extra="allow", frozen=True)
        data: dict[str, Any] = Field(default_factory=dict)

    item: Inner

    @property
    def words(self) -> dict[str, str]:
        """Name, brand, category, condition and description, wherever `data` has them; missing ones are left out."""
        data = self.item.data
        product = data.get("product")
        named: Mapping[str, Any] = product if isinstance(product, Mapping) else {}
        categories = data.get("categories")
        listed = categories if isinstance(categories, list) else []
        found = {
            "name": data.get("name") or named.get("name") or (product if isinstance(product, str) else None),
            "brand": data.get("brand") or named.get("brand"),
            "category": data.get("category") or (listed[-1] if listed else None),
            "condition": data.get("condition"),
            "description": data.get("description"),
        }
        return {name: str(value)[:2000] for name, value in found.items() if isinstance(value, str) and value}
