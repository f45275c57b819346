"""Summaries of reasoning for AG-UI's own client: they stream, come again, and tell the model nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.integration.agui.caller import Caller
from tests.integration.conversation.models import Remote, remote
from tests.modelserver import Plan, Reasoning, Scripted, Text
from tests.parts.model import Held, Tap, sentences
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

THINKS = ["REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END"]


@pytest.fixture(scope="module")
def thinking() -> Iterator[Remote]:
    """Yield a server that shows what its model thinks."""
    with remote("responses", {"LOOPWIRE_SHOW_REASONING": "1"}) as running:
        yield running


def thought(text: str, words: str) -> Plan:
    """Return an answer after a thought."""
    return Plan([Reasoning(text), Text(words)])


async def test_thoughts_are_messages_of_the_client_and_none_of_the_model(
    thinking: Remote, caller: Callable[..., Caller]
) -> None:
    brain = Scripted([thought("It may be.", "It is."), thought("Again.", "It was.")])
    async with thinking.model(brain):
        mine = caller(thinking.served, service="chat")
        await mine.begin()
        told = mine.request("GET", "/agui/chat").body["reasoning"]
        assert told == {"supported": True, "streaming": True}
        ran = await mine.say("Is it?")
        types = ran.types()
        assert [each for each in types if each.startswith("REASONING")] == THINKS
        assert types.index(THINKS[2]) < types.index("TEXT_MESSAGE_START")
        assert [each["role"] for each in ran.messages] == ["user", "reasoning", "assistant"]
        again = await mine.say("Was it?")
        assert [each["content"] for each in again.messages if each["role"] == "reasoning"] == [
            "It may be.", "Again.",
        ]  # fmt: skip
        assert "It may be." not in str(brain.requests[1].items)
        session = mine.session(again)
        assert mine.stored(session)[1]["role"] == "reasoning"


@pytest.mark.conformance
async def test_a_caller_that_lacks_some_gets_the_thoughts_too_and_one_that_stops_gets_its_end(
    thinking: Remote, caller: Callable[..., Caller]
) -> None:
    tap = Tap()
    tap.let(6)
    held = Plan([Reasoning(sentences(4)), Text("Never said.")], faults=(Held(tap.allowed),))
    async with thinking.model(Scripted([thought("It may be.", "It is."), held])):
        mine = caller(thinking.served, service="chat")
        await mine.begin()
        await mine.say("Is it?")
        other = caller(thinking.served, service="chat", cookie=mine.cookie)
        await other.begin(thread=mine.thread)
        ran = await other.said("And now?")
        await until_async(
            lambda: any(str(each.get("delta")).endswith("c1 ") for each in ran.events), what="a thought"
        )
        (whole,) = ran.of("MESSAGES_SNAPSHOT")[-1:]
        assert [each["role"] for each in whole["messages"]][:3] == ["user", "reasoning", "assistant"]
        assert mine.command(mine.session(ran), type="cancel", id="stop").status == 200
        await other.client.wait(ran)
        assert ran.types()[-3:] == ["REASONING_MESSAGE_END", "STEP_FINISHED", "RUN_FINISHED"]
