"""The calls and texts of a conversation, seen from the newest message of the person."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from server.text_reading.input_items import Item, Output, PersonMessage, read_spoken


class ConversationItems(ABC):
    """What a conversation's input items tell; a class below says which message and which calls count."""

    items: Sequence[Item]

    @property
    @abstractmethod
    def message(self) -> PersonMessage:
        """Return the newest message of the person."""

    @property
    @abstractmethod
    def outputs(self) -> tuple[Output, ...]:
        """Return all finished tool calls and handoffs, oldest first."""

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
