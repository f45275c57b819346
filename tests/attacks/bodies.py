"""Attacks with bodies: many faults, no end, half of them, wrong shapes."""

from __future__ import annotations

import socket
from abc import abstractmethod
from contextlib import ExitStack, suppress

from tests.attacks.attack import Attack, Target

SMALL = 60_000


def filled(unit: bytes, size: int) -> bytes:
    """Return a list of so many bytes, or a little less, of this element."""
    return b"[" + b",".join([unit] * (size // (len(unit) + 1))) + b"]"


def run_input(**fields: bytes) -> bytes:
    """Return the body of a run at the AG-UI endpoint; a field that is named replaces the usual one."""
    usual = {"threadId": b'"t"', "runId": b'"r"', "messages": b"[]", "tools": b"[]", "context": b"[]"}
    every = {**usual, **fields}
    return b"{" + b",".join(b'"%s":%s' % (name.encode(), value) for name, value in every.items()) + b"}"


class Repeated(Attack):
    """The same few bodies again and again, from one address."""

    @abstractmethod
    def bodies(self) -> list[tuple[str, bytes]]:
        """Paths, and what is posted there."""

    def strike(self, target: Target) -> None:
        """Post them in turn, each at least once; of an attack that does not last its time every third."""
        chosen, turn = self.bodies()[:: 1 if target.seconds >= self.seconds else 3], 0
        while turn < len(chosen) or not target.over:
            path, body = chosen[turn % len(chosen)]
            target.request("POST", path, body, address="10.66.0.1")
            turn += 1


class ManyFaults(Repeated):
    """Bodies that are wrong in a million places."""

    name = "bodies many faults"
    in_suite = True
    long = True

    def bodies(self) -> list[tuple[str, bytes]]:
        """As large as an endpoint takes them, and larger."""
        large = [run_input(**{field: filled(b"{}", 1_000_000)}) for field in ("resume", "tools", "messages")]
        huge = run_input(resume=filled(b"{}", 7_500_000))
        unknown = b"{" + b",".join(b'"%x":1' % each for each in range(6_000)) + b"}"
        more = b"{" + b",".join(b'"%x":1' % each for each in range(600_000)) + b"}"
        runs = [("/agui/submission", each) for each in [*large, huge]]
        return [*runs, ("/v1/tickets", unknown), ("/v1/tickets", more), ("/v1/sessions", more)]


class Expensive(Repeated):
    """Bodies of the right size that are as much work as can be."""

    name = "bodies expensive"
    in_suite = True
    long = True

    def bodies(self) -> list[tuple[str, bytes]]:
        """Return everything that a parser makes an object of, in a megabyte."""
        size = 1_000_000
        inside = [filled(each, size) for each in (b"[]", b"{}", b'""', b"1e9", b"9" * 4000, b'{"a":[{}]}')]
        inside += [b'"' + b"\\u0041" * (size // 6) + b'"', b"[" * 190 + b"]" * 190, b"9" * size]
        message = b'[{"id":"m","role":"user","content":%s}]'
        known = b'{"id":"m","role":"assistant","content":"' + b"x" * 150 + b'"}'
        keys = b"{" + b",".join(b'"%x":1' % each for each in range(90_000)) + b"}"
        bodies = [run_input(messages=message % each) for each in [*inside, keys]]
        bodies += [
            run_input(state=each, context=each) for each in (filled(b"[]", size // 2), keys[: size // 2])
        ]
        bodies += [run_input(messages=filled(known, size))]
        bodies += [run_input(messages=filled(b'{"id":"m","role":"user","content":"x"}', 190_000))]
        # A text that never ends, in which each quote could begin another one.
        bodies += [b"[" * 80_001 + b'"' + b'\\"' * 480_000]
        return [("/agui/chat", each) for each in bodies]


class HalfSent(Attack):
    """Many bodies at once that are announced and never completed."""

    name = "bodies half sent"
    in_suite = True
    seconds, suite_seconds = 8.0, 2.5

    def strike(self, target: Target) -> None:
        """Open sixty at two doors from one address, and hold them; then as many from addresses of their own."""
        with ExitStack() as stack:
            lines = [self._half(stack, target, number, "10.66.3.1") for number in range(60)]
            lines += [self._half(stack, target, number, f"10.66.4.{number}") for number in range(60)]
            while not target.over:
                for each in lines:
                    with suppress(OSError):
                        each.sendall(b" ")
        if target.request("POST", "/v1/tickets", b"{}", address="10.66.5.1") != 200:
            target.faults.append("a small body was refused while others were held")

    def _half(self, stack: ExitStack, target: Target, number: int, address: str) -> socket.socket:
        line = stack.enter_context(target.connection())
        path = ("/agui/submission", "/v1/tickets")[number % 2]
        size = (1_048_000, 65_000)[number % 2]
        head = target.head("POST", path, [("Content-Type", "application/json")], length=size, address=address)
        with suppress(OSError):
            line.sendall(head + b" " * (size - 20_000))
        return line


class TinyChunks(Attack):
    """Bodies in chunks of one byte, trailers that never end, and bodies that go on after they were refused."""

    name = "bodies tiny chunks"
    in_suite = True

    def strike(self, target: Target) -> None:
        """Send each at once and wait for its answer: what waits in buffers would outlast the attack."""
        chunked = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]
        tiny, trailer, turn = b"1\r\n \r\n" * 320_000, b"0\r\nX: " + b"x" * 20_000_000, 0
        while turn < 8 or not target.over:
            path = ("/v1/tickets", "/agui/submission", "/nothing", "/preferences")[turn % 4]
            head = target.head("POST", path, chunked, address="10.66.8.1")
            target.exchange(head + (tiny if turn // 4 % 2 else trailer))
            turn += 1
