"""Questions by JSON Schema: the accepted schemas, their forms, and the answers that do not fit."""

import math
from typing import Any

import pytest

from server.html.answer_words import fault_sentence
from server.protocol.forms import MOST_TEXT, BadForm, Fault, fault_in, fields_of


def form(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


ALL = form(
    ("size",),
    size={"type": "string", "enum": ["S", "M"], "title": "Size", "description": "As worn."},
    name={"type": "string", "minLength": 2, "maxLength": 5},
    day={"type": "string", "format": "date"},
    pick_up={
        "type": "string",
        "format": "date",
        "formatMinimum": "2026-01-10",
        "formatMaximum": "2026-01-20",
    },
    mail={"type": "string", "format": "email"},
    count={"type": "integer", "minimum": 1, "maximum": 3},
    price={"type": "number"},
    new={"type": "boolean"},
)


def test_every_type_has_its_input() -> None:
    fields = {each["name"]: each for each in fields_of(ALL)}
    assert [each["input"] for each in fields.values()] == [
        "choice", "text", "date", "date", "email", "integer", "number", "yesno",
    ]  # fmt: skip
    assert fields["size"] == {
        "name": "size",
        "label": "Size",
        "hint": "As worn.",
        "input": "choice",
        "choices": [{"value": "S", "label": "S"}, {"value": "M", "label": "M"}],
        "required": True,
    }
    assert (fields["name"]["min"], fields["name"]["max"], fields["name"]["required"]) == (2, 5, False)
    assert fields["name"]["label"] == "name" and "hint" not in fields["name"]
    assert (fields["count"]["min"], fields["count"]["max"]) == (1, 3)
    assert (fields["pick_up"]["min"], fields["pick_up"]["max"]) == ("2026-01-10", "2026-01-20")


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (None, "one object"),
        ({"type": "array"}, "one object"),
        (form(), "1 to 20"),
        (form(**{f"a{n}": {"type": "boolean"} for n in range(21)}), "1 to 20"),
        (form(("b",), a={"type": "boolean"}), "required"),
        ({**form(a={"type": "boolean"}), "required": "a"}, "required"),
        ({**form(a={"type": "boolean"}), "anyOf": []}, "Not supported in the schema: anyOf"),
        (form(a={"type": "array"}), "a must be of type"),
        (form(a={"type": ["string", "null"]}), "a must be of type"),
        (form(a="string"), "a must be of type"),
        (form(a={"type": "string", "pattern": "x"}), "Not supported in a: pattern"),
        (form(a={"type": "boolean", "minimum": 1}), "Not supported in a: minimum"),
        (form(a={"type": "string", "format": "uri"}), "format of a"),
        (form(a={"type": "string", "enum": []}), "enum of a"),
        (form(a={"type": "string", "enum": ["S", "M", "S"]}), "enum of a has a text twice"),
        (form(a={"type": "string", "minLength": float("nan")}), "minLength of a must be a number"),
        (form(a={"type": "string", "format": "date", "formatMinimum": "today"}), "formatMinimum of a"),
        (form(a={"type": "string", "formatMaximum": "2026-01-31"}), "formatMaximum of a"),
        (form(a={"type": "string", "format": "date", "formatMaximum": 20260131}), "formatMaximum of a"),
        (form(a={"type": "string", "enum": "ab"}), "enum of a"),
        (form(a={"type": "string", "enum": ["x", 1]}), "enum of a"),
        (form(a={"type": "integer", "minimum": "1"}), "minimum of a"),
        (form(**{"a b": {"type": "boolean"}}), "name of a property"),
    ],
)
def test_a_schema_that_cannot_be_drawn_is_refused_in_one_sentence(schema: Any, why: str) -> None:
    with pytest.raises(BadForm, match=why):
        fields_of(schema)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ({"size": "S"}, None),
        (
            {
                "size": "M",
                "name": "Ana",
                "day": "2026-01-31",
                "mail": "a@b.pt",
                "count": 3,
                "price": 1,
                "new": False,
            },
            None,
        ),
        ("S", Fault("", "object")),
        (None, Fault("", "object")),
        ({}, Fault("size", "empty")),
        ({"size": "XL"}, Fault("size", "choose")),
        ({"size": None}, Fault("size", "text")),
        ({"size": "S", "other": 1}, Fault("", "unknown")),
        ({"size": "S", "name": "A"}, Fault("name", "short", {"min": 2})),
        ({"size": "S", "name": "Anabela"}, Fault("name", "long", {"count": 7, "max": 5})),
        ({"size": "S", "day": "2026-02-30"}, Fault("day", "date")),
        ({"size": "S", "day": "20260131"}, Fault("day", "date")),
        ({"size": "S", "pick_up": "2026-01-10"}, None),
        ({"size": "S", "pick_up": "2026-01-09"}, Fault("pick_up", "early", {"min": "2026-01-10"})),
        ({"size": "S", "pick_up": "2026-01-21"}, Fault("pick_up", "late", {"max": "2026-01-20"})),
        ({"size": "S", "mail": "nobody"}, Fault("mail", "email")),
        ({"size": "S", "count": 0}, Fault("count", "min", {"min": 1})),
        ({"size": "S", "count": 4}, Fault("count", "max", {"max": 3})),
        ({"size": "S", "count": 1.5}, Fault("count", "integer")),
        ({"size": "S", "count": True}, Fault("count", "integer")),
        ({"size": "S", "price": "1"}, Fault("price", "number")),
        ({"size": "S", "price": True}, Fault("price", "number")),
        ({"size": "S", "price": math.inf}, Fault("price", "number")),
        ({"size": "S", "price": 10**400}, None),
        ({"size": "S", "new": 1}, Fault("new", "boolean")),
    ],
)
def test_the_fault_names_the_field_and_why(answer: Any, fault: Fault | None) -> None:
    assert fault_in(ALL, answer) == fault
    said = [fault_sentence(fault, language) for language in ("pt", "en")] if fault else []
    assert not [each for each in said if "ask.error" in each or "{" in each]
    assert len(set(said)) == len(said)


def test_a_fault_is_said_in_the_language_of_the_answer_after_the_name_of_its_field() -> None:
    fault = Fault("km", "max", {"max": 12_000})
    assert fault_sentence(fault, "pt-PT") == "km: O máximo é 12\u00a0000."
    assert fault_sentence(fault, "en") == "km: The most is 12,000."
    assert fault_sentence(Fault("", "unknown"), "en") == "The answer has a field that was not asked for."


def test_a_text_without_a_bound_has_one_in_a_form_and_none_alone() -> None:
    long = "x" * (MOST_TEXT + 1)
    assert fault_in(form(a={"type": "string"}), {"a": long}) == Fault(
        "a", "long", {"count": len(long), "max": MOST_TEXT}
    )
    assert fault_in({"type": "string"}, long) is None
    assert fault_in({"type": "string"}, 1) == Fault("", "text")


CHOICES = [f"c{n}" for n in range(51)]


@pytest.mark.parametrize(
    "schema",
    [
        form(**{f"a{n}": {"type": "boolean"} for n in range(20)}),
        form(a={"type": "string", "enum": CHOICES[:50]}),
        form(a={"type": "string", "enum": ["S"]}),
        form(**{"_" + "a" * 63: {"type": "boolean"}}),
        {"type": "object", "properties": {"a": {"type": "boolean"}}},
    ],
    ids=["20 fields", "50 choices", "one choice", "64 letters", "nothing required"],
)
def test_a_schema_at_its_bounds_is_drawn(schema: dict[str, Any]) -> None:
    fields = fields_of(schema)
    assert [each["name"] for each in fields] == list(schema["properties"])
    assert not any(each["required"] for each in fields)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (form(a={"type": "string", "enum": CHOICES}), "The enum of a must be 1 to 50 texts."),
        (form(a={"type": "string", "enum": [""]}), "The enum of a must be 1 to 50 texts."),
        (form(**{"a" * 65: {"type": "boolean"}}), "The name of a property is made of letters, digits and _."),
        (form(a={"type": "boolean", "z" * 200: 1}), f"Not supported in a: {'z' * 100}."),
        (form(a={"type": "boolean", "y": 1, "x": 1}), "Not supported in a: x, y."),
        ({**form(a={"type": "boolean"}), "properties": [1]}, "The schema must have 1 to 20 properties."),
        (form(a={"type": "number", "maximum": True}), "maximum of a must be a number."),
    ],
)
def test_a_schema_beyond_its_bounds_is_refused_with_an_exact_sentence(schema: Any, why: str) -> None:
    with pytest.raises(BadForm) as refused:
        fields_of(schema)
    assert str(refused.value) == why


@pytest.mark.parametrize(
    "answer",
    [
        {"name": "An"},
        {"name": "Anabe"},
        {"count": 1},
        {"pick_up": "2026-01-20"},
        {"price": -1.5},
        {"mail": f"{'a' * 64}@{'b' * 190}.{'c' * 60}"},
    ],
    ids=str,
)
def test_an_answer_at_its_bound_fits(answer: dict[str, Any]) -> None:
    assert fault_in(ALL, {"size": "S", **answer}) is None


def test_a_text_of_two_thousand_characters_fits_and_one_of_a_choice_is_not_measured() -> None:
    assert fault_in(form(a={"type": "string"}), {"a": "x" * 2_000}) is None
    longer = Fault("a", "long", {"count": 2_001, "max": 2_000})
    assert fault_in(form(a={"type": "string"}), {"a": "x" * 2_001}) == longer
    long = "x" * 3_000
    assert fault_in(form(a={"type": "string", "enum": [long]}), {"a": long}) is None
    assert fault_in(form(a={"type": "string"}), {"a": ""}) is None
    assert fault_in({"type": "object"}, {}) is None
    assert fault_in({"type": "object"}, {"a": 1}) == Fault("", "unknown")
