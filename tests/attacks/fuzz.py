"""Generated requests and frames: thousands of different ones, honest but for what chance made wrong."""

from __future__ import annotations

import http.client
import json
import socket
import struct
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from tests.attacks.attack import PATIENCE_S, Attack, Target
from tests.attacks.generate import Known, Requests
from tests.attacks.generate_frames import Script, Scripts
from tests.integration.ws.raw import CLOSE, PING, PONG, TEXT, Raw, frame, raw

AGAIN = 60
"""After so many requests the visitor is a new one: the old one may have left, have deleted what it had, or be refused
for the wrong ids that it named."""

ENOUGH = 12
"""A route that was asked so often was answered at least once by more than the limits."""

ROUND = 40
"""Generated connections before a new client has to be served as if nothing had been."""

INTERNAL, NO_CODE = 1011, 1005
_RESET = struct.pack("ii", 1, 0)


class Generated(Attack):
    """Requests of every path, made by chance from a seed."""

    name = "fuzz requests"
    in_suite = True
    seconds, suite_seconds, long = 60.0, 5.0, True

    def strike(self, target: Target) -> None:
        """Send them, each on a connection of its own; one that is never complete is ended by us."""
        number = 0
        requests = Requests(target.rng, target.host, Known())
        self._answers: dict[str, Counter[int]] = defaultdict(Counter)
        while not target.over:
            if number % AGAIN == 0:
                requests = Requests(target.rng, target.host, visitor(target, number // AGAIN))
            data = requests.next()
            status = target.exchange(data, complete=not requests.whole)
            self._answers[requests.route][status] += 1
            number += 1

    def check(self, target: Target) -> None:
        """Require that generated requests pass the first checks, on each route."""
        if not target.statuses[200]:
            target.faults.append(f"nothing was let in: {dict(target.statuses)}")
        for route, found in self._answers.items():
            if found.total() >= ENOUGH and found[429] == found.total():
                target.faults.append(f"the limits alone answered for {route}")


def visitor(target: Target, number: int, *, network: str = "10.68") -> Known:
    """Become a visitor with a conversation and a ticket for it."""
    line = http.client.HTTPConnection(target.host, timeout=30)
    address = {
        "X-Forwarded-For": f"{network}.{number // 250 % 250}.{number % 250}",
        "Content-Type": "application/json",
    }
    with suppress(OSError, KeyError):
        line.request("POST", "/v1/tickets", json.dumps({"service": "chat"}), address)
        answer = line.getresponse()
        cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
        told = json.loads(answer.read())
        line.close()
        return Known(cookie, told["session_id"], told["ticket"])
    return Known()


class GeneratedFrames(Attack):
    """Frames of every kind, made by chance from a seed; after each round a new client talks."""

    name = "fuzz frames"
    in_suite = True
    seconds, suite_seconds, long = 60.0, 5.0, True

    def strike(self, target: Target) -> None:
        """Send what is generated, each script on a connection of its own, and judge all that the server says."""
        number = 0
        while not target.over:
            client = Client(target, number)
            scripts = Scripts(target.rng, client.known, client.talk())
            number += 1
            for _ in range(ROUND):
                if not target.over:
                    _perform(target, scripts.next(), client.address)

    def check(self, target: Target) -> None:
        """Everybody who came in between was served, and what is generated reached what lies behind the hello."""
        if not target.statuses[200] or not target.statuses[4000]:
            target.faults.append(f"nobody talked: {dict(target.statuses)}")


class Client:
    """A visitor who talks as people do, on a socket by hand."""

    def __init__(self, target: Target, number: int) -> None:
        """Get a ticket, at an address of its own."""
        self._target = target
        self.address = f"10.70.{number // 250 % 250}.{number % 250}"
        self.known = visitor(target, number, network="10.70")

    def talk(self) -> str:
        """Say hello and something, wait for the whole answer, and return the resume token."""
        token = ""
        with raw(self._target.url) as line:
            line.socket.settimeout(PATIENCE_S)
            try:
                line.open(X_Forwarded_For=self.address)
                line.send(_text({"type": "hello", "ticket": self.known.ticket}))
                line.send(
                    _text({"type": "message", "id": "m1", "content": [{"type": "text", "text": "olá"}]})
                )
                for told in _events(line):
                    token = told.get("resume_token") or token
                    if told.get("type") == "RUN_FINISHED":
                        self._target.statuses[200] += 1
                        return token
                self._target.faults.append("a new client was not answered to the end")
            except (AssertionError, OSError) as error:
                self._target.faults.append(f"a new client was not served: {error!r}")
        return token


def _text(value: Any) -> bytes:
    return frame(TEXT, json.dumps(value).encode())


def _events(line: Raw) -> Iterator[dict[str, Any]]:
    """Read the frames of a server, and in each the events."""
    for opcode, payload in line.frames():
        if opcode == TEXT:
            told = json.loads(payload)
            yield told
            yield from (each["event"] for each in told.get("batch", [told]) if "event" in each)


def _perform(target: Target, script: Script, address: str) -> None:
    """Send a script and judge the answer; a server that waits for more is left, with or without a word."""
    with raw(target.url) as line:
        line.socket.settimeout(PATIENCE_S)
        try:
            line.send(line.head(X_Forwarded_For=address))
            status = line.status()
            target.statuses[status] += 1
            if status != 101:
                return
            with suppress(ConnectionError):  # Who is closed early is closed before everything is sent.
                for piece in script.pieces:
                    line.send(piece)
                if not script.whole and target.rng.random() < 0.2:
                    line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                    return
            if not script.whole:
                with suppress(OSError):  # It may have been reset by now.
                    line.socket.shutdown(socket.SHUT_WR)
            target.faults += [
                f"{each} after {script.pieces!r:.400}" for each in _judged(target, line, script)
            ]
        except TimeoutError:
            target.faults.append(f"no answer within {PATIENCE_S:.0f} s to {script.pieces!r:.400}")


def _judged(target: Target, line: Raw, script: Script) -> Iterator[str]:
    """Read to the end of a connection, and say what no server may say."""
    closed = False
    for opcode, payload in line.frames():
        if opcode == TEXT:
            if closed:
                yield "a text came after the close"  # Pongs may (RFC 6455, section 5.5.1).
            told = json.loads(payload)
            if "internal" in {told.get("code"), told.get("event", {}).get("code")}:
                yield f"the server failed: {told}"
        elif opcode == CLOSE:
            closed, code = True, int.from_bytes(payload[:2], "big") or NO_CODE
            target.statuses[code] += 1
            if code == INTERNAL:
                yield "the server closed with 1011"
        elif opcode not in (PING, PONG):
            yield f"the server sent opcode {opcode}"
    if script.whole and not closed:
        yield "the connection ended without a close frame"
