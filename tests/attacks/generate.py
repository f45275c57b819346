"""Requests made by chance from what honest ones look like: each is honest, with one to three things wrong.

The same seed gives the same requests. A field is replaced, left out, doubled or buried; a text holds what texts should
not; a number has no end; a head, a length or a chunk lies. Names and ids of a real conversation come often enough that
what lies behind the first check is reached too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.attacks.generate_forms import DOORS, GeneratedForms

TEXTS = [
    "", " ", "\0", "a\0b", "\ud800", "\udfff\ud800", "\ufeff", "\u202e", "\r\nX-Evil: 1",
    "x" * 5_000, "é" * 300, "💩" * 200,
    "../../etc/passwd", "' or 1=1 --", "<script>", "{{7*7}}", "%00", "%ff%fe", "ses_", "msg_1",
    "run_" + "0" * 60, "null", "-1",
    "00005", "000050" + "9" * 30, "0x10", "1e999", "٣", "A" * 129, "\n", "Infinity", "a.b.c",
    "a" * 256 + "." + "b" * 256, "\x7f", "é", "ª",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, 2**64, -(2**63) - 1, 10**400, 1.5, -0.0,
    1e308, 5e-324, [], {}, [[]], [None],
    {"": ""}, {"a": {"a": {"a": []}}}, [{}] * 50, ["x"] * 200, {"__proto__": 1},
    {str(each): each for each in range(300)},
]  # fmt: skip
LITERALS = ["NaN", "Infinity", "-Infinity", "01", "1e99999", "9" * 5_000, "-", "tru", "[" * 500,
    '{"a":' * 150 + "1" + "}" * 150,
    '"\\ud800"', '"\\u0000"', '"\t"', "'a'", "/**/1", "1,", "\ufeff1", '"' + "\\\\" * 999 + '"', ""]  # fmt: skip
JSON = ("Content-Type", "application/json")
METHODS = ["GET", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS", "TRACE", "get", "M-SEARCH", "PROPFIND"]
SERVICES = [
    f"/loopos_ai_{name}"
    for name in (
        "brands_generator", "c2c_descriptor", "c2c_validation", "decision", "id_validator", "protocol_generator",
        "translator", "value_estimation",
    )
]  # fmt: skip
PATHS = [
    "/", "/s/{session}", "/s/{session}/older", "/s/{session}/export", "/sessions", "/preferences", "/items/{item}",
    "/embed/{text}", "/demo", "/manifest.webmanifest", "/service-worker.js", "/offline",
    "/widget-mcp-app.js", "/widget-page.js", "/widget.js", "/widget@{text}.js", "/static/{text}", "/static/sdk/{text}",
    "/static/sdk@{text}/{text}",
    "/static/page@{text}/{text}",
    "/docs", "/docs/socket", "/docs/{text}", "/openapi.json", "/services", "/services/{service}",
    "/chat", "/agui/{service}", "/agui/{service}/cancel", "/loopos_ai_{text}", *SERVICES,
    "/v1/services", "/v1/tickets", "/v1/identify", "/v1/identities/revoke", "/v1/jobs/{item}",
    "/v1/sessions", "/v1/sessions", "/v1/sessions/{session}", "/v1/sessions/{session}/messages",
    "/v1/sessions/{session}/commands", "/v1/sessions/{session}/events", "/v1/sessions/{session}/log",
    "/v1/sessions/{session}/blobs/{item}", "/v1/sessions/{session}/files", "/v1/sessions/{session}/operator",
    "/v1/operator/sessions", "/v1/items/{item}", "/v1/visitor", "/v1/push",
    "/v1/models", "/v1/models/{service}", "/v1/responses", "/v1/responses/{item}", "/v1/responses/{item}/cancel",
    "/inbox", "/inbox/audit", "/inbox/events", "/inbox/sign-in", "/inbox/sign-out", "/inbox/s/{session}",
    "/inbox/s/{session}/older", "/inbox/s/{session}/blobs/{item}", "/inbox/s/{session}/messages",
    "/inbox/s/{session}/join", "/inbox/s/{session}/leave", "/inbox/s/{session}/typing",
    "/healthz", "/health", "/readyz", "/ws", "/{text}",
]  # fmt: skip
"""Each route of the application at least once; test_generate.py says which is missing."""
QUERIES = ["limit", "limit", "before", "service", "lang", "after", "q", ""]
ADDRESSES = [
    "10.67.0.1",
    "10.67.0.2",
    "::1",
    "2001:db8::1",
    "unknown",
    "",
    "10.67.0.3, 10.67.0.4",
    "999.1.1.1",
    "[::1]:80",
    "é",
    "a" * 300,
]


@dataclass
class Known:
    """A real visitor, so that generated requests are let in sometimes."""

    cookie: str = ""
    session: str = "ses_none"
    ticket: str = ""


class Requests:
    """Generates requests as bytes."""

    def __init__(self, rng: Random, host: str, known: Known) -> None:
        """Generate for this server, from this chance."""
        self._rng = rng
        self._host = host
        self._known = known
        self._forms = GeneratedForms(rng)
        self._repeated = (
            0  # Lists of the body so far; only one is repeated: three would make 64 million values.
        )
        self.whole = True
        """Does the last request keep what its head says? One that does not is never complete."""
        self.route = ""
        """That of PATHS to which the last request went; empty for one of the honest requests."""

    def next(self) -> bytes:
        """Make one request."""
        rng, self.route = self._rng, ""
        if rng.random() < 0.15:
            return self._form()
        path, body = rng.choice(self._honest())()
        method = "POST" if body is not None else "GET"
        if body is not None and path.startswith("/v1/sessions/ses_") and not path.endswith("commands"):
            method = "PATCH"
        if rng.random() < 0.1:
            method = rng.choice(METHODS)
        if rng.random() < 0.4:
            path = self._path()
        raw = self.written(body) if body is not None else b""
        return self._framed(method, path, raw)

    def _form(self) -> bytes:
        """Make a form for one of the routes that read one, mostly as a page of this server sends it."""
        rng = self._rng
        self.route = rng.choice(DOORS)
        service = rng.choice(["decision", "id_validator"])
        kind, raw = self._forms.next(self.route)
        path = self.route.format(service=service, session=self._known.session)
        own = [("Origin", f"http://{self._host}")] if rng.random() < 0.9 else []
        return self._framed("POST", path, raw, [("Content-Type", kind), *own])

    def _honest(self) -> list[Callable[[], tuple[str, Any]]]:
        session = f"/v1/sessions/{self._known.session}"
        return [
            lambda: ("/v1/tickets", {"service": "chat", "language": "pt", "session_id": self._known.session}),
            lambda: (
                "/v1/sessions",
                {"service": "submission", "alias": "x", "callback_url": "https://a.example/"},
            ),
            lambda: (session, {"title": "t", "language": "en"}),
            lambda: ("/preferences", {"theme": "dark", "language": "pt", "clock": 60}),
            lambda: (f"{session}/commands", self.command()),
            lambda: (f"/agui/{self._rng.choice(['chat', 'submission', 'x'])}", self._run()),
            lambda: (self._path(), None),
        ]

    def command(self) -> Any:
        """Make a command of a client, as a socket takes it."""
        text = [{"type": "text", "text": "olá"}]
        answer = {"type": "answer", "block_id": "b", "name": "n", "value": "v", "label": "l"}
        id = f"f{self._rng.randrange(50)}"
        return self._rng.choice(
            [
                {
                    "type": "message",
                    "id": id,
                    "content": [*text, answer],
                    "tools": [{"name": "t", "parameters": {}}],
                },
                {"type": "cancel", "id": id, "run_id": "run_1"},
                {
                    "type": "resume",
                    "id": id,
                    "entries": [{"interrupt_id": "int_1", "status": "resolved", "payload": {}}],
                },
                {"type": "tool_result", "id": id, "tool_call_id": "cal_1", "content": "{}"},
                {"type": "feedback", "id": id, "message_id": "msg_1", "value": "up"},
                {"type": "typing"},
            ]
        )

    def _run(self) -> Any:
        number = self._rng.randrange(20)
        said: list[Any] = [{"id": f"m{number}", "role": "user", "content": "olá"}]
        said += self._rng.choice([[], [{"id": "a", "role": "assistant", "content": "x", "toolCalls": []}]])
        said += self._rng.choice([[], [{"id": "t", "role": "tool", "toolCallId": "c", "content": "1"}]])
        said += self._rng.choice(
            [[], [{"id": f"n{number}", "role": "user", "content": [{"type": "text", "text": "a"}]}]]
        )
        tools = [{"name": "t", "description": "d", "parameters": {"type": "object"}}]
        resume = [{"interruptId": "int_1", "status": "resolved", "payload": {"a": 1}}]
        run = {
            "threadId": f"t{number % 3}",
            "runId": f"r{number}",
            "messages": said,
            "state": {},
            "context": [],
        }
        return {**run, "forwardedProps": {}, **self._rng.choice([{}, {"tools": tools}, {"resume": resume}])}

    def written(self, body: Any) -> bytes:
        """Write a body as JSON, with up to three things wrong."""
        rng, literals, self._repeated = self._rng, [], 0
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
            body = self._wrong(body, literals)
        text = json.dumps(body)
        for number, literal in enumerate(literals):
            text = text.replace(f'"literal {number}"', literal)
        raw = text.encode("utf-8", "surrogatepass")
        if raw and rng.random() < 0.1:
            at = rng.randrange(len(raw))
            raw = rng.choice(
                [
                    raw[:at],
                    raw[at:],
                    raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :],
                    raw + raw,
                    b"\xff" + raw,
                ]
            )
        return raw

    def _wrong(self, value: Any, literals: list[str]) -> Any:
        """Change one thing somewhere in a value."""
        rng = self._rng
        if isinstance(value, dict) and value and rng.random() < 0.8:
            name = rng.choice(list(value))
            changed = dict(value)
            match rng.randrange(5):
                case 0:
                    del changed[name]
                case 1:
                    changed[self._text()] = changed.pop(name)
                case _:
                    changed[name] = self._wrong(value[name], literals)
            return changed
        if isinstance(value, list) and value and rng.random() < 0.8:
            at = rng.randrange(len(value))
            changed = [*value[:at], self._wrong(value[at], literals), *value[at + 1 :]]
            times, self._repeated = rng.choice([1, 1, 1, 2, 40, 400]), self._repeated + 1
            return changed * times if self._repeated == 1 else changed
        if rng.random() < 0.3:
            literals.append(rng.choice(LITERALS))
            return f"literal {len(literals) - 1}"
        return rng.choice([self._text(), rng.choice(VALUES), [value], {"a": value}])

    def _text(self) -> str:
        return self._rng.choice(TEXTS)

    def _path(self) -> str:
        """Return an address: a known one, with odd parts and an odd query."""
        rng = self._rng
        session = self._known.session if rng.random() < 0.6 else rng.choice(TEXTS)
        names = {
            "session": session,
            "item": rng.choice(TEXTS),
            "text": rng.choice(TEXTS),
            "service": rng.choice(["chat", *TEXTS]),
        }
        self.route = rng.choice(PATHS)
        path = self.route.format(**names)
        if rng.random() < 0.5:
            pairs = [(rng.choice(QUERIES), self._asked()) for _ in range(rng.choice([1, 1, 2, 50]))]
            path += "?" + "&".join(f"{name}={value}" for name, value in pairs)
        quoted = "".join(each if " " < each < "\x7f" else _escaped(each) for each in path)
        return (
            rng.choice(["/" + quoted, quoted + "%", f"http://{self._host}{quoted}"])
            if rng.random() < 0.05
            else quoted
        )

    def _address(self) -> str:
        """Return an address: mostly a new one, which no limit has refused yet."""
        rng = self._rng
        fresh = f"10.69.{rng.randrange(256)}.{rng.randrange(256)}"
        return fresh if rng.random() < 0.7 else rng.choice(ADDRESSES)

    def _asked(self) -> str:
        """Return a value of a query: an odd text, or a number with some digits too many."""
        rng = self._rng
        number = "0" * rng.randrange(6) + str(rng.randrange(120)) + "9" * rng.choice([0, 0, 3, 30, 5_000])
        return rng.choice([number, rng.choice(TEXTS)])

    def _framed(
        self, method: str, path: str, raw: bytes, about: Sequence[tuple[str, str]] = (JSON,)
    ) -> bytes:
        """Put a head before a body; what the head says of it is not always true."""
        rng = self._rng
        headers = [
            ("Host", self._host),
            ("X-Forwarded-For", self._address()),
            ("Cookie", self._cookie()),
        ]
        headers += about if raw else []
        if rng.random() < 0.5:
            headers.append(("Authorization", f"Bearer {rng.choice([self._known.ticket, *TEXTS])}"))
        for _ in range(rng.choice([0, 0, 1, 2])):
            headers.append(self._odd_header())
        chunked, self.whole = bool(raw) and rng.random() < 0.2, True
        if chunked:
            headers.append(("Transfer-Encoding", "chunked"))
            raw = b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in _cut(raw, rng))
            self.whole = rng.random() < 0.9
            raw += b"0\r\n\r\n" if self.whole else b""
        elif raw or rng.random() < 0.1:
            self.whole = rng.random() < 0.95
            wrong = rng.choice([str(len(raw) + 5), str(len(raw) // 2), "-1", "x", "9" * 30, "1, 2"])
            headers.append(("Content-Length", str(len(raw)) if self.whole else wrong))
        rng.shuffle(headers)
        lines = [f"{name}: {value}" for name, value in headers]
        version = "HTTP/1.1" if rng.random() < 0.98 else rng.choice(["HTTP/1.0", "HTTP/2.0", "HTTP/1.9", ""])
        head = "\r\n".join([f"{method} {path} {version}", *lines, "", ""])
        return head.encode("utf-8", "replace") + raw

    def _cookie(self) -> str:
        rng = self._rng
        odd = rng.choice(
            [
                'a="\\"\\101"',
                "language=" + "x" * 300,
                "theme=dark",
                "clock=" + "9" * 50,
                ";;;",
                "=",
                "language=é",
            ]
        )
        return rng.choice([self._known.cookie, f"{self._known.cookie}; {odd}", odd, self._known.cookie + "x"])

    def _odd_header(self) -> tuple[str, str]:
        rng = self._rng
        name = rng.choice(
            ["Origin", "Host", "Sec-Fetch-Site", "Accept-Language", "Last-Event-Id", "Content-Encoding", "Expect",
             "Upgrade", "Connection", "Accept", "X-Forwarded-Proto", "Range", "If-None-Match", "If-Modified-Since",
             "Hx-Current-Url", "X-Odd"]
        )  # fmt: skip
        odd = [
            "null",
            "gzip",
            "100-continue",
            "websocket",
            "bytes=0-99999999999999999999",
            "https",
            "epoch-99999999999999999999",
            "*",
        ]
        value = rng.choice([*odd, *TEXTS, f"http://{self._host}", ",".join(["pt"] * 500)])
        return name, "".join(each for each in value if each not in "\r\n\0")


def _escaped(character: str) -> str:
    return "".join(f"%{each:02x}" for each in character.encode("utf-8", "surrogatepass"))


def _cut(raw: bytes, rng: Random) -> list[bytes]:
    size = rng.choice([1, 7, 1000, len(raw)])
    return [raw[at : at + size] for at in range(0, min(len(raw), 3000 * size), size)]
