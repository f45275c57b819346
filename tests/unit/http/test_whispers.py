"""The notes for the agents among the messages of the inbox: each stands once, at its time."""

from __future__ import annotations

from typing import Any

import pytest

from server.http.inbox.whispers import with_whispers
from server.store import Whisper


def message(at: int | None) -> dict[str, Any]:
    """Return a message of a time."""
    return {"id": f"m{at}", "role": "user", "content": "", "metadata": {"loopwire": {"at": at}}}


MESSAGES = [message(10), message(None), message(20)]
WHISPERS = [Whisper(f"w{at}", "note", "Ana", at) for at in (5, 10, 15, 20, 25)]


@pytest.mark.parametrize(
    ("is_first", "is_last", "ids"),
    [
        (True, True, "w5 m10 mNone w10 w15 m20 w20 w25"),
        (False, True, "m10 mNone w10 w15 m20 w20 w25"),
        (True, False, "w5 m10 mNone w10 w15 m20 w20"),
        (False, False, "m10 mNone w10 w15 m20 w20"),
    ],
)
def test_a_note_stands_before_the_first_message_that_is_later(
    is_first: bool, is_last: bool, ids: str
) -> None:
    merged = with_whispers(MESSAGES, WHISPERS, is_first=is_first, is_last=is_last)
    assert " ".join(each["id"] for each in merged) == ids


def test_a_conversation_without_messages_shows_its_notes() -> None:
    [note] = with_whispers([], WHISPERS[:1], is_first=True, is_last=True)
    assert (note["role"], note["content"]["said"]) == ("activity", "note")
