"""The OpenAPI document: valid, current, and each example fits its schema."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from server.agui.cancel import CancelRequest
from server.agui.input import MOST_ANSWERS, MOST_MESSAGES, MOST_TOOLS, RunAgentInput
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


def test_a_request_of_agui_has_the_fields_and_bounds_of_its_model() -> None:
    """The document may not import the models of AG-UI, so that it has a list of its own."""
    shown = DOCUMENT["components"]["schemas"]
    for name, model in (("AguiRequest", RunAgentInput), ("AguiCancel", CancelRequest)):
        real = model.model_json_schema()
        assert shown[name]["properties"].keys() == real["properties"].keys()
        assert shown[name]["required"] == real["required"]
    told = {name: each.get("maxItems") for name, each in shown["AguiRequest"]["properties"].items()}
    assert (told["messages"], told["tools"], told["resume"]) == (MOST_MESSAGES, MOST_TOOLS, MOST_ANSWERS)


def test_every_service_that_answers_requests_stands_in_it() -> None:
    wanted = {each.contract.path for each in services().values() if each.contract is not None}
    assert wanted | {"/chat"} == set(PATHS)


@pytest.mark.parametrize("path", PATHS)
def test_an_example_fits_its_schema(path: str) -> None:
    body = DOCUMENT["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    schema: dict[str, Any] = {**body["schema"], "components": DOCUMENT["components"]}
    Draft202012Validator(schema).validate(body["example"])


def bounds_of(schema: Any) -> set[int]:
    """Return the most characters, elements and members that a request may have anywhere; pictures have a row."""
    if isinstance(schema, list):
        return {bound for each in schema for bound in bounds_of(each)}
    if not isinstance(schema, dict):
        return set()
    if "$ref" in schema:
        return bounds_of(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    own = {schema[name] for name in ("maxLength", "maxItems", "maxProperties") if name in schema}
    inner = [each for name, each in schema.items() if name not in ("images", "files")]
    return own | bounds_of(inner)


def test_the_guide_names_every_bound_of_a_request() -> None:
    guide = (ROOT / "docs" / "services.md").read_text()
    row = next(each for each in guide.splitlines() if each.startswith("| no bounds on what is sent"))
    told = {int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*\d|\d", row)}
    bodies = [DOCUMENT["paths"][each]["post"]["requestBody"]["content"]["application/json"] for each in PATHS]
    assert bounds_of([each["schema"] for each in bodies]) <= told


def test_a_picture_is_fetched_by_http_too_and_no_text_says_otherwise() -> None:
    told = [json.dumps(DOCUMENT, ensure_ascii=False), (ROOT / "docs" / "services.md").read_text()]
    assert not [each for each in told if re.search(r"\bhttps addresses or", each)]
    assert all("http(s) addresses or base64 data URLs" in each for each in told)


def test_the_chat_says_of_a_field_that_it_does_not_read_it() -> None:
    fields = DOCUMENT["components"]["schemas"]["ChatRequest"]["properties"]
    for name in ("conversation", "error"):
        assert fields[name]["description"].startswith("Not read"), name
    assert "agent_specific" not in fields


def test_fields_are_listed_with_those_inside_them() -> None:
    rows = {each.name: each for each in field_rows(DOCUMENT, "DescriptorRequest")}
    assert rows["agent_specific.condition"].type == "A | B | C | D or null"
    assert rows["images"].required
    (options,) = [each for each in field_rows(DOCUMENT, "DecisionRequest") if each.name == "options"]
    assert (options.type, options.required) == ("string[] or string", True)
    given = {each.name: each for each in field_rows(DOCUMENT, "ProtocolResponse")}
    assert "elements[].attributes.label" in given
    assert given["elements[].class"].required
