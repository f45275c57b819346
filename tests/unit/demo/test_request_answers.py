"""The demo model's rules for requests: one for each type of answer that a service asks for, and no other."""

from __future__ import annotations

from server.demo.requests import ANSWERS
from server.services import services


def test_there_is_a_rule_for_each_type_of_answer() -> None:
    asked = {
        getattr(agent.output_type, "__name__", "")
        for service in services().values()
        if service.contract is not None
        for agent in service.agents().values()
    }
    assert asked == set(ANSWERS)
