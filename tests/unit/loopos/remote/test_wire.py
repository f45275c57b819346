"""The bodies of LoopOS Core's contract: what does not fit is refused, and what people would read is made plain."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from server.loopos.remote.wire import (
    CoreElement,
    CoreItem,
    CoreItems,
    CoreMatches,
    CoreProduct,
    CoreProtocol,
    found_of,
    item_of,
    product_of,
)
from server.loopos.seed import load_catalog
from tests.core_server.elements import raw_element

MATCH = {
    "product_id": 1,
    "name": "Polly",
    "brand_id": 2,
    "brand": "Chicco",
    "category_id": 3,
    "category": "Bebé",
    "score": 1,
    "exact": True,
}
ITEM = {
    "id": "itm_1",
    "token": "t",
    "reference": "LW-1",
    "session_id": None,
    "product_id": 1,
    "product": "Polly",
    "brand_id": 2,
    "brand": "Chicco",
    "option_value_ids": [4],
    "options": {"Cor": "azul"},
    "answers": [{"element_id": "q", "question": "?", "value": 1.5, "shown": "1,5"}],
    "status": "draft",
    "created_at": 1,
}


def element(**attributes: Any) -> dict[str, Any]:
    """Return a question of text."""
    kind = "Protocol::Element::Input::Text"
    return {"id": "q", "class": kind, "attributes": {"label": "Porquê?", **attributes}}


def test_every_question_of_the_catalog_comes_through_whole() -> None:
    catalog = load_catalog()
    for product in catalog.products:
        whole = list(catalog.protocol(product.id))
        sent = json.dumps({"elements": [raw_element(each) for each in whole]})
        assert [each.element() for each in CoreProtocol.model_validate_json(sent).elements] == whole


def test_matches_items_and_products_are_read_as_they_were_sent() -> None:
    found = found_of(CoreMatches.model_validate_json(json.dumps({"total": 1, "matches": [MATCH]})))
    assert (found.total, found.matches[0].brand) == (1, "Chicco")
    item = item_of(CoreItem.model_validate_json(json.dumps(ITEM)))
    assert (item.option_value_ids, item.answers[0].value, item.options) == ((4,), 1.5, {"Cor": "azul"})
    product = {"id": 1, "name": "P", "description": "", "category_id": 3, "category": "Bebé"}
    kinds = [{"id": 5, "name": "Cor", "values": [{"id": 4, "name": "azul"}]}]
    whole = {**product, "brands": [{"id": 2, "name": "C"}], "option_types": kinds}
    read = product_of(CoreProduct.model_validate_json(json.dumps(whole)))
    assert (read.brands[0].id, read.option_types[0].values[0].name) == (2, "azul")


@pytest.mark.parametrize(
    "change",
    [
        {"id": "../../x"},
        {"id": "itm\n1"},
        {"id": ""},
        {"session_id": "/evil"},
        {"product": ""},
        {"product": "x" * 301},
        {"product_id": "1"},
        {"product_id": 2**60},
        {"status": "sold"},
        {"options": {str(each): "x" for each in range(51)}},
        {"answers": [{"element_id": "q", "question": "?", "value": {"a": 1}, "shown": ""}]},
        {"created_at": -1},
    ],
)
def test_an_item_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CoreItem.model_validate_json(json.dumps({**ITEM, **change}))


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (CoreItem, {**ITEM, "options": {str(each): 0 for each in range(2_000)}}),
        (CoreItem, {**ITEM, "option_value_ids": ["?"] * 50}),
        (CoreItems, {"items": [{**ITEM, "answers": [{}] * 200}] * 100}),
        (CoreMatches, {"total": 1, "matches": [{}] * 1_000}),
        (CoreProtocol, {"elements": [{**element(), "options": [{}] * 500}] * 200}),
    ],
)
def test_the_first_fault_of_many_is_the_last_that_is_looked_for(
    model: type[BaseModel], body: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError) as caught:
        model.model_validate_json(json.dumps(body))
    assert caught.value.error_count() < 10


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_a_score_is_a_number(text: str) -> None:
    raw = json.dumps({"total": 1, "matches": [{**MATCH, "score": "?"}]}).replace('"?"', text)
    with pytest.raises(ValidationError):
        CoreMatches.model_validate_json(raw)


def test_deep_json_is_refused_and_ends_nothing() -> None:
    with pytest.raises(ValidationError):
        CoreItem.model_validate_json(b"[" * 200_000)


def test_fields_that_are_not_known_are_ignored_and_texts_are_plain() -> None:
    raw = json.dumps({**ITEM, "price": 3, "product": "Po\x1b[31mlly\x00"})
    item = item_of(CoreItem.model_validate_json(raw))
    assert item.product == "Po[31mlly"


@pytest.mark.parametrize("pattern", [r"[0-9A-Za-z]{4}-[0-9A-Za-z]{4}", r"\d{2,4}/\d{4}", r"[A-Z]+ ?\d{1}"])
def test_a_pattern_of_characters_and_counts_is_taken(pattern: str) -> None:
    assert CoreElement.model_validate(element(pattern=pattern)).element().pattern == pattern


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "a*a*a*b", "a|b", "a{1,9}b?c+", "[a-z", "(?=a)a", "a{4}{5}", ""]
)
def test_a_pattern_that_could_take_long_is_refused(pattern: str) -> None:
    with pytest.raises(ValidationError):
        CoreElement.model_validate(element(pattern=pattern))
