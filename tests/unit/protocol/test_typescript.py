"""The declarations of TypeScript that a JSON Schema comes to, and the keywords that none are made of."""

from __future__ import annotations

from typing import Any

import pytest

from server.protocol.typescript import declarations


def declared(rule: dict[str, Any]) -> str:
    """Return what is declared for one definition, called `Made`."""
    text = declarations({"$defs": {"Made": rule}})
    return text[text.index("export declare enum") :].partition("}\n\n")[2]


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({}, "unknown"),
        ({"type": "string", "maxLength": 3, "pattern": "^a"}, "string"),
        ({"type": "integer", "minimum": 1}, "number"),
        ({"type": "object"}, "object"),
        ({"type": "object", "additionalProperties": True}, "{ [field: string]: unknown }"),
        ({"const": True}, "true"),
        ({"const": False}, "false"),
        ({"enum": ["up", "down"], "type": "string"}, '"up" | "down"'),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "null"}]}, "number | null"),
        (
            {"oneOf": [{"$ref": "#/$defs/A"}, {"anyOf": [{"enum": ["b"]}, {"type": "null"}]}]},
            'A | "b" | null',
        ),
        ({"type": "array", "items": {"$ref": "#/$defs/A"}}, "A[]"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, '("a" | "b")[]'),
        ({"type": "array"}, "unknown[]"),
        ({"type": "string", "not": {"enum": ["a"]}}, "OtherText"),
        ({"enum": ["a" * 60, "b" * 60]}, "\n".join(["", f'  | "{"a" * 60}"', f'  | "{"b" * 60}"'])),
    ],
    ids=str,
)
def test_a_rule_comes_to_its_type(rule: dict[str, Any], told: str) -> None:
    assert declared(rule) == f"export type Made ={'' if told[0] == chr(10) else ' '}{told};\n"


def test_an_object_is_an_interface_with_what_is_said_of_its_fields() -> None:
    rule = {
        "description": "A thing.\nOf two lines, with */ in it.",
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "Its name."},
            "size": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
            "told": {
                "type": "object",
                "properties": {"by": {"type": "string", "description": "Who."}},
                "additionalProperties": True,
            },
        },
        "required": ["id"],
        "additionalProperties": False,
    }
    assert declared(rule) == (
        "/**\n"
        " * A thing.\n"
        " * Of two lines, with *\\/ in it.\n"
        " */\n"
        "export interface Made {\n"
        "  /** Its name. */\n"
        "  id: string;\n"
        "  size?: { x: number };\n"
        "  told?: {\n"
        "    /** Who. */\n"
        "    by?: string;\n"
        "    [field: string]: unknown;\n"
        "  };\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ({"type": "string", "format": "date"}, "Made: format"),
        ({"type": "object", "properties": {"a": {"allOf": []}}}, "Made.a: allOf"),
        ({"anyOf": [{"type": "null"}, {"if": {}}]}, r"Made\[1\]: if"),
        ({"type": "array", "items": {"contains": {}}}, r"Made\[\]: contains"),
        ({"type": ["string", "null"]}, "Made: the type"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "Made: additionalProperties"),
        ({"not": {"enum": ["a"]}}, "Made: `not`"),
        ({"type": "string", "not": {"pattern": "a"}}, "Made: `not`"),
        ({"const": 3}, "Made: the constant 3"),
        ({"enum": ['a"b']}, "Made: the constant"),
    ],
    ids=str,
)
def test_what_has_no_type_here_is_an_error_that_names_its_place(rule: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=f"^{fault}"):
        declarations({"$defs": {"Made": rule}})
