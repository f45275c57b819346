"""The OpenAPI document: valid, current, and each example fits its schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from server.api.openapi.document import openapi_document
from server.api.openapi.schema_rows import field_rows
from server.loopos.rows import ItemStatus
from server.services import services

ROOT = Path(__file__).parents[3]
DOCUMENT = openapi_document(services())
PATHS = [
    path
    for path, methods in DOCUMENT["paths"].items()
    if "services" in methods.get("post", {}).get("tags", ())
]


def test_the_document_is_valid() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_the_stored_document_is_current() -> None:
    stored = json.loads((ROOT / "docs" / "protocol" / "openapi.json").read_text())
    assert stored == DOCUMENT, "run scripts/openapi_document.py"


def test_an_item_has_the_statuses_that_the_core_gives_it() -> None:
    """The endpoints may not import the rows of LoopOS, so that the document has a list of its own."""
    shown = DOCUMENT["components"]["schemas"]["Item"]["properties"]["status"]["enum"]
    assert tuple(shown) == get_args(ItemStatus)


def test_every_service_that_answers_requests_stands_in_it() -> None:
    wanted = {each.contract.path for each in services().values() if each.contract is not None}
    assert wanted | {"/chat"} == set(PATHS)


@pytest.mark.parametrize("path", PATHS)
def test_an_example_fits_its_schema(path: str) -> None:
    body = DOCUMENT["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    schema: dict[str, Any] = {**body["schema"], "components": DOCUMENT["components"]}
    Draft202012Validator(schema).validate(body["example"])


def test_fields_are_listed_with_those_inside_them() -> None:
    rows = {each.name: each for each in field_rows(DOCUMENT, "DescriptorRequest")}
    assert rows["agent_specific.condition"].type == "A | B | C | D or null"
    assert rows["images"].required
    given = {each.name: each for each in field_rows(DOCUMENT, "ProtocolResponse")}
    assert "elements[].attributes.label" in given
    assert given["elements[].class"].required
