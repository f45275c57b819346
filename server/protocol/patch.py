"""JSON Patch (RFC 6902) on plain data; the given document is never changed."""

from collections.abc import Callable, Sequence
from typing import Any


class PatchError(ValueError):
    """The patch does not fit the document."""


def apply_patch(document: Any, operations: Sequence[dict[str, Any]]) -> Any:
    """Return the document after all operations; raises PatchError, and then nothing has happened."""
    for operation in operations:
        try:
            document = _OPERATIONS[operation["op"]](document, operation)
        except (KeyError, TypeError) as error:
            raise PatchError from error
    return document


def _tokens(pointer: str) -> list[str]:
    if pointer == "":
        return []
    if not pointer.startswith("/"):
        raise PatchError
    return [each.replace("~1", "/").replace("~0", "~") for each in pointer[1:].split("/")]


def _index(key: str, size: int) -> int:
    if not key.isascii() or not key.isdigit() or (key != "0" and key.startswith("0")):
        raise PatchError
    if int(key) >= size:
        raise PatchError
    return int(key)


def _get(document: Any, tokens: Sequence[str]) -> Any:
    for token in tokens:
        document = document[_index(token, len(document)) if isinstance(document, list) else token]
    return document


def _change(document: Any, tokens: Sequence[str], edit: Callable[[Any, str], None]) -> Any:
    """Copy the containers on the way to the last token, and let `edit` change the innermost copy."""
    if not isinstance(document, (dict, list)):
        raise PatchError
    copy = document.copy()
    first, rest = tokens[0], tokens[1:]
    if not rest:
        edit(copy, first)
    elif isinstance(copy, list):
        place = _index(first, len(copy))
        copy[place] = _change(copy[place], rest, edit)
    else:
        copy[first] = _change(copy[first], rest, edit)
    return copy


def _put(document: Any, pointer: str, value: Any) -> Any:
    def edit(parent: Any, key: str) -> None:
        if isinstance(parent, list):
            size = len(parent)
            parent.insert(size if key == "-" else _index(key, size + 1), value)
        else:
            parent[key] = value

    tokens = _tokens(pointer)
    return _change(document, tokens, edit) if tokens else value


def _drop(document: Any, pointer: str) -> Any:
    def edit(parent: Any, token: str) -> None:
        del parent[_index(token, len(parent)) if isinstance(parent, list) else token]

    tokens = _tokens(pointer)
    return _change(document, tokens, edit) if tokens else None


def _add(document: Any, operation: dict[str, Any]) -> Any:
    return _put(document, operation["path"], operation["value"])


def _remove(document: Any, operation: dict[str, Any]) -> Any:
    return _drop(document, operation["path"])


def _replace(document: Any, operation: dict[str, Any]) -> Any:
    def edit(parent: Any, token: str) -> None:
        place = _index(token, len(parent)) if isinstance(parent, list) else token
        parent[place]  # A replaced value must exist.
        parent[place] = operation["value"]

    tokens = _tokens(operation["path"])
    return _change(document, tokens, edit) if tokens else operation["value"]


def _move(document: Any, operation: dict[str, Any]) -> Any:
    if operation["path"].startswith(operation["from"] + "/"):
        raise PatchError
    value = _get(document, _tokens(operation["from"]))
    return _put(_drop(document, operation["from"]), operation["path"], value)


def _copy(document: Any, operation: dict[str, Any]) -> Any:
    value = _get(document, _tokens(operation["from"]))
    return _put(document, operation["path"], value)


def _test(document: Any, operation: dict[str, Any]) -> Any:
    if _get(document, _tokens(operation["path"])) != operation["value"]:
        raise PatchError
    return document


_OPERATIONS: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
