"""The JSON Schema of the wire, and as much of a validator as it needs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from loopwire.conformance.faults import Fault

Json = Any

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip


@cache
def schema() -> Json:
    """Return the document."""
    return json.loads((files("loopwire.conformance") / "schema.json").read_text(encoding="utf-8"))


def require_valid(name: str, value: Json) -> None:
    """Raise Fault unless a value is what the document defines under this name."""
    fault = next(faults_of(schema()["$defs"][name], value, name), None)
    if fault is not None:
        raise Fault(fault)


def faults_of(rule: Json, value: Json, place: str) -> Iterator[str]:
    """Yield what is wrong with a value by a rule of the document."""
    if "$ref" in rule:
        yield from faults_of(schema()["$defs"][rule["$ref"].rpartition("/")[2]], value, place)
    for each in (rule.get("oneOf"), rule.get("anyOf")):
        if each is not None:
            yield from _faults_of_choice(_rules_for(each, value), value, place)
    if "type" in rule and not _is_of(rule["type"], value):
        yield f"{place} is no {rule['type']}"
        return
    for name, judge in _JUDGES.items():
        if name in rule:
            yield from judge(rule, value, place)


def _faults_of_choice(rules: list[Json], value: Json, place: str) -> Iterator[str]:
    found = [list(faults_of(each, value, place)) for each in rules]
    if all(found):
        yield min(found, key=lambda faults: (len(faults), "type" in faults[0]))[0]


def _rules_for(rules: list[Json], value: Json) -> list[Json]:
    """Return the rules whose `type` is that of the value, so that a fault is one of its own kind; else all of them."""
    kind = value.get("type") if isinstance(value, dict) else None
    named = [each for each in rules if kind is not None and _type_named_by(each) == kind]
    return named or rules


def _type_named_by(rule: Json) -> Json:
    while "$ref" in rule:
        rule = schema()["$defs"][rule["$ref"].rpartition("/")[2]]
    return rule.get("properties", {}).get("type", {}).get("const")


def _is_of(kind: str, value: Json) -> bool:
    if kind in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, _TYPES[kind])


def _object(rule: Json, value: Json, place: str) -> Iterator[str]:
    known = rule.get("properties", {})
    for name in rule.get("required", ()):
        if name not in value:
            yield f"{place} has no {name}"
    for name, each in value.items():
        if name in known:
            yield from faults_of(known[name], each, f"{place}.{name}")
        elif rule.get("additionalProperties") is False:
            yield f"{place} has {name}, which is not of the wire"


def _items(rule: Json, value: Json, place: str) -> Iterator[str]:
    for number, each in enumerate(value):
        yield from faults_of(rule["items"], each, f"{place}[{number}]")


def _not(rule: Json, value: Json, place: str) -> Iterator[str]:
    if not any(faults_of(rule["not"], value, place)):
        yield f"{place} is {value}, which has a meaning of its own"


def _bounds(holds: Callable[[Json, Json], bool], name: str) -> Callable[[Json, Json, str], Iterator[str]]:
    def judge(rule: Json, value: Json, place: str) -> Iterator[str]:
        if not holds(rule[name], value):
            yield f"{place} breaks {name} {rule[name]}"

    return judge


_JUDGES: dict[str, Callable[[Json, Json, str], Iterator[str]]] = {
    "properties": _object,
    "items": _items,
    "not": _not,
    "const": _bounds(lambda want, value: bool(want == value), "const"),
    "enum": _bounds(lambda want, value: value in want, "enum"),
    "minimum": _bounds(lambda want, value: bool(value >= want), "minimum"),
    "maximum": _bounds(lambda want, value: bool(value <= want), "maximum"),
    "minLength": _bounds(lambda want, value: len(value) >= want, "minLength"),
    "maxLength": _bounds(lambda want, value: len(value) <= want, "maxLength"),
    "minItems": _bounds(lambda want, value: len(value) >= want, "minItems"),
    "maxItems": _bounds(lambda want, value: len(value) <= want, "maxItems"),
    "pattern": _bounds(lambda want, value: re.search(want, value) is not None, "pattern"),
}
