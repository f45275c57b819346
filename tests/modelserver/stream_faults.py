"""Faults of a stream that has begun: silence, a cut, bad bytes, odd borders."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tests.modelserver.faults import CANARY
from tests.modelserver.plan import Close, Disturbance, Fault, Frame, Stall
from tests.modelserver.request import Dialect
from tests.modelserver.wire_chat import error_frame as chat_error
from tests.modelserver.wire_responses import error_frame as responses_error


@dataclass(frozen=True, slots=True)
class InStream(Fault):
    """A fault after `after` deltas; before the end when there are fewer."""

    after: int = 2

    def at(self, dialect: Dialect) -> Iterator[Disturbance]:
        """Return what is sent at that place."""
        return iter(())

    resumes: ClassVar[bool] = False

    def stream(self, steps: Iterator[Disturbance], dialect: Dialect) -> Iterator[Disturbance]:
        """Pass frames up to the place, then the disturbance, then the rest if it `resumes`."""
        deltas = 0
        for step in steps:
            if isinstance(step, Frame):
                if deltas >= self.after or step.kind == "end":
                    yield from self.at(dialect)
                    if not self.resumes:
                        return
                    yield step
                    break
                deltas += step.kind == "delta"
            yield step
        yield from steps


@dataclass(frozen=True, slots=True)
class StalledStream(InStream):
    """Silence in mid-stream, then it goes on."""

    name = "stall"
    resumes = True
    seconds: float = 600.0

    def at(self, dialect: Dialect) -> Iterator[Disturbance]:
        """Say nothing."""
        yield Stall(self.seconds)


@dataclass(frozen=True, slots=True)
class CutStream(InStream):
    """The body ends properly but too soon: no finish reason, no `[DONE]`, no `response.completed`."""

    name = "cut"


@dataclass(frozen=True, slots=True)
class ClosedStream(InStream):
    """The connection closes in the middle of the body."""

    name = "close"

    def at(self, dialect: Dialect) -> Iterator[Disturbance]:
        """Hang up."""
        yield Close()


@dataclass(frozen=True, slots=True)
class ResetStream(InStream):
    """The connection is reset (RST) in mid-stream."""

    name = "reset"

    def at(self, dialect: Dialect) -> Iterator[Disturbance]:
        """Hang up rudely."""
        yield Close(reset=True)


@dataclass(frozen=True, slots=True)
class BadJson(InStream):
    """A chunk that is no JSON."""

    name = "bad_json"

    def at(self, dialect: Dialect) -> Iterator[Disturbance]:
        """Half an object."""
        yield Frame(f'data: {{"choices": [{{"delta": "{CANARY}\n\n'.encode())


@dataclass(frozen=True, slots=True)
class ErrorInStream(InStream):
    """An error told in mid-stream, after which the stream ends."""

    name = "error_chunk"

    def at(self, dialect: Dialect) -> Iterator[Disturbance]:
        """Yield the error in the dialect's own shape."""
        error = {"type": "server_error", "code": "server_error", "param": None}
        error |= {"message": f"The model crashed on host {CANARY}."}
        yield chat_error(error) if dialect == "chat" else responses_error(error)


@dataclass(frozen=True, slots=True)
class OddBorders(Fault):
    """Each frame leaves in pieces of `size` bytes: splits UTF-8 characters and line ends."""

    name = "odd_borders"
    size: int = 3

    def split(self, data: bytes) -> Iterator[bytes]:
        """Cut without regard to characters."""
        return (data[i : i + self.size] for i in range(0, len(data), self.size))


@dataclass(frozen=True, slots=True)
class CarriageReturns(Fault):
    """Lines end with CRLF."""

    name = "crlf"

    def split(self, data: bytes) -> Iterator[bytes]:
        """JSON on the wire has no line end of its own."""
        yield data.replace(b"\n", b"\r\n")


@dataclass(frozen=True, slots=True)
class Comments(Fault):
    """Keep-alive comments and empty lines between events."""

    name = "comments"

    def split(self, data: bytes) -> Iterator[bytes]:
        """Yield a comment before each event."""
        yield b": keep-alive\n\n"
        yield data
