"""Frames with anything in any place: each is taken, or refused as garbage, and nothing else is raised."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwire.conversation import Conversation
from loopwire.errors import Garbled
from loopwire.part_reader import PartReader
from loopwire.run import read_parts
from loopwire.wire import read_frame
from tests.parts.sampled import examples
from tests.unit.protocol.test_transcript import FULL
from tests.unit.sdk.socket_server import snapshot, welcome

Json = dict[str, Any]

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.text(max_size=3),
    st.just([]),
    st.just([1]),
    st.just({}),
    st.just({"id": 1}),
)
FRAMES: list[Json] = [
    welcome(0, resumed=False),
    snapshot(0, FULL),
    *({"seq": seq, "event": event} for seq, event in enumerate(FULL, 1)),
    {"batch": [{"seq": 1, "event": FULL[0]}]},
    {"type": "queue", "items": [{"run_id": "run_1", "message_id": "m", "id": "m1", "text": "x"}]},
    {"type": "degraded", "on": True},
    {"type": "reconnect", "after_ms": 3},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where something stands in a frame."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for key, part in inner for each in places(part, (*path, key)))]


@st.composite
def changed(draw: st.DrawFn) -> Json:
    """Return a frame with something else in one place, or without it."""
    frame = copy.deepcopy(draw(st.sampled_from(FRAMES)))
    *way, last = draw(st.sampled_from(places(frame)[1:]))
    target: Any = frame
    for key in way:
        target = target[key]
    if draw(st.booleans()):
        target[last] = draw(ODD)
    else:
        del target[last]
    return frame


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.one_of(changed(), st.sampled_from(FRAMES)), max_size=8))
def test_a_frame_is_taken_or_refused(frames: list[Json]) -> None:
    conversation, reading = Conversation(), PartReader()
    for frame in frames:
        try:
            taken = read_frame(json.dumps(frame))
            for each in taken.get("batch", [taken]):
                conversation.take(each)
            for each in ("run_1", "run_2", "run_3"):
                conversation.is_pending(each)
                conversation.end_of(each)
            read_parts(reading, conversation.ids(), conversation, None)
        except Garbled:
            return
