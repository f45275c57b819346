"""The demo model's rules for requests: one for each type of answer that a service asks for, and no other."""

from __future__ import annotations

from typing import get_args

from server.demo.requests import ANSWERS
from server.demo.requests.condition import Grade
from server.demo.requests.moderation import MOST_MESSAGE
from server.demo.requests.parsed_request import ParsedRequest
from server.loopos.requests.fields import Condition
from server.services import c2c_validation, services


def test_each_type_of_answer_of_the_services_has_a_rule() -> None:
    asked = {
        getattr(agent.output_type, "__name__", "")
        for service in services().values()
        if service.contract is not None
        for agent in service.agents().values()
    }
    assert asked == set(ANSWERS)


def test_the_rules_keep_to_the_words_and_lengths_that_services_document() -> None:
    """The demo model imports no service, so that it has the grades and the length of a message of its own."""
    assert get_args(Grade) == get_args(Condition)
    assert MOST_MESSAGE == c2c_validation.MOST_MESSAGE


def test_a_text_of_digits_is_looked_for_measures_once() -> None:
    """Each digit was a beginning from which all others were read: this text took longer than a test may."""
    options = ["64 GB", "1,5 l", '12.5"', "7" * 1_000]
    for before in ("7" * 200_000, "7." * 100_000, "7 " * 100_000, "7" + " " * 200_000):
        said = ANSWERS["DecisionAnswer"](
            ParsedRequest({"prompt": "Which?", "options": options, "item_context": f"64gb x{before}"}, {}, 0)
        )
        assert said["decision"] == "64 GB"


def translate(text: str, source: str, target: str) -> str:
    request = {"source_locale": source, "target_locales": [target], "data": {"a": text}}
    said: str = ANSWERS["TranslatorAnswer"](ParsedRequest(request, {}, 0))["texts"][0]["text"]
    return said


def test_blanks_and_marks_of_a_text_to_translate_are_read_once() -> None:
    # By the square of their number this takes longer than a test may.
    for text in ("a" + " " * 600_000 + "x", "%(" * 300_000):
        assert translate(text, "pt", "en") == text


def test_a_line_break_keeps_the_blanks_around_it_in_a_translation() -> None:
    assert translate("Preto \n\n  Azul", "pt", "en") == "Black \n\n  Blue"
