"""Attacks with the parts before a body: methods, addresses, headers, cookies."""

from __future__ import annotations

import select
import socket
from contextlib import ExitStack

from tests.attacks.attack import Attack, Target

PATHS = [
    "/", "//", "/..", "/%2e%2e/etc/passwd", "/static/../server/app.py", "/static/%2e%2e/%2e%2e/server/app.py",
    "/%", "/%zz", "/%ff", "/s/%F0%9F%92%A9", "/s/ses_1/older?before=%ff", "/v1/sessions?limit=00005099999",
    "/v1/sessions?before=%ff", "/v1/sessions?limit=000050" + "9" * 30, "/v1/sessions?" + "a=b&" * 4000,
    "/v1/sessions/" + "x" * 8000,
    "/agui/%00", "/agui/../v1/sessions", "/items/'%20or%201=1", "/?service=" + "%27" * 2000, "/healthz?" + "%" * 9000,
]  # fmt: skip


class OddPaths(Attack):
    """Addresses that lead nowhere, out of the tree, or are no address."""

    name = "heads odd paths"
    in_suite = True

    def strike(self, target: Target) -> None:
        """Ask for each in turn, by every method."""
        turn = 0
        while not target.over:
            path = PATHS[turn % len(PATHS)]
            method = ("GET", "HEAD", "OPTIONS", "DELETE")[turn // len(PATHS) % 4]
            target.request(method, path, address=f"10.66.1.{turn % 200}")
            turn += 1


class Nothing(Attack):
    """Requests for what is not there, as fast as one client can."""

    name = "heads nothing there"
    in_suite = True
    seconds = 3.0

    def strike(self, target: Target) -> None:
        """Ask for addresses that never were."""
        while not target.over:
            target.request("GET", f"/nothing/{target.rng.randrange(10**9)}", address="10.66.2.1")


class Cookies(Attack):
    """Cookies that are long, quoted, escaped, many."""

    name = "heads cookies"
    in_suite = True

    def strike(self, target: Target) -> None:
        """Ask for the page with each in turn."""
        size, turn = 30_000, 0
        cookies = [
            'theme="' + '\\"' * (size // 2) + '"',
            'loopwire_visitor="' + "\\101" * (size // 4) + '"',
            "a=b; " * (size // 5),
            "theme=" + "=" * size,
            ";" * size,
            'a="' * (size // 3),
            "language=" + "\\" * size,
            "loopwire_visitor=vis_" + "." * size,
            "clock=" + "9" * size,
        ]
        while not target.over:
            path = ("/", "/v1/sessions", "/sessions")[turn // len(cookies) % 3]
            target.request(
                "GET", path, headers=[("Cookie", cookies[turn % len(cookies)])], address="10.66.6.1"
            )
            turn += 1


class Garbage(Attack):
    """Bytes that are no request, and requests that ask for what is not spoken here."""

    name = "heads garbage"
    in_suite = True

    def strike(self, target: Target) -> None:
        """Send each in turn; a few hundred a second."""
        own = target.host.encode()
        turn = 0
        while not target.over:
            data = (
                b"HELLO\r\n\r\n",
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                b"GET / HTTP/9.9\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 6\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
                b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
                bytes(target.rng.randrange(256) for _ in range(64)) + b"\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: %s\r\nContent-Length: %s\r\n\r\n" % (own, b"0" * 5_000),
            )[turn % 10]
            target.exchange(data)
            turn += 1


class Guessing(Attack):
    """Ids that nobody has, of sessions and items."""

    name = "heads guessing"
    in_suite = True

    def strike(self, target: Target) -> None:
        """Guess from one address without a cookie."""
        paths = ("/v1/sessions/ses_{}", "/s/ses_{}", "/items/itm_{}", "/v1/items/itm_{}", "/s/ses_{}/older")
        while not target.over:
            path = target.rng.choice(paths).format(target.rng.randrange(10**12))
            target.request("GET", path, address="10.66.7.1")

    def check(self, target: Target) -> None:
        """Require that a client that guesses ids is refused after some hundred."""
        served = sum(count for status, count in target.statuses.items() if status != 429)
        if served > 400:
            target.faults.append(f"{served} guesses were answered: {dict(target.statuses)}")


class Hosts(Attack):
    """Requests that name two hosts, none, or a foreign one."""

    name = "heads hosts"
    in_suite = True
    seconds = 2.0

    def strike(self, target: Target) -> None:
        """Each has to be refused."""
        own = target.host.encode()
        refused = {
            b"two": b"GET / HTTP/1.1\r\nHost: %s\r\nHost: %s\r\n\r\n" % (own, own),
            b"a second, foreign one": b"GET / HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\n\r\n" % own,
            b"none": b"GET / HTTP/1.1\r\n\r\n",
            b"empty": b"GET / HTTP/1.1\r\nHost:\r\n\r\n",
            b"with a path": b"GET / HTTP/1.1\r\nHost: %s/x\r\n\r\n" % own,
            b"foreign": b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            b"absolute and foreign": b"GET http://evil.example/ HTTP/1.1\r\nHost: %s\r\n\r\n" % own,
            b"absolute, foreign twice": b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            b"absolute, with a name": b"GET http://a@%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (own, own),
        }
        while not target.over:
            for name, data in refused.items():
                if target.exchange(data) not in (400, 421):
                    target.faults.append(f"a request with a host that is {name!r} was served")
            for data in (
                b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % own,
                b"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (own, own),
                b"GET http://%s?a=b HTTP/1.1\r\nHost: %s\r\n\r\n" % (own, own),
            ):
                if target.exchange(data) != 200:
                    target.faults.append(f"an honest request was refused: {data!r}")


class ManyParts(Attack):
    """Heads of ten thousand fields, a field of 100 KB, and ten thousand requests in one write."""

    name = "heads many parts"
    in_suite = True

    def strike(self, target: Target) -> None:
        """Send each in one go."""
        fields = b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a:\r\n" * 60_000 + b"\r\n"
        long = b"GET / HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n" % (target.host.encode(), b"x" * 100_000)
        pipelined = b"GET /nothing HTTP/1.1\r\nHost: %s\r\n\r\n" % target.host.encode() * 6_000
        while not target.over:
            target.exchange(fields)
            target.exchange(pipelined)
            if target.exchange(long) == 200:
                target.faults.append("a head of 100 KB was served")


class Bytes(Attack):
    """Heads in segments of one byte, on thirty connections of one address at once."""

    name = "heads byte by byte"
    in_suite = True

    def strike(self, target: Target) -> None:
        """Send each as far as it is taken, and begin anew: the segments of one reach the server one by one.

        It lasts until a head was refused, however slow the machine is: a server that takes them all is found by the
        trial, which waits for no attack for longer than `PATIENCE_S`.
        """
        head = b"GET / HTTP/1.1\r\nHost: %s\r\nX-Long: " % target.host.encode() + b"x" * 30_000
        with ExitStack() as stack:
            lines = [stack.enter_context(Slow(target, head)) for _ in range(30)]
            while not (target.over and target.statuses[400]):
                for each in lines:
                    each.go_on()


class Slow:
    """A connection on which a head is sent byte by byte, and a new one when the server has had enough."""

    def __init__(self, target: Target, head: bytes) -> None:
        """Send this head."""
        self._target = target
        self._head = head
        self._stack = ExitStack()
        self._at = 0
        self._line: socket.socket | None = None

    def __enter__(self) -> Slow:
        return self

    def __exit__(self, *about: object) -> None:
        self._stack.close()

    def go_on(self) -> None:
        """Send the next byte."""
        if self._line is None:
            self._line = self._stack.enter_context(self._target.connection())
            self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._at = 0
        self._at += 1
        try:
            self._line.sendall(self._head[self._at - 1 : self._at])
            if not select.select([self._line], [], [], 0)[0]:
                return
        except ConnectionError:
            pass
        self._target.answer(self._line, self._head)
        self._stack.close()
        self._line = None
