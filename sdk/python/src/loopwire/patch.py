"""JSON Patch (RFC 6902) on plain data; a given document is never changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

_INDEX = re.compile(r"(0|[1-9][0-9]*)\Z", re.ASCII)


class PatchError(ValueError):
    """A patch does not fit its document."""


def patch(document: Any, operations: Sequence[dict[str, Any]]) -> Any:
    """Return the document after all operations. Raises PatchError."""
    for operation in operations:
        try:
            document = _OPERATIONS[operation["op"]](document, operation)
        except (KeyError, TypeError) as error:
            raise PatchError(f"{operation!r} does not apply") from error
    return document


def patch_or_keep(document: Any, operations: Sequence[dict[str, Any]]) -> Any:
    """Return the document after all operations, or the same where they do not fit, as AG-UI's own client does."""
    try:
        return patch(document, operations)
    except PatchError:
        return document


def _keys(pointer: str) -> list[str]:
    if pointer == "":
        return []
    if not pointer.startswith("/"):
        raise PatchError(f"{pointer!r} is not a JSON pointer")
    return [each.replace("~1", "/").replace("~0", "~") for each in pointer[1:].split("/")]


def _index(key: str, size: int) -> int:
    if not _INDEX.match(key) or int(key) >= size:
        raise PatchError(f"{key!r} is not an index")
    return int(key)


def _child(parent: Any, key: str) -> Any:
    if isinstance(parent, list):
        return parent[_index(key, len(parent))]
    if isinstance(parent, dict):
        return parent[key]
    raise PatchError(f"there is nothing under {key!r}")


def _found(document: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        document = _child(document, key)
    return document


def _changed(document: Any, keys: Sequence[str], edit: Callable[[Any, str], None]) -> Any:
    """Copy the containers on the way to the last key, and let `edit` change the innermost copy."""
    if not isinstance(document, dict | list):
        raise PatchError(f"there is nothing under {keys[0]!r}")
    copy: Any = document.copy()
    first, *rest = keys
    if not rest:
        edit(copy, first)
    else:
        place: Any = _index(first, len(copy)) if isinstance(copy, list) else first
        copy[place] = _changed(copy[place], rest, edit)
    return copy


def _put(document: Any, keys: Sequence[str], value: Any) -> Any:
    def insert(parent: Any, key: str) -> None:
        if isinstance(parent, list):
            size = len(parent)
            parent.insert(size if key == "-" else _index(key, size + 1), value)
        else:
            parent[key] = value

    return _changed(document, keys, insert) if keys else value


def _without(document: Any, keys: Sequence[str]) -> Any:
    def remove(parent: Any, key: str) -> None:
        del parent[_index(key, len(parent)) if isinstance(parent, list) else key]

    return _changed(document, keys, remove) if keys else None


def _add(document: Any, operation: dict[str, Any]) -> Any:
    return _put(document, _keys(operation["path"]), operation["value"])


def _remove(document: Any, operation: dict[str, Any]) -> Any:
    return _without(document, _keys(operation["path"]))


def _replace(document: Any, operation: dict[str, Any]) -> Any:
    keys, value = _keys(operation["path"]), operation["value"]

    def assign(parent: Any, key: str) -> None:
        _child(parent, key)  # A replaced value must exist.
        parent[_index(key, len(parent)) if isinstance(parent, list) else key] = value

    return _changed(document, keys, assign) if keys else value


def _move(document: Any, operation: dict[str, Any]) -> Any:
    source, target = operation["from"], operation["path"]
    if target.startswith(f"{source}/"):
        raise PatchError("a value cannot be moved into itself")
    return _put(_without(document, _keys(source)), _keys(target), _found(document, _keys(source)))


def _copy(document: Any, operation: dict[str, Any]) -> Any:
    return _put(document, _keys(operation["path"]), _found(document, _keys(operation["from"])))


def _test(document: Any, operation: dict[str, Any]) -> Any:
    if _found(document, _keys(operation["path"])) != operation["value"]:
        raise PatchError(f"{operation['path']!r} has another value")
    return document


_OPERATIONS: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
