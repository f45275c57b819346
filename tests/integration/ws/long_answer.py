"""An answer that goes on until a reader who does not read it reaches a state."""

from __future__ import annotations

from collections.abc import Callable

from server.bus import LogWriter
from server.protocol import events as ev
from tests.integration.ws.visitor import Talk

DELTA = "word " * 320
"""Large, so that it takes few of them until nothing more fits into what lies between two sockets."""


async def written(writer: LogWriter, reader: Talk, run_id: str, enough: Callable[[], bool]) -> int:
    """Write an answer that goes on a little beyond enough, and let a reader have it all; gives its length."""
    text = f"msg_{run_id}"
    await writer.publish(ev.run_started(reader.session, run_id), ev.text_start(text, "assistant"))
    length, last = 0, False
    while not last:
        last = enough()
        for _ in range(20):
            writer.append(ev.text_content(text, DELTA))
            length += len(DELTA)
        await reader.until(lambda _, least=writer.seq: reader.seq >= least)
    await writer.publish(ev.text_end(text), ev.run_finished(reader.session, run_id))
    await reader.finished(run_id)
    return length
