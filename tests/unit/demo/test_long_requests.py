"""The demo model reads a request's texts up to a number of letters; what it gives back of them stays whole."""

from __future__ import annotations

from typing import Any

import pytest

from server.demo.conversation_view import ConversationView
from server.demo.reading import MOST_LETTERS
from server.demo.requests import ANSWERS, answer_request
from server.demo.requests.condition import condition_of
from server.demo.requests.parsed_request import ParsedRequest

LIGATURE = "ﷺ"
"""One character that stands for eighteen letters."""
FILLED = "aa " * (MOST_LETTERS // 3 + 1)


def answer(kind: str, request: dict[str, Any], facts: dict[str, Any] | None = None) -> dict[str, Any]:
    return ANSWERS[kind](ParsedRequest(request, facts or {}, 0))


def decide(options: list[str], prompt: str = "Which?", **texts: str) -> str:
    said = answer("DecisionAnswer", {"options": options, "prompt": prompt, "item_context": "", **texts})
    decision: str = said["decision"]
    return decision


GRADES = ["Excellent", "Good", "Poor"]


@pytest.mark.parametrize("small", ["pequeno ", "light ", "pouco leve "])
def test_a_run_of_adjectives_is_not_read_again_from_each_of_them(small: str) -> None:
    """By the square of their number the search is broken off."""
    assert condition_of(small * 10_000) is None
    assert condition_of(f"{small * 10_000}riscos") is not None


@pytest.mark.parametrize("filling", [FILLED, LIGATURE * MOST_LETTERS])
@pytest.mark.parametrize("name", ["item_context", "context"])
def test_a_decision_reads_the_beginning_of_each_text(name: str, filling: str) -> None:
    assert decide(GRADES, **{name: "tudo impecável"}) == "Excellent"
    assert decide(GRADES, **{name: f"{filling} tudo impecável"}) == "Poor"


def test_a_long_item_leaves_its_context_to_be_read() -> None:
    assert decide(GRADES, item_context=FILLED, context="tudo impecável") == "Excellent"


def test_a_decision_reads_the_beginning_of_its_prompt() -> None:
    asked = ["yes", "no"]
    assert decide(asked, "Is there a charger?", item_context="With charger.") == "yes"
    assert decide(asked, f"{FILLED} Is there a charger?", item_context="With charger.") == "no"


def test_options_share_the_letters_that_are_read_and_are_given_back_whole() -> None:
    few = [f"{'aa ' * 300}black", f"{'bb ' * 300}white"]
    assert decide(few, item_context="aa black") == few[0]
    many = [f"{LIGATURE}{each} {'aa ' * 300}"[:1_000] for each in range(100)]
    assert decide([*many, f"{LIGATURE} black"], item_context="black") == f"{LIGATURE} black"
    last = f"{LIGATURE}x {'aa ' * 100} black"
    assert decide([*many, last, "cc"], item_context="black") == "cc", (
        "what an option says at its end is not read"
    )


def test_the_first_clauses_of_a_text_are_read() -> None:
    condition = condition_of(f"{'a,' * 199}avariado")
    assert condition is not None and condition.grade == "D"
    assert condition_of(f"{'a,' * 200}avariado") is None


def test_a_listing_is_written_of_the_beginning_of_its_words() -> None:
    listing = {"agent_specific": {"user_description": f"{FILLED} avariado"}}
    assert answer("DescriptorAnswer", listing)["condition"] == "B"
    listing = {"agent_specific": {"user_description": "avariado"}}
    assert answer("DescriptorAnswer", listing)["condition"] == "D"


def test_an_estimation_reads_the_beginning_of_what_is_said_of_the_item() -> None:
    said = [{"question": "Works?", "answer": "avariado"}]
    assert (
        "D"
        in answer("EstimationAnswer", {}, {"item": {"description": FILLED}, "answers": said})["description"]
    )
    long = [{"question": "More?", "answer": FILLED}] * 2
    assert "B" in answer("EstimationAnswer", {}, {"item": {}, "answers": long + said})["description"]


def test_a_judgement_reads_a_whole_description_and_no_more_letters_than_that() -> None:
    def is_approved(description: str) -> bool:
        approved: bool = answer(
            "TextJudgement", {"agent_specific": {"marketplace_posting_description": description}}
        )["approved"]
        return approved

    assert not is_approved(f"{'bom ' * 1_990}tel 912345678")
    assert is_approved(f"{FILLED * 4} tel 912345678")


def test_a_name_of_ligatures_is_compared_by_its_beginning() -> None:
    known = [{"id": 1, "name": f"{LIGATURE * 200}b"}]
    named = {"agent_specific": {"brand_name": f"{LIGATURE * 200}a"}}
    assert answer("BrandJudgement", named, {"brands": known})["existing_brand_id"] == 1
    assert answer("BrandJudgement", {"agent_specific": {"brand_name": "a"}}, {"brands": known})["new_brand"]


def test_a_text_with_more_letters_or_marks_than_are_read_stays_as_it_is() -> None:
    def translated(text: str) -> str:
        request = {"source_locale": "pt", "target_locales": ["en"], "data": {"a": text}}
        told: str = answer("TranslatorAnswer", request)["texts"][0]["text"]
        return told

    assert translated("Preto. " * 200) == "Black. " * 200
    for text in ("Preto. " * 201, f"Preto{' ' * MOST_LETTERS}", f"Preto. {LIGATURE * 2_000}"):
        assert translated(text) == text


def test_a_document_is_read_of_the_newest_messages() -> None:
    def number(*texts: str) -> str | None:
        messages = [{"role": "user", "text": each} for each in texts]
        request = {"messages": messages, "agent_specific": {"doc_type": "passport"}}
        found: str | None = answer("DocumentReading", request)["number"]
        return found

    assert number("number: 1", "number: 2", "a\n" * 1_000) == "2"
    assert number("number: 1", "a\n" * 4_000) is None


def test_a_tool_whose_result_is_json_too_deep_to_be_read_has_none() -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "[" * 30_000}
    result = {"type": "function_call_output", "call_id": "c1", "output": "[" * 30_000}
    (output,) = ConversationView("", [call, result], (), ()).outputs
    assert (output.arguments, output.result, output.text) == ({}, {}, "[" * 30_000)
    assert answer_request([{"role": "user", "content": "[" * 30_000}], {"title": "DecisionAnswer"}) is None
