"""A question that is asked again in its place names the one before, unless that one has an answer."""

from typing import Any

import pytest

from server.agents import RunContext
from server.agents.run.events.event_emitter import EventEmitter
from server.loopos.tools.drafts.open_question import OpenQuestion
from server.protocol.blocks import Choice, Choices
from tests.unit.agents.outlet import NoConversations, Recorder

BEFORE = {"id": "blk_1", "name": "colour", "run": "earlier"}
ANSWER = {"value": "1", "label": "Black"}


@pytest.fixture
def asked() -> OpenQuestion:
    """Return the view of a run that began while the colour was asked."""
    run = RunContext(
        session_id="ses_1", run_id="now", principal="pri_1", app="demo", service="submission", language="en",
        conversations=NoConversations(), emitter=EventEmitter(Recorder("now", "ses_1", [])),
        input=[{"type": "text", "text": "zzz"}], private={"open": {**BEFORE}},
    )  # fmt: skip
    return OpenQuestion(run)


def block(name: str) -> Choices:
    return Choices(name, name, (Choice("1", "Black"),))


def opened(question: OpenQuestion) -> dict[str, Any]:
    found: dict[str, Any] = question.run.private["open"]
    return found


def test_a_question_that_waits_is_asked_in_its_place(asked: OpenQuestion) -> None:
    asked.ask(block("colour"), "colour", in_place=True)
    assert opened(asked)["again_of"] == "blk_1"


def test_a_question_that_closed_in_this_run_is_asked_in_its_place(asked: OpenQuestion) -> None:
    asked.fold(None)
    asked.ask(block("colour"), "colour", in_place=True)
    assert opened(asked)["again_of"] == "blk_1"


def test_a_question_with_an_answer_keeps_it_though_another_one_closed_since(asked: OpenQuestion) -> None:
    asked.fold(ANSWER)
    asked.ask(block("size"), "size")
    asked.fold(None)
    asked.ask(block("colour"), "colour", in_place=True)
    assert "again_of" not in opened(asked)
