"""The fields that LoopOS's requests share, and the item that they may be about."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from server.agents import OfferedOfKeys, OpenObject, ServiceRequest, Unit, require_small, without_nulls
from server.languages import Language, fold, nearest_language
from server.text_reading.words.markup_removal import beginning, without_symbols

Text = Annotated[str, Field(max_length=8_000)]
"""A text that a person wrote."""

Name = Annotated[str, Field(max_length=300)]
"""The name of a product, a brand or a category."""

Money = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False), Unit.EURO]
"""Euro."""

Share = Annotated[float, Field(ge=0, le=1), Unit.SHARE]
"""A part of one: how sure an answer is."""


def require_letter(text: str) -> str:
    """Refuse a text of blanks and marks alone."""
    if not any(each.isalnum() for each in text):
        raise ValueError("at least one letter or digit is required")
    return text


_MOST_ANSWERS = 100
_MOST_WORDS = 2_000
"""Characters of what is known of an item, each."""


def _read_letter(value: object) -> object:
    """Read a letter or a word for a condition in any case, and a hint that was left empty as none."""
    if not isinstance(value, str) or not value.strip():
        return None if isinstance(value, str) else value
    return condition_letter(value) or value


Condition = Literal["A", "B", "C", "D"]
"""A excellent, B good, C fair, D poor."""

ConditionHint = Annotated[Condition | None, BeforeValidator(_read_letter)]
"""A condition that a caller may give."""


class RequestMessage(BaseModel):
    """A message of the conversation, as Deep Chat writes it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    _without_nulls = model_validator(mode="before")(without_nulls)

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

    @property
    def speaks(self) -> Language:
        """Return the language of the answer."""
        return nearest_language(self.language)


class OpenRequest(LooposRequest):
    """A request of a service without fields of its own in `agent_specific`: its agents read that as it is."""

    agent_specific: OpenObject | None = Field(
        None, description="More for the agents, as `loopos_item`; at most 64 KiB of JSON."
    )


class ItemOfRequest(BaseModel):
    """`loopos_item`: what is known of an item. `data` is open: names, brand, condition, categories, in either shape."""

    model_config = ConfigDict(extra="allow", frozen=True)

    class Inner(BaseModel):
        """The item in its envelope."""

        model_config = ConfigDict(extra="allow", frozen=True)
        data: Annotated[dict[str, Any], OfferedOfKeys({"condition": get_args(Condition)})] = Field(
            default_factory=dict,
            description="Flat: `name`, `brand`, `category`, `condition` (A to D, or words), `description`; or nested:"
            " `product` with `name` and `brand`, and `categories`, the last of which counts. Other keys may be there.",
        )

    item: Inner

    @model_validator(mode="after")
    def _is_small(self) -> Self:
        """Refuse an item that is too large for a model to read."""
        require_small(self.model_dump())
        return self

    @property
    def words(self) -> dict[str, str]:
        """Name, brand, category, condition and description, wherever `data` has them; missing ones are left out.

        A condition that is neither a letter nor a word for one comes as `condition_words`, as the caller wrote it.
        """
        data = self.item.data
        product = data.get("product")
        named: Mapping[str, Any] = product if isinstance(product, Mapping) else {}
        categories = data.get("categories")
        listed = categories if isinstance(categories, list) else []
        condition = _name_of(data.get("condition"))
        letter = condition_letter(condition)
        found = {
            "name": _name_of(data.get("name")) or _name_of(product),
            "brand": _name_of(data.get("brand")) or _name_of(named.get("brand")),
            "category": _name_of(data.get("category")) or (_name_of(listed[-1]) if listed else ""),
            "condition": letter,
            "condition_words": "" if letter else condition,
            "description": _name_of(data.get("description")),
        }
        plain = {name: without_symbols(beginning(value, _MOST_WORDS)) for name, value in found.items()}
        return {name: text[:_MOST_WORDS] for name, text in plain.items() if text}

    @property
    def answers(self) -> list[dict[str, str]]:
        """Return the questions about the item that were answered, and their answers."""
        given = (self.item.model_extra or {}).get("protocol_answers")
        listed = given.get("last_answers") if isinstance(given, Mapping) else None
        pairs = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
        told = [{name: str(each.get(name) or "")[:500] for name in ("question", "answer")} for each in pairs]
        return [each for each in told if each["answer"].strip()][:_MOST_ANSWERS]


class AgentSpecific(BaseModel):
    """The fields of one service; others are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    _without_nulls = model_validator(mode="before")(without_nulls)

    loopos_item: ItemOfRequest | None = Field(None, description="What is known of the item, for the agents.")


def _name_of(value: object) -> str:
    """Return a text, or the name of an object; nothing of any other value."""
    if isinstance(value, Mapping):
        value = value.get("name")
    return value if isinstance(value, str) else ""


_GRADES = {
    "A": (
        "a|excelente|novo|nova|como novo|como nova|perfeito|otimo|excellent|new|like new|as new|perfect|nuevo|nueva"
        "|como nuevo|como nueva|perfecto|neuf|neuve|comme neuf|comme neuve|parfait|neu|wie neu|neuwertig"
        "|ausgezeichnet|hervorragend|perfekt"
    ),
    "B": (
        "b|bom|boa|muito bom|muito boa|bom estado|good|very good|good condition|bueno|buena|muy bueno|muy buena"
        "|buen estado|bon|bonne|tres bon|bon etat|tres bon etat|gut|sehr gut|guter zustand|gut erhalten"
    ),
    "C": (
        "c|razoavel|usado|aceitavel|fair|used|acceptable|aceptable|regular|moyen|correct|passable|use|usage|mittel"
        "|mittelmassig|befriedigend|akzeptabel|ok|gebraucht"
    ),
    "D": (
        "d|mau|ma|avariado|partido|para pecas|poor|bad|broken|faulty|damaged|for parts|malo|mala|roto|averiado"
        "|danado|para piezas|mauvais|casse|abime|defectueux|en panne|pour pieces|schlecht|defekt|kaputt|beschadigt"
        "|fur bastler"
    ),
}
_LETTERS = {word: letter for letter, words in _GRADES.items() for word in words.split("|")}


def condition_letter(text: str) -> str:
    """Return the letter that a word or a letter for a condition means, in any language; nothing for any other text."""
    return _LETTERS.get(fold(text), "")
