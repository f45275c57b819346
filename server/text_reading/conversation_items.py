"""The calls and texts of a conversation, seen from the newest message of the person."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from server.text_reading.input_items import Item, Output, PersonMessage, read_outputs, read_spoken
from server.text_reading.tool_names import REOPEN

PERSON = "call_person"
AWAY = "core_unavailable"
"""The error of a tool whose LoopOS Core does not answer: trying again at once would not help."""


class ConversationItems(ABC):
    """What a conversation's input items tell; a class below says which message and which calls count."""

    items: Sequence[Item]

    @property
    @abstractmethod
    def message(self) -> PersonMessage:
        """Return the newest message of the person."""

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        """Return all finished tool calls and handoffs, oldest first. One that found its Core away tells nothing."""
        told = (one for one in self._results if one.result.get("error") != AWAY and one.name != PERSON)
        return tuple(one for one in told if one.name != REOPEN or one.result.get("was_open") is False)

    @cached_property
    def _results(self) -> tuple[Output, ...]:
        return tuple(read_outputs(self.items))

    @property
    def reopening(self) -> Output | None:
        """Return the newest search for an item of before, whether or not it opened another one."""
        return next((each for each in reversed(self._results) if each.name == REOPEN), None)

    @property
    def person_call(self) -> Mapping[str, Any] | None:
        """Return the result of calling a person since the newest message; None where none was called."""
        return next((e.result for e in self._results if e.name == PERSON and e.at > self.message.at), None)

    @property
    def is_core_away(self) -> bool:
        """Return whether a call since the person's newest message found that its Core does not answer."""
        return any(each.result.get("error") == AWAY for each in self._results if each.at > self.message.at)

    @property
    def fresh(self) -> tuple[Output, ...]:
        """Return the calls that finished since the person's newest message."""
        return tuple(output for output in self.outputs if output.at > self.message.at)

    @property
    def newest(self) -> Output | None:
        """Return the last finished call, if it is newer than the person's newest message."""
        return self.fresh[-1] if self.fresh else None

    def last(self, *names: str) -> Output | None:
        """Return the last finished call of one of these tools, in the whole conversation."""
        return next((output for output in reversed(self.outputs) if output.name in names), None)

    def since(self, output: Output | None) -> tuple[Output, ...]:
        """Return the calls that finished after another."""
        return tuple(each for each in self.outputs if output is None or each.at > output.at)

    @property
    def said_texts(self) -> tuple[str, ...]:
        """Return what was said to the person, oldest first."""
        return tuple(read_spoken(self.items))
