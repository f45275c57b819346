"""A protocol element: one question about an item, or one notice between the questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from server.languages import Language, known_language
from server.loopos.texts import translation_of

Kind = Literal["text", "select", "number", "date", "boolean", "price", "info", "warning"]

ElementClass = Literal[
    "Protocol::Element::Input::Text",
    "Protocol::Element::Input::Select",
    "Protocol::Element::Input::Number",
    "Protocol::Element::Input::Date",
    "Protocol::Element::Input::Boolean",
    "Protocol::Element::Info",
    "Protocol::Element::Warning",
]

KINDS: dict[ElementClass, Kind] = {
    "Protocol::Element::Input::Text": "text",
    "Protocol::Element::Input::Select": "select",
    "Protocol::Element::Input::Number": "number",
    "Protocol::Element::Input::Date": "date",
    "Protocol::Element::Input::Boolean": "boolean",
    "Protocol::Element::Info": "info",
    "Protocol::Element::Warning": "warning",
}
"""The class names on the wire and what we call them."""

CLASSES: dict[Kind, ElementClass] = {kind: name for name, kind in KINDS.items()} | {
    "price": "Protocol::Element::Input::Number"
}
"""A protocol has no prices: the one of an item is a question of its own, a number on the wire."""


def language_of(language: str) -> Language:
    """Return the language of texts for a request's language such as `PT-PT` or `de`; for one that is not known en."""
    return known_language(language) or "en"


@dataclass(frozen=True, slots=True)
class Text:
    """One visible text in Portuguese and English; other languages have it by its English text."""

    pt: str
    en: str

    def text_in(self, language: str) -> str:
        """Return the text in this language."""
        short = language_of(language)
        return self.pt if short == "pt" else translation_of(self.en, short)

    @classmethod
    def of(cls, raw: str | Mapping[str, str]) -> Text:
        """Return a text as data has it: `{"pt", "en"}`, or one string that is the same in both languages."""
        return cls(raw, raw) if isinstance(raw, str) else cls(raw["pt"], raw["en"])


@dataclass(frozen=True, slots=True)
class ElementOption:
    """One answer of a select."""

    value: str
    label: Text
    deal_breaker: bool = False
    """Choosing it means that the item cannot be taken."""


@dataclass(frozen=True, slots=True)
class Element:
    """A question with its limits; `info` and `warning` ask nothing: label is their title, hint their text."""

    id: str
    kind: Kind
    label: Text
    title: Text | None = None
    """The short name of the question, as a card shows it; without it the label."""
    hint: Text | None = None
    required: bool = False
    unit: Text | None = None
    unit_one: Text | None = None
    """The unit of exactly one, where that is another word."""
    min: float | None = None
    max: float | None = None
    pattern: str | None = None
    """A regular expression that the whole text must match."""
    max_length: int = 2000
    not_in_future: bool = False
    options: tuple[ElementOption, ...] = ()
    depends_on: tuple[int, ...] = ()
    """Option types of the product: when the value of one is changed, the question is asked again."""

    @property
    def heading(self) -> Text:
        """Return the words that stand before the answer on a card."""
        return self.title or self.label

    @property
    def asks(self) -> bool:
        """Return whether the element asks something; false for what is only read."""
        return self.kind not in ("info", "warning")

    @property
    def is_figure(self) -> bool:
        """Return whether the answer is a number or a date."""
        return self.kind in ("number", "date")

    def unit_of(self, value: float) -> Text | None:
        """Return the unit as it is written behind this number; none where it names one of them (`which floor?`)."""
        if self.label.en.startswith("Which "):
            return None
        return self.unit_one if abs(value) == 1 and self.unit_one else self.unit

    @property
    def class_name(self) -> str:
        """Return the class on the wire."""
        return CLASSES[self.kind]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Element:
        """Return an element as data has it; a missing member or an unknown class raises KeyError."""
        attributes = raw["attributes"]
        title, hint, unit, one = (attributes.get(name) for name in ("title", "hint", "unit", "unit_one"))
        return cls(
            id=str(raw["id"]),
            kind=KINDS[raw["class"]],
            label=Text.of(attributes["label"]),
            title=Text.of(title) if title else None,
            hint=Text.of(hint) if hint else None,
            required=bool(attributes.get("required", False)),
            unit=Text.of(unit) if unit else None,
            unit_one=Text.of(one) if one else None,
            min=attributes.get("min"),
            max=attributes.get("max"),
            pattern=attributes.get("pattern"),
            max_length=attributes.get("max_length", 2000),
            not_in_future=bool(attributes.get("not_in_future", False)),
            options=tuple(
                ElementOption(str(one["value"]), Text.of(one["label"]), bool(one.get("deal_breaker", False)))
                for one in raw.get("options", ())
            ),
            depends_on=tuple(attributes.get("depends_on", ())),
        )
