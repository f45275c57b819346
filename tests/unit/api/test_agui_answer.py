"""What waits for a caller that does not read: bounded by its bytes as well as by its number."""

from __future__ import annotations

from typing import Any, cast

from server.api.agui_answer import Answer
from server.api.agui_stretch import Names
from server.bus import Entry
from server.ws.outbox import MAX_BYTES

LARGE = 64 * 1024


async def test_what_waits_is_never_more_than_a_socket_may_have() -> None:
    nothing = cast(Any, None)
    names = Names(session_id="ses_1", run_id="run_1", thread="t", run="r")
    answer = Answer(names, store=nothing, bus=nothing, runs=nothing)
    answer._look = answer._lost = False
    most = 0
    for seq in range(1, 200):
        answer.deliver([Entry(seq, "a.1", b"x" * LARGE)])
        most = max(most, sum(len(each.json) for each in answer._pending))
    assert most <= MAX_BYTES
    assert answer._lost, "it was told in short"
