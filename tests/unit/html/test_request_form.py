"""The form of a request: its fields are those of the model, and its values are a request again."""

from __future__ import annotations

import pytest

from server.html.request_form import faults_by_field, form_fields, request_of_form, with_values
from server.services import services

CONTRACTS = {name: each.contract for name, each in services().items() if each.contract and each.contract.form}


@pytest.mark.parametrize("name", CONTRACTS)
@pytest.mark.parametrize("language", ["pt", "en"])
def test_the_form_as_it_comes_is_the_example_again(name: str, language: str) -> None:
    contract = CONTRACTS[name]
    fields = form_fields(contract.request, contract.example, language, contract.pictures)
    assert [each.kind for each in fields].count("picture") == len(contract.pictures)
    filled = {
        "images": contract.example.get("images", []),
        **request_of_form(fields, {each.name: each.value for each in fields}, language),
    }
    given = contract.request.model_validate(filled)
    wanted = contract.request.model_validate({**contract.example, "language": filled["language"]})
    assert given == wanted


@pytest.mark.parametrize("name", CONTRACTS)
@pytest.mark.parametrize("language", ["pt", "en"])
def test_people_have_a_word_for_each_field(name: str, language: str) -> None:
    contract = CONTRACTS[name]
    for each in form_fields(contract.request, contract.example, language, contract.pictures):
        assert "_" not in each.label
        if each.kind == "choice":
            assert each.value in {"", *each.choices}
        assert each.label != each.name.rpartition(".")[2].replace("_", " ").capitalize() or language == "en"


def test_the_condition_of_an_item_is_chosen_as_that_of_a_listing_is() -> None:
    for name in ("c2c_descriptor", "value_estimation"):
        contract = CONTRACTS[name]
        fields = form_fields(contract.request, contract.example, "en")
        (condition,) = [each for each in fields if each.name.endswith(".condition")]
        assert (condition.kind, condition.choices, condition.value) == ("choice", ("A", "B", "C", "D"), "B")


def test_a_number_is_written_with_a_comma_too_and_what_is_none_is_refused_at_its_field() -> None:
    contract = CONTRACTS["c2c_descriptor"]
    fields = form_fields(contract.request, {}, "pt")
    name = "agent_specific.value_out_max"
    assert request_of_form(fields, {name: "12,50"}, "pt")["agent_specific"]["value_out_max"] == 12.5
    assert request_of_form(fields, {name: "1.200 €"}, "pt")["agent_specific"]["value_out_max"] == 1200
    assert request_of_form(fields, {name: "caro"}, "pt")["agent_specific"]["value_out_max"] == "caro"
    assert {each.name: each.unit for each in fields if each.unit}[name] == "€"
    faults = [{"loc": ("agent_specific", "value_out_max"), "type": "float_parsing", "msg": "…"}]
    assert "12,5" in faults_by_field(faults, fields, "pt")[name]


def test_a_line_without_a_colon_is_a_text_whose_key_is_its_place() -> None:
    contract = CONTRACTS["translator"]
    fields = form_fields(contract.request, contract.example, "en")
    asked = request_of_form(fields, {"data": "Black phone\nsize: Large\n: Red"}, "en")
    assert asked["data"] == {"text_1": "Black phone", "size": "Large", "text_3": ": Red"}


def test_an_empty_optional_field_is_left_out_and_keeps_its_place() -> None:
    contract = CONTRACTS["decision"]
    fields = form_fields(contract.request, contract.example, "en")
    asked = request_of_form(
        fields, {"prompt": "Which?", "options": "A\r\n\r\n B ", "item_context": "x"}, "en"
    )
    assert asked == {"language": "en-US", "prompt": "Which?", "options": ["A", "B"], "item_context": "x"}
    assert [each.value for each in with_values(fields, {"prompt": "Which?"})] == ["Which?", "", "", ""]


def test_a_fault_of_an_element_stands_at_its_field_and_one_of_none_at_the_first() -> None:
    contract = CONTRACTS["decision"]
    fields = form_fields(contract.request, contract.example, "en")
    within = [{"loc": ("options", 2), "type": "string_too_long", "msg": "…"}]
    assert list(faults_by_field(within, fields, "en")) == ["options"]
    of_none = [{"loc": (), "type": "value_error", "msg": "Value error, one of them is required"}]
    assert faults_by_field(of_none, fields, "en") == {"prompt": "Fill in at least one of these fields."}


def test_a_fault_without_words_is_told_in_its_own_in_english_alone() -> None:
    contract = CONTRACTS["translator"]
    fields = form_fields(contract.request, contract.example, "en")
    faults = [
        {"loc": ("source_locale",), "type": "value_error", "msg": "Value error, a language code is required"}
    ]
    assert faults_by_field(faults, fields, "en") == {"source_locale": "A language code is required."}
    assert faults_by_field(faults, fields, "pt") == {"source_locale": "Este valor não serve."}


def test_a_list_in_one_line_is_parted_at_its_commas() -> None:
    contract = CONTRACTS["decision"]
    fields = form_fields(contract.request, contract.example, "en")
    assert request_of_form(fields, {"options": "S, M,, L"}, "en")["options"] == ["S", "M", "L"]
    assert request_of_form(fields, {"options": "red, large\nblue"}, "en")["options"] == ["red, large", "blue"]


def test_a_picture_is_required_where_the_request_requires_one() -> None:
    for name, required in (("c2c_descriptor", [False, False, False]), ("id_validator", [True, False])):
        fields = form_fields(CONTRACTS[name].request, {}, "en", CONTRACTS[name].pictures)
        assert [each.required for each in fields if each.kind == "picture"] == required


def test_a_picture_that_is_missing_is_asked_for_at_the_first_of_its_fields() -> None:
    contract = CONTRACTS["id_validator"]
    fields = form_fields(contract.request, contract.example, "en", contract.pictures)
    assert [(each.name, each.required) for each in fields[:2]] == [
        ("images.front", True),
        ("images.back", False),
    ]
    missing = [{"loc": ("images",), "type": "too_short", "msg": "…"}]
    assert faults_by_field(missing, fields, "en") == {"images.front": "Choose or take a picture."}
