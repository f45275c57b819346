"""The response of a streamed answer: it sends the lines as they come, and notices when the client leaves."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Protocol

from server.asgi import Receive, Scope, Send
from server.endpoints.answers.open_answers import AnswerPlace
from server.tasks import Tasks

HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class AnswerLines(Protocol):
    """The source of a response's stream."""

    def lines(self) -> AsyncGenerator[bytes]:
        """Return the lines, some at a time."""
        ...

    def release_reader(self) -> None:
        """Stop, since the caller has left."""
        ...


class StreamedAnswer:
    """The response of an answer, until the answer ends or the client leaves."""

    def __init__(self, body: AnswerLines, place: AnswerPlace) -> None:
        self._body = body
        self._place = place

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Send the lines as they come, and watch whether the client is still connected."""
        tasks = Tasks()
        tasks.spawn(self._listen(receive), name="answer reader")
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            async with aclosing(self._body.lines()) as lines:
                async for each in lines:
                    await send({"type": "http.response.body", "body": each, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self._place.exit()
            await tasks.aclose()

    async def _listen(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._body.release_reader()
