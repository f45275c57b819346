"""The fields of a schema as rows of a table: name, type, whether it is required, meaning."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SchemaRow:
    """One field of a schema; the name of a nested field is its path, parted by dots."""

    name: str
    type: str
    required: bool
    meaning: str


def field_rows(document: Json, schema: str) -> list[SchemaRow]:
    """Return the rows of a schema of an OpenAPI document, the rows of a nested object after its own row."""
    schemas = document["components"]["schemas"]
    return list(_rows(schemas, schemas[schema], ""))


def item_rows(document: Json, schema: Json) -> list[SchemaRow]:
    """Return the rows of the objects in a list, by the list's schema in an OpenAPI document."""
    schemas = document["components"]["schemas"]
    return list(_rows(schemas, _follow_reference(schemas, schema["items"]), "[]."))


def own_first(rows: Iterable[SchemaRow], common: Container[str]) -> list[SchemaRow]:
    """Return the rows in their order, but last the optional fields that are `common` to all requests."""
    return sorted(
        rows, key=lambda row: not row.required and row.name.partition(".")[0].removesuffix("[]") in common
    )


def _rows(schemas: Json, schema: Json, above: str) -> Iterator[SchemaRow]:
    required = set(schema.get("required", ()))
    for name, field in schema.get("properties", {}).items():
        path, found = f"{above}{name}", _follow_reference(schemas, field)
        meaning = field.get("description") or found.get("description", "").split("\n")[0]
        yield SchemaRow(path, _type_of(schemas, field), name in required, meaning)
        inner = _follow_reference(schemas, found.get("items", found))
        inside = f"{path}{'[]' if found.get('items') else ''}."
        if "properties" in inner:
            yield from _rows(schemas, inner, inside)
        elif kinds := _kinds_of(schemas, inner):
            yield SchemaRow(f"{inside}type", " | ".join(kinds), True, "")


def _kinds_of(schemas: Json, field: Json) -> list[str]:
    """Return the values of `type` that distinguish the objects of a `oneOf`; an empty list for another schema."""
    options = (_follow_reference(schemas, each).get("properties", {}) for each in field.get("oneOf", ()))
    return [str(each["type"]["const"]) for each in options if "const" in each.get("type", ())]


def _follow_reference(schemas: Json, field: Json) -> Json:
    """Return the schema that a `$ref` names, or the only one of an `anyOf` beside null; else the schema itself."""
    if "$ref" in field:
        found: Json = schemas[field["$ref"].rpartition("/")[2]]
        return found
    options = [each for each in field.get("anyOf", ()) if each.get("type") != "null"]
    return _follow_reference(schemas, options[0]) if len(options) == 1 else field


def _type_of(schemas: Json, field: Json) -> str:
    options = field.get("anyOf")
    if options:
        return " or ".join(dict.fromkeys(_type_of(schemas, each) for each in options))
    found = _follow_reference(schemas, field)
    if "enum" in found:
        return " | ".join(map(str, found["enum"]))
    if "const" in found:
        return str(found["const"])
    kind = str(found.get("type", "any"))
    if kind == "array":
        return f"{_type_of(schemas, found.get('items', {}))}[]"
    if kind == "object" and isinstance(found.get("additionalProperties"), Mapping):
        return f"object of {_type_of(schemas, found['additionalProperties'])}"
    return kind
