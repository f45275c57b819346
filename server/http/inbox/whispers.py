"""The notes for the agents among the messages that an operator reads."""

from collections.abc import Sequence
from typing import Any

from server.protocol import events
from server.protocol.events import ours
from server.protocol.operators import ACTIVITY
from server.protocol.transcript import Transcript
from server.store import Whisper

Message = dict[str, Any]


def whisper_message(whisper: Whisper) -> Message:
    """Return a note as a message; it is drawn in the inbox alone, and stored nowhere as one."""
    content = {"status": "whispered", "name": whisper.name, "said": whisper.text}
    shown = Transcript.fold([events.activity(whisper.message_id, ACTIVITY, content, at=whisper.at)])
    return shown.messages[0]


def with_whispers(
    messages: Sequence[Message], whispers: Sequence[Whisper], *, is_first: bool, is_last: bool
) -> list[Message]:
    """Return a part of the messages with the notes of its time, each before the first message that is later.

    The first part also has the notes before it, and the last one those after it.
    """
    times = [at for each in messages if (at := ours(each).get("at")) is not None]
    merged = list(messages)
    for whisper in whispers:
        is_before, is_after = not times or whisper.at < times[0], not times or whisper.at > times[-1]
        if (is_before and not is_first) or (is_after and not is_last):
            continue
        merged.insert(_place(merged, whisper.at), whisper_message(whisper))
    return merged


def _place(messages: Sequence[Message], at: int) -> int:
    later = (place for place, each in enumerate(messages) if (ours(each).get("at") or 0) > at)
    return next(later, len(messages))
