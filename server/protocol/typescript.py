"""TypeScript declarations of a JSON Schema, for the keywords that the schema of the wire uses and no others.

A clone of Loopwire runs without npm, and the declarations are compared with the schema in every run of the tests.
So they are written here, not by a package of the registry.
"""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

WIDTH = 110
"""Columns of a line, beyond which a choice is written one option a line."""
SHORT = 70
"""Characters of the fields of an object within another one, beyond which each has a line."""
OTHER_TEXT = "OtherText"
"""The type of a text that is none of those beside it."""

_HEAD = f"""\
/**
 * The types of the wire, of both directions. They are written out of docs/protocol/schema.json by
 * `python -m server.protocol.schema`: do not edit them.
 */

/**
 * A text that is none of those beside it. It is a string of which nothing else is known; no value has this name. Beside
 * `string` a comparison with one of the named texts would not say which of them it is.
 */
export declare enum {OTHER_TEXT} {{
  other = "another text",
}}
"""
_SCALARS = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "object": "object",
    "null": "null",
    "unknown": "unknown",
}
_SHAPING = {
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "enum",
    "items",
    "not",
    "oneOf",
    "properties",
    "required",
    "type",
}
_SILENT = {
    "default",
    "description",
    "discriminator",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "title",
}
"""Keywords that say nothing that a type of TypeScript can say."""


def declarations(document: Json) -> str:
    """Return the text of a `.d.ts` with a type for each definition of the document.

    Raises ValueError, with the place, for a keyword or a form of one that is not known here.
    """
    declared = [_declaration(name, rule) for name, rule in document["$defs"].items()]
    return "\n".join([_HEAD, *declared])


def _declaration(name: str, rule: Json) -> str:
    about = "".join(f"{line}\n" for line in _comment(rule, ""))
    if "properties" in rule:
        return f"{about}export interface {name} {_type(rule, name, '', whole=True)}\n"
    return f"{about}export type {name} ={_after_sign(_type(rule, name, ''))};\n"


def _comment(rule: Json, indent: str) -> Iterator[str]:
    """Yield the lines of a description, none where there is none."""
    lines = rule.get("description", "").replace("*/", "*\\/").split("\n")
    if lines == [""]:
        return
    if len(lines) == 1:
        yield f"{indent}/** {lines[0]} */"
        return
    yield f"{indent}/**"
    yield from (f"{indent} * {line}".rstrip() for line in lines)
    yield f"{indent} */"


def _after_sign(told: str) -> str:
    """Return a type as it stands behind a sign: on the next lines where it has several."""
    return told if told.startswith("\n") else f" {told}"


def _type(rule: Json, place: str, indent: str, *, whole: bool = False) -> str:
    """Return the type of what a rule describes, below a line of this indent; a `whole` object has a line a field."""
    if "properties" in rule or rule.get("additionalProperties"):
        _check_keywords(rule, place)
        return _object(rule, place, indent, whole=whole)
    options = list(dict.fromkeys(_options(rule, place, indent)))
    joined = " | ".join(options)
    if len(options) == 1 or len(indent) + len(joined) <= WIDTH:
        return joined
    return "".join(f"\n{indent}  | {each}" for each in options)


def _options(rule: Json, place: str, indent: str) -> Iterator[str]:
    """Yield the types of which a value has one."""
    _check_keywords(rule, place)
    choices = [*rule.get("oneOf", ()), *rule.get("anyOf", ())]
    if "$ref" in rule:
        yield rule["$ref"].rpartition("/")[2]
    elif choices:
        for number, each in enumerate(choices):
            is_object = "properties" in each or each.get("additionalProperties")
            at = f"{place}[{number}]"
            yield from [_type(each, at, indent)] if is_object else _options(each, at, indent)
    elif "const" in rule or "enum" in rule:
        yield from (_literal(each, place) for each in rule.get("enum", [rule.get("const")]))
    elif "not" in rule:
        yield _text_beside(rule, place)
    else:
        yield _plain(rule, place, indent)


def _check_keywords(rule: Json, place: str) -> None:
    if unknown := rule.keys() - _SHAPING - _SILENT:
        raise ValueError(f"{place}: {min(unknown)} has no type in TypeScript here")


def _text_beside(rule: Json, place: str) -> str:
    if rule.get("type") != "string" or rule["not"].keys() != {"enum"}:
        raise ValueError(f"{place}: `not` is known of the texts of an enum alone")
    return OTHER_TEXT


def _plain(rule: Json, place: str, indent: str) -> str:
    kind = rule.get("type", "unknown")
    if kind == "array":
        items = _type(rule.get("items", {}), f"{place}[]", indent)
        return f"({items})[]" if " | " in items else f"{items}[]"
    if not isinstance(kind, str) or kind not in _SCALARS:
        raise ValueError(f"{place}: the type {kind} is not known here")
    return _SCALARS[kind]


def _object(rule: Json, place: str, indent: str, *, whole: bool) -> str:
    """Return an object with its fields; only one that says so has others besides."""
    inner, required = f"{indent}  ", set(rule.get("required", ()))
    lines: list[str] = []
    for name, field in rule.get("properties", {}).items():
        lines += _comment(field, inner)
        mark = "" if name in required else "?"
        lines.append(f"{inner}{name}{mark}:{_after_sign(_type(field, f'{place}.{name}', inner))};")
    if rule.get("additionalProperties") not in (None, True, False):
        raise ValueError(f"{place}: additionalProperties is known as true and false alone")
    if rule.get("additionalProperties"):
        lines.append(f"{inner}[field: string]: unknown;")
    short = "; ".join(each.strip().removesuffix(";") for each in lines)
    if not whole and "\n" not in short and "/*" not in short and len(short) <= SHORT:
        return f"{{ {short} }}"
    return "\n".join(["{", *lines, f"{indent}}}"])


def _literal(value: Any, place: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.isprintable() and not {'"', "\\"} & set(value):
        return f'"{value}"'
    raise ValueError(f"{place}: the constant {value!r} is not known here")
