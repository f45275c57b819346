"""The conversation as one caller has it: the messages that it has, and the snapshots that bring it up to date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from server.agui.block_texts import is_event_of_block, texts_of_blocks, with_written_blocks
from server.agui.names import Names
from server.agui.order import ids_with_result, snapshots_to
from server.protocol import events as ev
from server.protocol.events import Event
from server.protocol.transcript import REASONING, Transcript


class CallerView:
    """The messages that the caller of one answer has by now; ids are the caller's."""

    def __init__(self, names: Names) -> None:
        """`names` holds the ids that the request brought."""
        self._names = names
        self._held = dict.fromkeys(names.sent.values())
        """The messages that it has, in its order."""
        self._thought = ""
        """The summary of reasoning that it got last in this answer; empty where it got none."""
        self.earlier: Mapping[str, Any] = {}
        """The messages before those that are folded."""

    def __contains__(self, message_id: str) -> bool:
        """Return whether the caller has this message."""
        return message_id in self._held

    def add(self, message_id: str) -> None:
        """Note that the caller gets a message at the end."""
        self._held[message_id] = None

    def begin(self, event: Event) -> None:
        """Note that the caller gets the message or call that this event begins."""
        self.add(event["messageId"] if "messageId" in event else event["toolCallId"])
        if event["type"] == "REASONING_MESSAGE_START":
            self._thought = event["messageId"]

    def add_result(self, call_id: str, message_id: str) -> None:
        """Note that the caller gets the result of a call, and puts it behind the call."""
        self._held = ids_with_result(self._held, call_id, message_id)

    def snapshots(self, folded: Transcript) -> list[Event]:
        """Return the current conversation, under the caller's names; it replaces all activities too."""
        shown = {**self.earlier, **self._changed_earlier(folded)}
        for each in self._as_drawn(folded):
            if "content" in each or "toolCalls" in each:
                named = self._names.rename_message(each)
                shown[named["id"]] = named
        counts = snapshots_to(list(shown), self._held)
        self._held = dict.fromkeys(shown)
        told = list(shown.values())
        return [_snapshot(self._without_thoughts(told[:count])) for count in counts]

    def _without_thoughts(self, told: list[Any]) -> list[Any]:
        """Return the messages of a snapshot, which has a summary where the caller got one, if only an emptied one.

        Where a snapshot has no summaries, AG-UI's client keeps all that it has, and adds those that are sent again.
        """
        if not self._thought or any(each["role"] == REASONING for each in told):
            return told
        return [*told, {"id": self._thought, "role": REASONING, "content": ""}]

    def draws(self, event: Event) -> bool:
        """Return whether the caller draws this event; a block that it does not draw is written at the end."""
        return not (self._names.writes_blocks and is_event_of_block(event))

    def write_blocks(self, folded: Transcript) -> list[Event]:
        """Return the blocks of the ending run as messages, for a caller that draws none and does not have them yet."""
        if not self._names.writes_blocks:
            return []
        own = folded.run_messages(self._names.run_id)
        new = [(id, told) for id, told in texts_of_blocks(own, self._names.language) if id not in self]
        self._held.update(dict.fromkeys(id for id, _ in new))
        return [event for _, told in new for event in told]

    def _as_drawn(self, folded: Transcript) -> Sequence[dict[str, Any]]:
        """Return the messages as the caller has them, with texts for blocks where it draws none."""
        if not self._names.writes_blocks:
            return folded.messages
        running = folded.run.id if folded.run is not None and folded.run.status == "running" else None
        return with_written_blocks(folded.messages, self._names.language, running=running)

    def _changed_earlier(self, folded: Transcript) -> dict[str, dict[str, Any]]:
        """Return the messages of the earlier part that the run has changed, as they are now."""
        named = map(self._names.rename_message, folded.recalled.values())
        return {each["id"]: each for each in named if each["id"] in self.earlier}


def _snapshot(messages: list[Any]) -> Event:
    event = ev.messages_snapshot(messages)
    event["metadata"] = {"@ag-ui/client": {"authoritativeActivityTypes": None}}
    return event
