"""The parser of a client's frames by RFC 6455: whole texts, control frames, and a bound on frames without a message."""

import codecs
import time
from logging import Logger

from websockets.exceptions import PayloadTooBig, ProtocolError
from websockets.frames import CTRL_OPCODES, OP_CLOSE, OP_CONT, OP_TEXT, CloseCode, Frame
from websockets.protocol import State
from websockets.server import ServerProtocol

from server.limit_counters import Clock
from server.limits import Limits, Pairs

FAIR_SHARE = 1 / 20
"""The part of its own limit that a socket may use whatever its neighbours at the address do."""

MOST_ADDRESSES = 20_000
"""Addresses that are counted at once; the one that was counted first is forgotten first."""

MAX_FRAGMENTS = 256
"""Fragments of one message."""

_CONTROL_BYTES = 125
_SHORT_HEAD, _MASK_BYTES = 2, 4
_MASKED, _LENGTH = 0x80, 0x7F
_HEADS = {126: 4, 127: 10}
"""Heads that have the size of the payload in two or in eight bytes of its own."""

_UTF8 = codecs.getincrementaldecoder("utf-8")


class PolicyViolation(Exception):
    """The client sends more frames that carry no message than any client needs."""


class FrameTally:
    """Counts frames in fixed windows, one for each pair of a rate. An exact window would remember every frame."""

    __slots__ = ("_counts", "_ends", "_limits")

    def __init__(self, limits: Pairs) -> None:
        self._limits = limits
        self._ends = [0.0] * len(limits)
        self._counts = [0] * len(limits)

    def add(self, now: float) -> float:
        """Count one frame and return how much of the rate is used: all of it is 1."""
        used = 0.0
        for place, (most, seconds) in enumerate(self._limits):
            if now >= self._ends[place]:
                self._ends[place], self._counts[place] = now + seconds, 0
            self._counts[place] += 1
            used = max(used, self._counts[place] / most)
        return used


class FrameCounts:
    """Counts the frames that carry no message, for each socket and for all sockets of an address together."""

    def __init__(self, limits: Limits, clock: Clock = time.monotonic) -> None:
        self._of_socket = limits.control_frames_per_socket
        self._of_address = limits.control_frames_per_address
        self._longest = max(seconds for _, seconds in self._of_address)
        self._clock = clock
        self._ends = 0.0
        self._addresses: dict[str, FrameTally] = {}

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return the addresses whose frames are counted, the one counted longest first."""
        return tuple(self._addresses)

    def socket(self) -> FrameTally:
        """Return the tally of a new socket."""
        return FrameTally(self._of_socket)

    def allows(self, address: str, own: FrameTally) -> bool:
        """Count a frame of a socket, and return whether the socket is within its bounds."""
        now = self._clock()
        mine, together = own.add(now), self._tally(address, now).add(now)
        return mine <= 1 and (together <= 1 or mine <= FAIR_SHARE)

    def _tally(self, address: str, now: float) -> FrameTally:
        if now >= self._ends:  # The counting period is over: all counts start again.
            self._addresses.clear()
            self._ends = now + self._longest
        tally = self._addresses.get(address)
        if tally is None:
            if len(self._addresses) >= MOST_ADDRESSES:
                del self._addresses[next(iter(self._addresses))]
            tally = self._addresses[address] = FrameTally(self._of_address)
        return tally


class FrameParser(ServerProtocol):
    """The protocol of one socket; its events are the request, texts as `str`, binary messages and control frames.

    Three things differ from the parent. A close frame may stand between two fragments (RFC 6455, section 5.4). A text
    is decoded as it comes, so that a later frame never overtakes its error. Frames that carry no message are counted.
    """

    def __init__(self, counts: FrameCounts, *, max_size: int, logger: Logger) -> None:
        """Take messages of at most `max_size` bytes."""
        # The parent class applies the bound to the rest of a message, and a ping in its middle is not part of it.
        super().__init__(max_size=max_size + _CONTROL_BYTES, logger=logger)
        self.address = ""
        self._counts = counts
        self._mine = counts.socket()
        self._most = max_size
        self._unparsed = bytearray()  # A bytearray drops bytes at its front without a copy of the rest.
        self._rest = 0
        """Bytes of the present frame that are still to come."""
        self._fragments = 0
        self._decoder: codecs.IncrementalDecoder | None = None
        self._parts: list[str] = []

    def keep(self, data: bytes) -> None:
        """Keep received bytes until they are taken."""
        self._unparsed += data

    def has_kept(self) -> bool:
        """Return whether there is a message to be taken."""
        return bool(self._unparsed)

    def forget(self) -> None:
        """Drop what was kept."""
        self._unparsed.clear()

    def take_frame(self, most: int) -> int:
        """Parse one frame of what was kept, or at most `most` bytes of it; 0 when more is needed for that."""
        head = 0 if self._rest else _head_size(self._unparsed)
        if head is None:
            return 0
        if head:
            self._rest = _rest_size(self._unparsed)
        size = min(head + self._rest, max(most, head), len(self._unparsed))
        if size == 0:
            return 0
        data = bytes(self._unparsed[:size])
        del self._unparsed[:size]
        self._rest -= size - head
        self.receive_data(data)
        return size

    def recv_frame(self, frame: Frame) -> None:
        """Process a frame, as the parent's parser asks."""
        whole = frame.fin and frame.opcode is not OP_CONT
        if frame.opcode is OP_CLOSE:
            self.current_size = None  # The interrupted message will never be complete.
        elif (
            frame.opcode in CTRL_OPCODES or not whole or self.state is State.CLOSING
        ) and not self._counts.allows(self.address, self._mine):
            self._refuse()
            return
        if frame.opcode in CTRL_OPCODES:
            super().recv_frame(frame)
        else:
            self._recv_data(frame)

    def _recv_data(self, frame: Frame) -> None:
        """Add a frame to its message, which may be its only one. Nothing of a binary one is kept: nothing reads it."""
        size = len(frame.data)
        if size + (self.current_size or 0) > self._most:
            raise PayloadTooBig(size, self._most - (self.current_size or 0))
        begins = frame.opcode is not OP_CONT
        if begins and self.current_size is not None:
            raise ProtocolError("expected a continuation frame")
        if not begins and self.current_size is None:
            raise ProtocolError("unexpected continuation frame")
        if begins:
            self.current_size, self._fragments, self._parts = 0, 0, []
            self._decoder = _UTF8() if frame.opcode is OP_TEXT else None
        self._fragments += 1
        if self._fragments > MAX_FRAGMENTS:
            raise PayloadTooBig(size, 0)
        self.current_size = (self.current_size or 0) + size
        if self._decoder is not None:
            self._parts.append(self._decoder.decode(bytes(frame.data), frame.fin))
        if frame.fin:
            self.current_size = None
            self._put(frame if self._decoder is None else "".join(self._parts))
            self._decoder, self._parts = None, []

    def _put(self, event: str | Frame) -> None:
        self.events.append(event)  # type: ignore[arg-type]

    def _refuse(self) -> None:
        """Fail the connection. What is raised here, the parent would take for a bug."""
        self.fail(CloseCode.POLICY_VIOLATION, "too many frames")
        self.parser_exc = PolicyViolation()


def _head_size(data: bytearray) -> int | None:
    """Return the size of a frame's head up to its mask; None while it is not whole."""
    size = _SHORT_HEAD if len(data) < _SHORT_HEAD else _HEADS.get(data[1] & _LENGTH, _SHORT_HEAD)
    return size if len(data) >= size else None


def _rest_size(data: bytearray) -> int:
    """Return the size of a frame's mask and payload; what is too large is refused by its head alone."""
    length = data[1] & _LENGTH
    if length in _HEADS:
        length = int.from_bytes(data[_SHORT_HEAD : _HEADS[length]], "big")
    return length + (_MASK_BYTES if data[1] & _MASKED else 0)
