"""Questions by JSON Schema: what is accepted, what is drawn, and which answers do not fit."""

from typing import Any

import pytest

from server.protocol.forms import MOST_TEXT, BadForm, fault_in, fields_of


def form(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


ALL = form(
    ("size",),
    size={"type": "string", "enum": ["S", "M"], "title": "Size", "description": "As worn."},
    name={"type": "string", "minLength": 2, "maxLength": 5},
    day={"type": "string", "format": "date"},
    mail={"type": "string", "format": "email"},
    count={"type": "integer", "minimum": 1, "maximum": 3},
    price={"type": "number"},
    new={"type": "boolean"},
)


def test_every_type_has_its_input() -> None:
    fields = {each["name"]: each for each in fields_of(ALL)}
    assert [each["input"] for each in fields.values()] == [
        "choice", "text", "date", "email", "integer", "number", "yesno",
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
    assert (fields["count"]["min"], fields["count"]["max"]) == (1, 3)


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
        (form(a={"type": "string", "enum": "ab"}), "enum of a"),
        (form(a={"type": "string", "enum": ["x", 1]}), "enum of a"),
        (form(a={"type": "integer", "minimum": "1"}), "minimum of a"),
        (form(**{"a b": {"type": "boolean"}}), "name of a property"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(schema: Any, why: str) -> None:
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
        ("S", "The answer must be an object."),
        (None, "The answer must be an object."),
        ({}, "size is required."),
        ({"size": "XL"}, "size must be one of the choices."),
        ({"size": None}, "size must be a text."),
        ({"size": "S", "other": 1}, "The answer has a field that was not asked for."),
        ({"size": "S", "name": "A"}, "name must have at least 2 characters."),
        ({"size": "S", "name": "Anabela"}, "name must have at most 5 characters."),
        ({"size": "S", "day": "2026-02-30"}, "day must be a date such as 2026-01-31."),
        ({"size": "S", "day": "20260131"}, "day must be a date such as 2026-01-31."),
        ({"size": "S", "mail": "nobody"}, "mail must be an e-mail address."),
        ({"size": "S", "count": 0}, "count must be at least 1."),
        ({"size": "S", "count": 4}, "count must be at most 3."),
        ({"size": "S", "count": 1.5}, "count must be a whole number."),
        ({"size": "S", "count": True}, "count must be a whole number."),
        ({"size": "S", "price": "1"}, "price must be a number."),
        ({"size": "S", "price": True}, "price must be a number."),
        ({"size": "S", "new": 1}, "new must be true or false."),
    ],
)
def test_the_fault_names_the_field_and_why(answer: Any, fault: str | None) -> None:
    assert fault_in(ALL, answer) == fault


def test_a_text_without_a_bound_has_one_in_a_form_and_none_alone() -> None:
    long = "x" * (MOST_TEXT + 1)
    assert fault_in(form(a={"type": "string"}), {"a": long}) == f"a must have at most {MOST_TEXT} characters."
    assert fault_in({"type": "string"}, long) is None
    assert fault_in({"type": "string"}, 1) == "The answer must be a text."
