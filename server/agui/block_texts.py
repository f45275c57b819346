"""The blocks of a conversation as texts, for a caller that draws none: choices are numbered options of a message."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from server.endpoints.numbered_options import is_block, number_texts
from server.protocol import events as ev
from server.protocol.events import Event, ours

Json = dict[str, Any]


def is_event_of_block(event: Event) -> bool:
    """Return whether an event shows or changes a block."""
    return event["type"] in ("ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA") and event["activityType"] == "block"


def with_written_blocks(messages: Iterable[Json], language: str, *, running: str | None) -> list[Json]:
    """Return messages with a text in place of each block; one that says nothing any more is left out.

    Those of the run that is `running` are left out too: its last event tells them.
    """
    told: list[Json] = []
    for run_id, group in groupby(messages, lambda each: ours(each).get("run_id")):
        some = list(group)
        texts = {} if run_id is not None and run_id == running else dict(number_texts(some, language))
        for each in some:
            if not is_block(each):
                told.append(each)
            elif each["id"] in texts:
                bare = {key: value for key, value in each.items() if key != "activityType"}
                told.append({**bare, "role": "assistant", "content": texts[each["id"]]})
    return told


def texts_of_blocks(messages: Sequence[Json], language: str) -> list[tuple[str, list[Event]]]:
    """Return what a run's blocks say as messages of the assistant: the id of each, and its events."""
    return [
        (id, [ev.text_start(id, "assistant"), ev.text_content(id, text), ev.text_end(id)])
        for id, text in number_texts(messages, language)
    ]
