"""Interrupts of the demo: a form instead of three questions, and a tool that the visitor's page runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.conversation.seller import Seller, new_frame_id, text_parts
from tests.parts.sampled import later

pytestmark = pytest.mark.once

WISHES = {"pt": "Queria marcar uma recolha", "en": "Can I arrange a pick-up?"}
GIVEN = {"date": "2031-05-02", "window": "09:00-13:00", "email": "ana@example.org"}
PAGE_TITLE = {
    "name": "get_page_title",
    "description": "The title of the page that the person is on.",
    "parameters": {"type": "object", "properties": {}},
}


@pytest.fixture
async def visitor(loopwire: Any, sellers: Any, language: str) -> Seller:
    """A person in the chat."""
    new: Seller = sellers(loopwire, service="chat", language=language)
    await new.begin()
    return new


def forms(visitor: Seller) -> list[dict[str, Any]]:
    """Return the forms that were shown."""
    shown = [each["content"] for each in visitor.talk.transcript.messages if each["role"] == "activity"]
    return [each for each in shown if each.get("kind") == "ask"]


def agent_words(visitor: Seller) -> str:
    """Return all that the agents said."""
    spoken = [each for each in visitor.talk.transcript.messages if each["role"] == "assistant"]
    return "\n".join(str(each.get("content") or "") for each in spoken)


def page_calls(visitor: Seller) -> list[dict[str, Any]]:
    """Return the calls of the page's tool."""
    calls = [call for each in visitor.talk.transcript.messages for call in each.get("toolCalls", ())]
    return [each for each in calls if each["function"]["name"] == PAGE_TITLE["name"]]


async def answer(visitor: Seller, status: str, payload: Any = None) -> None:
    """Answer the form, or leave it."""
    entry = {"interrupt_id": forms(visitor)[-1]["interrupt_id"], "status": status}
    entries = [entry if payload is None else {**entry, "payload": payload}]
    await visitor.answer_frame({"type": "resume", "id": new_frame_id(), "entries": entries})


@pytest.mark.parametrize("language", ["pt", "en"])
async def test_a_pick_up_is_arranged_in_one_form(visitor: Seller, language: str) -> None:
    await visitor.say(WISHES[language])
    (form,) = forms(visitor)
    assert {each["name"]: each["input"] for each in form["fields"]} == {
        "date": "date",
        "window": "choice",
        "email": "email",
        "notes": "text",
    }
    await answer(visitor, "resolved", GIVEN)
    assert [each["status"] for each in forms(visitor)] == ["answered"]
    assert all(value in agent_words(visitor) for value in GIVEN.values())
    assert "demonstra" in agent_words(visitor)
    assert visitor.stored() == visitor.talk.transcript.messages


@pytest.mark.parametrize("language", ["pt", later("en")])
async def test_a_cancelled_form_arranges_no_pick_up(visitor: Seller, language: str) -> None:
    await visitor.say(WISHES[language])
    await answer(visitor, "cancelled")
    assert "nada" in agent_words(visitor) or "othing" in agent_words(visitor)
    assert GIVEN["email"] not in agent_words(visitor)


@pytest.mark.parametrize("language", ["pt", later("en")])
async def test_another_message_closes_an_open_form(visitor: Seller, language: str) -> None:
    await visitor.say(WISHES[language])
    await visitor.say({"pt": "afinal, aceitam portáteis?", "en": "do you take laptops?"}[language])
    assert [each["status"] for each in forms(visitor)] == ["closed"]
    assert "MacBook" in agent_words(visitor)
    await visitor.say(WISHES[language])
    assert [each["status"] for each in forms(visitor)] == ["closed", "open"]


@pytest.mark.parametrize("language", ["en"])
async def test_a_tool_of_the_page_is_run_by_the_page(visitor: Seller, language: str) -> None:
    message = {
        "type": "message",
        "id": new_frame_id(),
        "content": text_parts("What is the title of this page?"),
    }
    await visitor.answer_frame({**message, "tools": [PAGE_TITLE]})
    (call,) = page_calls(visitor)
    result = {"type": "tool_result", "id": new_frame_id(), "tool_call_id": call["id"]}
    await visitor.answer_frame({**result, "content": "Summer sale"})
    assert "Summer sale" in agent_words(visitor)
    await visitor.say("What is the title of this page?")
    assert page_calls(visitor) == [call], "a page that brings no tool is not asked"
