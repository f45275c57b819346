"""Forms made by chance from what browsers send: multipart and urlencoded, with charsets, heads and ends that are wrong.

The same seed gives the same forms. A boundary is none, or part of a value; a part has no head, no name, or too many
lines; a form is cut off, nested in itself, or names the codec in which it wants to be read.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from urllib.parse import quote_plus

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DOORS = ("/chat", "/services/{service}", "/v1/sessions/{session}/files", "/inbox/sign-in")
"""The routes that read forms."""

FIELDS = {
    "/chat": (
        "message1",
        "message2",
        "messages",
        "images",
        "service",
        "session_id",
        "language",
        "callback_url",
    ),
    "/services/{service}": ("prompt", "options", "item_context", "agent_specific.doc_type", "images"),
    "/v1/sessions/{session}/files": ("files", "file"),
    "/inbox/sign-in": ("name", "password"),
}
HONEST = {
    "/chat": {
        "message1": b'{"role":"user","text":"ol\xc3\xa1"}',
        "loopos_core_base_url": b"https://core.example/",
        "loopos_submission_base_url": b"https://submission.example/",
    },
    "/services/{service}": {"prompt": b"Which?", "options": b"A\r\nB"},
    "/v1/sessions/{session}/files": {},
    "/inbox/sign-in": {"name": b"Ana", "password": b"correct horse battery"},
}
"""What each route takes; of a form that has it, the rest is made by chance."""
VALUES = [
    b'{"role":"user","text":"ol\xc3\xa1"}', b'[{"role":"user","text":"a"}]', b"Which?", b"A\r\nB", b"null",
    b"[object Object]", b"", b"pt", b"-" + b"a" * 3_000, b"a..b", b"\xff\xfe", b"\0", b"{", b"[" * 500, b"9" * 5_000,
    PIXEL,
    b"data:image/png;base64,AAAA", b"https://a.example/a.png,data:,", b"\r\n--", b"\r\n-" * 900, b"\xed\xa0\x80",
]  # fmt: skip
CHARSETS = [
    "utf-8", "UTF-8", '"utf-8"', "us-ascii", "punycode", "undefined", "idna", "utf-7", "utf-16", "latin-1", "rot13",
    "zlib", "", "x" * 200, "utf-8; charset=punycode", "unicode_escape", "mbcs", "../x", '"',
]  # fmt: skip
BOUNDARIES = [
    "b" * 32,
    "x",
    "",
    "-",
    "--",
    "b" * 70,
    "b" * 300,
    '"a b"',
    '"a;b"',
    "a\\",
    '"',
    "é",
    "b\t",
    "'()+_,-./:=?",
]
FILE_NAMES = [
    "a.png", "", "../../a", "C:\\a\\b.png", '\\"', 'a"; name="b', "\0", "é", "\ud800", "x" * 4_000, "%22", "a\r\n b",
    ";",
]  # fmt: skip
LINES = [
    b"Content-Type: image/png", b"Content-Type: text/plain; charset=punycode",
    b"Content-Type: multipart/mixed; boundary=x",
    b"Content-Transfer-Encoding: base64", b"Content-Disposition: attachment", b"Content-Disposition:",
    b"Content-Length: 99999999999", b"no colon", b": x", b"X: " + b"y" * 5_000, b"X" * 5_000 + b": y", b" folded",
    b"\xff: \xff",
    b"Content-Disposition: form-data; name*=punycode''a..b", b"Content-Disposition: form-data; name*0=a; name*1=b",
]  # fmt: skip


class GeneratedForms:
    """Generates bodies, each with its `Content-Type`."""

    def __init__(self, rng: Random) -> None:
        """Generate from this chance, `rng`."""
        self._rng = rng

    def next(self, door: str) -> tuple[str, bytes]:
        """Make a form for one of DOORS."""
        rng = self._rng
        names, honest = FIELDS[door], HONEST[door] if rng.random() < 0.4 else {}
        if rng.random() < (0.8 if door == "/inbox/sign-in" else 0.2):
            kind, body = "application/x-www-form-urlencoded", self._urlencoded(names, honest)
        else:
            boundary = BOUNDARIES[0] if rng.random() < 0.7 else rng.choice(BOUNDARIES)
            kind = "multipart/form-data" + (f"; boundary={boundary}" if rng.random() < 0.97 else "")
            body = self._multipart(boundary.strip('"').encode(), names, 0, honest)
        if rng.random() < 0.3:
            kind += f"; charset={rng.choice(CHARSETS)}"
        return kind, self._cut(body)

    def _urlencoded(self, names: Sequence[str], honest: Mapping[str, bytes]) -> bytes:
        rng = self._rng
        pairs = [f"{name}={quote_plus(value)}".encode() for name, value in honest.items()]
        if pairs and rng.random() < 0.5:
            return b"&".join(pairs)
        for _ in range(rng.choice([1, 2, 2, 3, 4, 5, 300])):
            value = rng.choice(VALUES)
            written = quote_plus(value).encode() if rng.random() < 0.8 else value
            pairs.append(
                rng.choice([*names, "_charset_", ""]).encode() + rng.choice([b"=", b"=", b"=", b""]) + written
            )
        joined = rng.choice([b"&", b"&", b"&", b";", b"&&"]).join(pairs)
        return joined + rng.choice([b"", b"", b"%", b"%zz", b"%ff%fe", b"&" * 2_000, b"=", b"+", b"%00"])

    def _multipart(
        self,
        boundary: bytes,
        names: Sequence[str],
        depth: int,
        honest: Mapping[str, bytes] = MappingProxyType({}),
    ) -> bytes:
        rng = self._rng
        written = [_field(boundary, name, value) for name, value in honest.items()]
        if written and rng.random() < 0.5:
            return b"".join(written) + b"--" + boundary + b"--\r\n"
        end = b"\n" if rng.random() < 0.05 else b"\r\n"
        count = rng.choice([0, 1, 1, 2, 2, 3, 9]) if depth or rng.random() < 0.98 else 1_100
        parts = [self._part(boundary, names, end, depth) for _ in range(count)]
        before = rng.choice([b"", b"", b"", b"", b"preamble" + end, end, b"-" * 200])
        last = rng.choice([b"--" + end, b"--" + end, b"--", b"", end, b"--" + end + b"epilogue" * 20])
        return before + b"".join([*written, *parts]) + b"--" + boundary + last

    def _part(self, boundary: bytes, names: Sequence[str], end: bytes, depth: int) -> bytes:
        rng = self._rng
        lines = [self._disposition(names)] if rng.random() < 0.9 else []
        lines += [rng.choice(LINES) for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 12]))]
        rng.shuffle(lines)
        value = rng.choice(VALUES)
        if rng.random() < 0.1 and depth < 3:
            value = self._multipart(rng.choice([boundary, b"inner"]), names, depth + 1)
        elif rng.random() < 0.05:
            value = rng.choice([end + b"--" + boundary[:-1] + b"y", value]) * 300
        head = end.join([*lines, b"", b""]) if rng.random() < 0.95 else b"".join(lines)
        return b"--" + boundary + end + head + value + end

    def _disposition(self, names: Sequence[str]) -> bytes:
        rng = self._rng
        name = (
            rng.choice(names)
            if rng.random() < 0.8
            else rng.choice(["", "_charset_", "a" * 4_000, "é", "x-", "message99999"])
        )
        text = f'form-data; name="{name}"' if rng.random() < 0.95 else "form-data"
        if name in ("files", "file", "images") or rng.random() < 0.2:
            text += f'; filename="{FILE_NAMES[0] if rng.random() < 0.5 else rng.choice(FILE_NAMES)}"'
        return b"Content-Disposition: " + text.encode("utf-8", "surrogatepass")

    def _cut(self, body: bytes) -> bytes:
        """Cut a form off, double it or change a byte of it, once in a while."""
        rng = self._rng
        if not body or rng.random() < 0.8:
            return body
        at = rng.randrange(len(body))
        changed = body[:at] + bytes([rng.randrange(256)]) + body[at + 1 :]
        return rng.choice([body[:at], body[at:], body + body, changed])


def _field(boundary: bytes, name: str, value: bytes) -> bytes:
    head = b'--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n' % (boundary, name.encode())
    return head + value + b"\r\n"
