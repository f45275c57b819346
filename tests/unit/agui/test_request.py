"""The cost of a request of thousands of messages: each of them is read once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from server.agui.input import RunAgentInput
from server.agui.names import Names
from server.agui.request import lacks_some

ASKED = {"threadId": "t", "runId": "r"}


class Counted(list[Any]):
    """A list that counts how many of its elements were looked at."""

    looked = 0

    def __iter__(self) -> Iterator[Any]:
        """Count each as it is given."""
        for each in super().__iter__():
            self.looked += 1
            yield each


class Id(str):
    """An id that counts how often one of its kind was compared."""

    compared = 0
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        """Count, and compare."""
        Id.compared += 1
        return str.__eq__(self, other)


def talk(count: int) -> list[dict[str, Any]]:
    """So many messages, as they are stored and as a caller has them."""
    return [
        {"id": f"é{n}" if n % 2 else f"m{n}", "role": "assistant", "content": f"Resposta {n}."}
        for n in range(count)
    ]


def request_with(messages: list[dict[str, Any]]) -> RunAgentInput:
    """Return a request whose caller has these."""
    return RunAgentInput.model_validate({**ASKED, "messages": messages})


@pytest.mark.parametrize("count", [50, 500])
def test_every_message_of_a_request_is_looked_at_a_few_times_however_many_are_stored(count: int) -> None:
    body = request_with(talk(count))
    sent = Counted(body.messages)
    assert not lacks_some(body.model_copy(update={"messages": sent}), talk(count))
    assert sent.looked <= 4 * count


def test_a_sent_message_is_looked_up_in_constant_time() -> None:
    sent = [Id(f"m{n}") for n in range(500)]
    names = Names(session_id="s", run_id="r", thread="t", run="r", sent={each: each for each in sent})
    Id.compared = 0
    assert all(names.has({"id": f"m{n}", "role": "user"}) for n in range(500))
    assert not names.has({"id": "another", "role": "user"})
    assert Id.compared <= 4 * len(sent)


@pytest.mark.parametrize(
    ("message", "lacks"),
    [
        ({"id": "a", "role": "assistant", "content": "Sim."}, False),
        ({"id": "a", "role": "assistant", "content": "Sim, é."}, True),
        ({"id": "b", "role": "assistant", "content": "Sim."}, True),
        ({"id": "x", "role": "tool", "toolCallId": "c", "content": "1"}, False),
        ({"id": "x", "role": "tool", "toolCallId": "d", "content": "1"}, True),
        ({"id": "x", "role": "activity", "content": {}}, False),
    ],
)
def test_lacks_some_finds_a_message_the_request_lacks_or_has_changed(
    message: dict[str, Any], lacks: bool
) -> None:
    has = [
        {"id": "a", "role": "assistant", "content": "Não."},
        {"id": "a", "role": "assistant", "content": "Sim."},
        {"id": "r", "role": "tool", "toolCallId": "c", "content": "1"},
    ]
    assert lacks_some(request_with(has), [message]) is lacks
