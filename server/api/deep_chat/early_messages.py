"""The messages of an answer that are sent before its end: pure, from a run's events and stored messages.

Over a WebSocket the element shows whole messages well and growing ones badly: `overwrite` leaves the reader where the
text began, above its buttons, and with `stream.simulation` each click on a button counts twice.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from server.endpoints.answers.run_follower import Event
from server.html.deep_chat import ROLE, deep_chat_messages
from server.protocol.event_kinds import kind_of

Json = dict[str, Any]

_TEXT = ("TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END")


def is_words(event: Event) -> bool:
    """Return whether an event carries words of a message."""
    return event["type"] in _TEXT[:2]


def is_progress(event: Event) -> bool:
    """Return whether an event belongs to a message's text, or says that the run goes on after it."""
    return event["type"] in _TEXT or kind_of(event).completes_text


def rest_of(message: Mapping[str, Any], said: str) -> str:
    """Return what of a stored text was not streamed; nothing of one that became another text."""
    whole = str(message.get("content") or "")
    return whole[len(said) :] if whole.startswith(said) else ""


class StreamedTexts:
    """The texts of an answer that is streamed in pieces. A text is joined once: each piece costs its own length."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[str]] = {}

    def add(self, event: Event) -> str:
        """Keep the words of an event and return them as they are streamed: a text begins a paragraph."""
        id = event["messageId"]
        if event["type"] == "TEXT_MESSAGE_START" and event["role"] == "assistant":
            self._pieces[id] = []
        if event["type"] != "TEXT_MESSAGE_CONTENT" or id not in self._pieces:
            return ""
        before = "\n\n" if not self._pieces[id] and any(self._pieces.values()) else ""
        self._pieces[id].append(event["delta"])
        return f"{before}{event['delta']}"

    def texts(self) -> dict[str, str]:
        """Return the texts by the ids of their messages."""
        return {id: "".join(pieces) for id, pieces in self._pieces.items()}


class EarlyMessages:
    """One answer, message by message: each is sent when the run goes on after it, the rest at the run's end.

    The last message of a run waits for the end, because the texts of its blocks are shown in the same bubble.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._growing: dict[str, list[str]] = {}
        self._whole: dict[str, str] = {}
        """Return complete texts that were not sent yet."""
        self._told: dict[str, str] = {}

    def pop_complete(self, events: Iterable[Event]) -> list[Json]:
        """Return the messages that are complete and were followed by something."""
        ready: list[Json] = []
        for event in events:
            kind = event["type"]
            if kind_of(event).completes_text:
                ready += [{"text": each, "role": ROLE} for each in self._whole.values() if each.strip()]
                self._told |= self._whole
                self._whole.clear()
            if kind == "TEXT_MESSAGE_START" and event["role"] == "assistant":
                self._growing[event["messageId"]] = []
            elif kind in _TEXT and event["messageId"] in self._growing:
                self._grow(event)
        return ready

    def finish(self, messages: Iterable[Mapping[str, Any]]) -> list[Json]:
        """Return what the stored messages hold beyond that; a text that became another is sent again."""
        return deep_chat_messages(messages, self._language, self._told)

    def _grow(self, event: Event) -> None:
        id = event["messageId"]
        if event["type"] == "TEXT_MESSAGE_CONTENT":
            self._growing[id].append(event["delta"])
        elif event["type"] == "TEXT_MESSAGE_END":
            self._whole[id] = "".join(self._growing.pop(id))
