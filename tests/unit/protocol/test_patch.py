"""JSON Patch: the cases of the RFC, and that a document is never changed in place."""

import copy
from typing import Any

import pytest

from server.protocol.patch import PatchError, apply_patch

CASES: list[tuple[Any, list[dict[str, Any]], Any]] = [
    ({}, [], {}),
    ({"a": 1}, [{"op": "add", "path": "/b", "value": 2}], {"a": 1, "b": 2}),
    ({"a": 1}, [{"op": "add", "path": "", "value": [3]}], [3]),
    ({"a": [1, 3]}, [{"op": "add", "path": "/a/1", "value": 2}], {"a": [1, 2, 3]}),
    ({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}], {"a": [1, 2]}),
    ({"a": [1]}, [{"op": "add", "path": "/a/1", "value": 2}], {"a": [1, 2]}),
    ({"a": {"b": [{"c": 1}]}}, [{"op": "replace", "path": "/a/b/0/c", "value": 2}], {"a": {"b": [{"c": 2}]}}),
    ({"a": 1}, [{"op": "replace", "path": "", "value": 2}], 2),
    ([1, 2], [{"op": "replace", "path": "/0", "value": 9}], [9, 2]),
    ({"a": 1, "b": 2}, [{"op": "remove", "path": "/a"}], {"b": 2}),
    ([1, 2], [{"op": "remove", "path": "/0"}], [2]),
    ([1, 2], [{"op": "remove", "path": ""}], None),
    ({"a": {"x": 1}}, [{"op": "move", "from": "/a/x", "path": "/y"}], {"a": {}, "y": 1}),
    ({"a": {"x": 1}}, [{"op": "copy", "from": "/a", "path": "/b"}], {"a": {"x": 1}, "b": {"x": 1}}),
    ({"a/b": 1, "m~n": 2}, [{"op": "remove", "path": "/a~1b"}, {"op": "remove", "path": "/m~0n"}], {}),
    ({"": 1}, [{"op": "replace", "path": "/", "value": 2}], {"": 2}),
    ({"a": [1]}, [{"op": "test", "path": "/a/0", "value": 1}], {"a": [1]}),
]

BAD: list[tuple[Any, dict[str, Any]]] = [
    ({}, {"op": "replace", "path": "/a", "value": 1}),
    ({}, {"op": "remove", "path": "/a"}),
    ({}, {"op": "add", "path": "/a/b", "value": 1}),
    ({}, {"op": "add", "path": "a", "value": 1}),
    ({}, {"op": "add", "path": "/a"}),
    ({}, {"op": "twist", "path": "/a"}),
    ({}, {"path": "/a"}),
    ({"a": 1}, {"op": "add", "path": "/a/b", "value": 1}),
    ([], {"op": "add", "path": "/1", "value": 1}),
    ([1], {"op": "remove", "path": "/1"}),
    ([1], {"op": "remove", "path": "/-"}),
    ([1], {"op": "replace", "path": "/01", "value": 1}),
    ([1, 2], {"op": "replace", "path": "/01", "value": 1}),
    ({"a": "b"}, {"op": "test", "path": "/a/b", "value": "b"}),
    ({"a": "b"}, {"op": "copy", "from": "/a/0", "path": "/c"}),
    ({"a": None}, {"op": "copy", "from": "/a/b", "path": "/c"}),
    ([1], {"op": "replace", "path": "/²", "value": 1}),
    ({"a": 1}, {"op": "copy", "from": "/a/b", "path": "/c"}),
    ({"a": {}}, {"op": "move", "from": "/a", "path": "/a/b"}),
    ({"a": 1}, {"op": "test", "path": "/a", "value": 2}),
    ([[1]], {"op": "remove", "path": "/x/0"}),
]


@pytest.mark.parametrize(("document", "operations", "expected"), CASES)
def test_operations_apply_without_touching_the_document(
    document: Any, operations: list[dict[str, Any]], expected: Any
) -> None:
    before = copy.deepcopy(document)
    assert apply_patch(document, operations) == expected
    assert document == before


@pytest.mark.parametrize(("document", "operation"), BAD)
def test_an_operation_that_does_not_fit_is_refused(document: Any, operation: dict[str, Any]) -> None:
    before = copy.deepcopy(document)
    with pytest.raises(PatchError):
        apply_patch(document, [{"op": "test", "path": "", "value": document}, operation])
    assert document == before
