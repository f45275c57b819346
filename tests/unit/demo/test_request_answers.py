"""The demo model's rules for requests: one for each type of answer that a service asks for, and no other."""

from __future__ import annotations

from typing import get_args

from server.demo.requests import ANSWERS
from server.demo.requests.condition import Grade
from server.demo.requests.moderation import MOST_MESSAGE
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
