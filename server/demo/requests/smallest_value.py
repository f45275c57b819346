"""The smallest value that a JSON schema allows: the answer to a request that no rule of the demo model knows."""

from collections.abc import Mapping
from typing import Any


def smallest_value(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """Return the smallest value that a JSON schema allows."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        return smallest_value(root.get("$defs", {}).get(name, {}), root)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        return smallest_value(branches[0], root)
    return _of_type(schema, root)


def _of_type(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        return {name: smallest_value(each, root) for name, each in schema.get("properties", {}).items()}
    if kind == "array":
        return [smallest_value(schema.get("items", {}), root)] * int(schema.get("minItems", 0))
    if kind in ("integer", "number"):
        return schema.get("minimum", 0)
    return {"boolean": False, "null": None}.get(str(kind), "demo")
