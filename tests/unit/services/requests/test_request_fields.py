"""The fields of requests as clients write them: null and empty texts for what is not there, and letters in any case."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from server.agents.contract import RequestContract, ServiceRequest
from server.agents.run.structured_output import StructuredOutput
from server.api.deep_chat.body import ChatRequest
from server.loopos.requests.fields import ItemOfRequest
from server.protocol.plain_text import LONGEST
from server.services import services
from server.services.decision import MOST_OPTION
from server.services.id_validator import DocumentReading


def contract_of(service: str) -> RequestContract:
    contract = services()[service].contract
    assert contract is not None
    return contract


def read(service: str, more: dict[str, Any], specific: dict[str, Any] | None = None) -> ServiceRequest:
    """Read the example of a service with other fields."""
    contract = contract_of(service)
    body = json.loads(json.dumps(contract.example)) | more
    if specific is not None:
        body["agent_specific"] = body.get("agent_specific", {}) | specific
    return contract.request.model_validate_json(json.dumps(body))


COMMON = ("session_id", "language", "conversation", "callback_url", "loopos_core_context", "messages")
COMMON += ("agent_specific", "session_extra_data", "error", "images")


@pytest.mark.parametrize("service", ["decision", "translator", "protocol_generator", "c2c_validation"])
def test_null_in_a_common_field_means_its_default(service: str) -> None:
    fields = contract_of(service).request.model_fields
    optional = [name for name in COMMON if name in fields and not fields[name].is_required()]
    found = read(service, dict.fromkeys(optional))
    for name in optional:
        assert getattr(found, name) == fields[name].get_default(call_default_factory=True), name


@pytest.mark.parametrize(
    ("service", "more", "specific"),
    [
        ("id_validator", {}, {"validity": None, "name": None, "loopos_item": None}),
        ("c2c_descriptor", {}, {"category_name": None, "condition": None, "value_out_min": None}),
        ("protocol_generator", {"node_context": {"name": "Phones", "parent_categories": None}}, None),
        ("decision", {"messages": [{"role": None, "text": None, "html": None}]}, None),
    ],
)
def test_null_deeper_in_a_request_means_the_default_too(
    service: str, more: dict[str, Any], specific: dict[str, Any] | None
) -> None:
    read(service, more, specific)


@pytest.mark.parametrize(("service", "name"), [("decision", "prompt"), ("c2c_descriptor", "images")])
def test_null_in_a_required_field_is_refused(service: str, name: str) -> None:
    with pytest.raises(ValidationError, match=name):
        read(service, {name: None})


def test_of_options_that_differ_in_their_case_the_exact_one_is_meant() -> None:
    contract = contract_of("decision")
    asked = read("decision", {"options": ["A", "a", "Good"]})
    for said, meant in (("A", "A"), (" a ", "a"), ("GOOD", "Good")):
        contract.check(asked, "", {"decision": said, "reasoning": ""})
        assert contract.complete(asked, {}, {"decision": said, "reasoning": ""})["decision"] == meant


def test_an_empty_list_of_targets_beside_a_single_one_is_none() -> None:
    found: Any = read("translator", {"target_locale": "pt", "target_locales": []})
    assert found.targets == ("pt",)
    for single in (None, ""):
        with pytest.raises(ValidationError, match="target_locales"):
            read("translator", {"target_locale": single, "target_locales": []})


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_a_name_that_is_empty_beside_others_is_not_judged(empty: str | None) -> None:
    found: Any = read("c2c_validation", {}, {"brand_name": empty, "product_name": empty})
    assert [each.rpartition("_")[0][-4:] for each in found.agent_specific.agents] == ["text"]
    found = read("c2c_validation", {"agent_specific": {"brand_name": "Apple", "product_name": empty}})
    assert len(found.agent_specific.agents) == 1
    with pytest.raises(ValidationError, match="brand_name"):
        read("c2c_validation", {"agent_specific": {"brand_name": empty, "product_name": empty}})


@pytest.mark.parametrize(
    ("said", "letter"),
    [("Good", "B"), ("GOOD", "B"), ("b", "B"), ("excellent", "A"), ("Razoável", "C"), ("", None)],
)
def test_a_condition_is_read_in_any_case_as_a_letter_or_a_word(said: str, letter: str | None) -> None:
    found: Any = read("c2c_descriptor", {}, {"condition": said})
    assert found.agent_specific.condition == letter


def test_a_model_is_not_told_of_the_mark_of_the_demos_reading_and_its_own_has_no_label() -> None:
    schema = StructuredOutput(DocumentReading).json_schema()
    assert "by_demo" not in json.dumps(schema)
    reading = {**dict.fromkeys(schema["properties"]), "legible": False, "authentic": True, "mrz": []}
    asked, contract = read("id_validator", {}), contract_of("id_validator")
    for by_demo in (True, False):
        given = DocumentReading(**reading | {"ocr_confidence": 0.5, "by_demo": by_demo})
        told = contract.complete(asked, {}, given.model_dump(mode="json"))
        assert ("demo" in told["reasoning"]) is by_demo
        assert ("sees no pictures" in told["message"]) is by_demo


def unbounded(schema: Any, path: str = "") -> Iterator[str]:
    """Yield where a schema has a text of any length."""
    if isinstance(schema, dict):
        if schema.get("type") == "string" and not {"maxLength", "enum", "const"} & schema.keys():
            yield path
        for name, each in schema.items():
            yield from unbounded(each, f"{path}/{name}")
    elif isinstance(schema, list):
        for at, each in enumerate(schema):
            yield from unbounded(each, f"{path}/{at}")


def test_each_text_of_a_request_has_a_length() -> None:
    """Pictures have their own bound, and a text of options is parted into ones that have a length."""
    contracts = {name: each.contract for name, each in services().items() if each.contract}
    found = {name: list(unbounded(each.request.model_json_schema())) for name, each in contracts.items()}
    own = {"decision": ["/properties/options/anyOf/1"]}
    assert found == {name: ["/properties/images/items", *own.get(name, [])] for name in contracts}


def test_an_option_has_a_length() -> None:
    read("decision", {"options": ["a" * MOST_OPTION, "b"]})
    for options in (["a" * (MOST_OPTION + 1), "b"], f"b,{'a' * (MOST_OPTION + 1)}"):
        with pytest.raises(ValidationError, match="at most 1000 characters"):
            read("decision", {"options": options})


def test_a_text_of_many_options_is_parted_no_further_than_it_counts() -> None:
    with pytest.raises(ValidationError, match="at most 100 items after validation, not 101"):
        read("decision", {"options": "a," * 1_000})


def test_a_long_description_of_an_item_is_read_once() -> None:
    """It was read for minutes, four times for each request, before scripts that nothing ends were looked for once."""
    item = ItemOfRequest(item=ItemOfRequest.Inner(data={"name": "Lamp", "description": "<script>" * 8_000}))
    for _ in range(20):
        assert item.words == {"name": "Lamp"}


def lengths(schema: Any) -> Iterator[int]:
    """Yield the greatest length of each text of a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("maxLength"), int):
            yield schema["maxLength"]
        for each in schema.values():
            yield from lengths(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from lengths(each)


def test_a_text_that_is_not_made_plain_is_longer_than_any_field_takes() -> None:
    models: list[type[ServiceRequest]] = [
        ChatRequest,
        *(each.contract.request for each in services().values() if each.contract),
    ]
    assert max(most for each in models for most in lengths(each.model_json_schema())) <= LONGEST // 2
    for options in ([" " * LONGEST + "a\0b", "c"], "a\0b," + " " * LONGEST):
        with pytest.raises(ValidationError, match="options"):
            read("decision", {"options": options})


def test_a_dictionary_of_many_wrong_texts_has_one_fault() -> None:
    """Each of 39,000 faults was made, which kept others waiting for half a second."""
    with pytest.raises(ValidationError, match="at most 500 items after validation, not 39000") as refused:
        read("translator", {"data": dict.fromkeys(map(str, range(39_000)), 1)})
    assert [each["loc"] for each in refused.value.errors()] == [("data",)]


def test_an_option_of_an_array_comes_back_letter_by_letter() -> None:
    contract = contract_of("decision")
    given: Any = read("decision", {"options": [" Excellent", "Good ", "Good", "", " "]})
    assert given.options == [" Excellent", "Good "]
    for said in ("Excellent", "excellent", " Excellent"):
        response = {"decision": said, "reasoning": "r"}
        contract.check(given, "", response)
        assert contract.complete(given, {}, response)["decision"] == " Excellent"
    listed: Any = read("decision", {"options": " Excellent ,Poor,, Poor"})
    assert listed.options == ["Excellent", "Poor"]


@pytest.mark.parametrize("service", ["decision", "translator"])
def test_an_empty_name_or_address_is_none(service: str) -> None:
    given = read(service, {"session_id": "", "callback_url": ""})
    assert (given.session_id, given.callback_url) == (None, None)
