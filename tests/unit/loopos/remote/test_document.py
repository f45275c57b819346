"""The document of LoopOS Core's contract: valid, current, and with every request of the client."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

from openapi_spec_validator import OpenAPIV31SpecValidator

from server.loopos.core import Core
from server.loopos.remote.document import OPERATIONS, core_document

ROOT = Path(__file__).parents[4]
DOCUMENT = core_document()


def test_the_document_is_valid() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_the_stored_document_is_current() -> None:
    stored = json.loads((ROOT / "docs" / "core" / "openapi.json").read_text())
    assert stored == DOCUMENT, "run scripts/core_document.py"


def test_each_method_of_the_port_has_an_operation() -> None:
    methods = {name for name, _ in inspect.getmembers(Core, inspect.isfunction) if not name.startswith("_")}
    named = {"category_key": "match_category", "change_item": "change_options", "answer": "answer_question"}
    assert {named.get(name, name) for name in methods} | {"health"} == {each.id for each in OPERATIONS}


def test_the_page_names_every_operation() -> None:
    page = (ROOT / "docs" / "core" / "README.md").read_text()
    assert [each.id for each in OPERATIONS if f"`{each.method.upper()} {each.path}`" not in page] == []
