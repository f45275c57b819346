"""The conversation as one AG-UI caller has it: the messages of its client, and the snapshots that change them."""

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
    """The messages that the caller of one answer has received or sent so far; ids are the caller's."""

    def __init__(self, names: Names) -> None:
        """`names` holds the ids that the request brought."""
        self._names = names
        self._held = dict.fromkeys(names.sent.values())
        """The ids of the caller's messages, in the order of its client."""
        self._thought = ""
        """The id of the last summary of reasoning in this answer; empty without one."""
        self.earlier: Mapping[str, Any] = {}
        """The messages before those of the transcript, by id."""

    def __contains__(self, message_id: str) -> bool:
        """Return whether the caller has this message."""
        return message_id in self._held

    def add(self, message_id: str) -> None:
        """Note that the caller gets a message, which its client puts last."""
        self._held[message_id] = None

    def begin(self, event: Event) -> None:
        """Note that the caller gets the message or call that this event begins."""
        self.add(event["messageId"] if "messageId" in event else event["toolCallId"])
        if event["type"] == "REASONING_MESSAGE_START":
            self._thought = event["messageId"]

    def add_result(self, call_id: str, message_id: str) -> None:
        """Note that the caller gets the result of a call, which its client puts right after the call."""
        self._held = ids_with_result(self._held, call_id, message_id)

    def snapshots(self, folded: Transcript) -> list[Event]:
        """Return the snapshots after which the client has the current conversation, under the caller's names.

        The last one has all messages. An earlier one is needed where the client has messages in another order.
        """
        shown = {**self.earlier, **self._changed_earlier(folded)}
        for each in self._as_drawn(folded):
            if "content" in each or "toolCalls" in each:
                named = self._names.rename_message(each)
                shown[named["id"]] = named
        counts = snapshots_to(list(shown), self._held)
        self._held = dict.fromkeys(shown)
        messages = list(shown.values())
        return [_snapshot(self._without_thoughts(messages[:count])) for count in counts]

    def _without_thoughts(self, messages: list[Any]) -> list[Any]:
        """Return the messages of a snapshot, with an empty summary where the caller got one and none is among them.

        Without any summary in a snapshot, AG-UI's client keeps its old summaries and adds those that are sent again.
        """
        if not self._thought or any(each["role"] == REASONING for each in messages):
            return messages
        return [*messages, {"id": self._thought, "role": REASONING, "content": ""}]

    def draws(self, event: Event) -> bool:
        """Return whether the caller draws this event; a block that it does not draw is written at the end."""
        return not (self._names.writes_blocks and is_event_of_block(event))

    def write_blocks(self, folded: Transcript) -> list[Event]:
        """Return as events the texts of the ending run's blocks that a caller without blocks does not have yet."""
        if not self._names.writes_blocks:
            return []
        own = folded.run_messages(self._names.run_id)
        new = [(id, events) for id, events in texts_of_blocks(own, self._names.language) if id not in self]
        self._held.update(dict.fromkeys(id for id, _ in new))
        return [event for _, events in new for event in events]

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
    # None: the snapshot replaces activities of every type, so the client drops those that are not in it.
    event["metadata"] = {"@ag-ui/client": {"authoritativeActivityTypes": None}}
    return event
