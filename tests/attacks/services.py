"""Attacks on the paths of services, whose bodies may have ten megabytes: values without end, and odd forms."""

from __future__ import annotations

import json
from functools import cache

from tests.attacks.attack import Attack, Headers, Target
from tests.attacks.fuzz import visitor

LARGE = 9_900_000
PATHS = ("/chat", "/loopos_ai_c2c_descriptor", "/loopos_ai_translator")
BOUNDARY = b"b" * 32
FORM: Headers = [("Content-Type", f"multipart/form-data; boundary={BOUNDARY.decode()}")]


@cache
def keys() -> bytes:
    """Return an object of ten megabytes."""
    return b"{" + b",".join(b'"%x":1' % each for each in range(850_000)) + b"}"


def elements(unit: bytes, size: int = LARGE) -> bytes:
    """Return a list of so many bytes, of this element."""
    return b"[" + b",".join([unit] * (size // (len(unit) + 1))) + b"]"


def part(name: bytes, value: bytes, *, picture: bool = False) -> bytes:
    """Return a part of a form."""
    about = b'; filename="a.png"\r\nContent-Type: image/png' if picture else b""
    head = b"--" + BOUNDARY + b'\r\nContent-Disposition: form-data; name="' + name + b'"' + about
    return head + b"\r\n\r\n" + value + b"\r\n"


def form(*parts: bytes) -> bytes:
    """Return a form of these parts."""
    return b"".join(parts) + b"--" + BOUNDARY + b"--\r\n"


class ManyValues(Attack):
    """JSON of ten megabytes with as many values as it can hold, in known fields and in unknown ones."""

    name = "services many values"
    in_suite = True

    def bodies(self) -> list[bytes]:
        """Return them: what a parser makes objects of, and what a count of it has to read."""
        few = elements(b"0", 31_000)
        return [
            keys(),
            b'{"messages":' + elements(b"0") + b"}",
            b'{"messages":' + few + b"}",
            b'{"session_extra_data":' + keys() + b"}",
            b'{"images":' + elements(b'""') + b"}",
            b'{"messages":' + elements(b'{"role":"user","text":"a"}') + b"}",
            b"[" * 16_001 + b'"' + b'\\"' * 4_900_000,
            b'{"a":"' + b"," * 50_000 + b'\\\\"}' + b'"\\' * 3_000_000,
        ]

    def strike(self, target: Target) -> None:
        """Post them in turn, each at least once."""
        chosen, turn = self.bodies(), 0
        while turn < len(chosen) or not target.over:
            body, path = chosen[turn % len(chosen)], PATHS[turn // len(chosen) % len(PATHS)]
            target.request("POST", path, body, address=f"10.66.{20 + turn % 200}.1")
            turn += 1


class CostlyFields(Attack):
    """JSON whose judgement or lookups cost more than its bytes: paths, deep lists, wrong values, returns, words."""

    name = "services costly fields"
    in_suite = True

    def bodies(self) -> list[tuple[str, bytes]]:
        """Return each with its service."""
        letters = "".join(map(chr, (*range(97, 123), *range(0x3B1, 0x3CA), *range(0x430, 0x44D))))
        paths = [">".join(letters[each:] + letters[:each]) for each in range(20)]
        node = {"name": "a", "description": "b", "parent_categories": paths}
        generator = {"node_type": "category", "node_context": node, "language": "en"}
        decision = {"prompt": "a", "options": paths, "item_context": "a"}
        deep = b"[" * 180 + elements(b"1", 31_000) + b"]" * 180
        towers = elements(b"[" * 150 + b"1" + b"]" * 150, 31_000)
        item = (
            b'{"agent_specific":{"category":"a","loopos_item":{"item":{"a":'
            + elements(b"[]", 23_000)
            + b"}}}}"
        )
        texts = b"{" + b",".join(b'"%x":1' % each for each in range(15_900)) + b"}"
        translator = b'{"source_locale":"en","target_locale":"pt","context":"c","data":' + texts + b"}"
        brands = b'{"agent_specific":{"category":"a"},"session_extra_data":{"a":'
        return [
            ("protocol_generator", json.dumps(generator).encode()),
            ("decision", json.dumps(decision).encode()),
            ("brands_generator", brands + deep + b"}}"),
            ("brands_generator", brands + towers + b"}}"),
            ("brands_generator", item),
            ("translator", translator),
            ("brands_generator", b'{"zzz":"' + b"\\r" * 4_900_000 + b'"}'),
            ("c2c_descriptor", b'{"error":"' + b"\\u0001" * 1_600_000 + b'"}'),
            *self.words(),
        ]

    def words(self) -> list[tuple[str, bytes]]:
        """Return texts of the greatest lengths that the demo model judges by patterns, in folded letters."""
        small, ligatures = "pequeno " * 1_000, "\ufdfa" * 8_000
        options = [f"{each} {ligatures}"[:1_000] for each in range(100)]
        decision = {
            "prompt": "is it broken",
            "options": ["yes", "no"],
            "item_context": small,
            "context": small,
        }
        many = decision | {"options": options, "item_context": ligatures, "context": ligatures}
        listing = {"marketplace_posting_description": "9 " * 4_000}
        seller = {"images": [], "agent_specific": {"user_description": small}}
        texts = {str(each): ligatures for each in range(7)}
        translator = {"source_locale": "en", "target_locale": "pt", "context": "c", "data": texts}
        bodies = [
            ("decision", decision),
            ("decision", many),
            ("c2c_validation", {"agent_specific": listing}),
            ("c2c_descriptor", seller),
            ("translator", translator),
        ]
        return [(service, json.dumps(body).encode()) for service, body in bodies]

    def strike(self, target: Target) -> None:
        """Post them in turn, each at least once."""
        chosen, turn = self.bodies(), 0
        while turn < len(chosen) or not target.over:
            service, body = chosen[turn % len(chosen)]
            target.request("POST", f"/loopos_ai_{service}", body, address=f"10.73.{20 + turn % 200}.1")
            turn += 1


class Forms(Attack):
    """Forms of ten megabytes: near boundaries, parts without end, fields of JSON, a picture of fill bytes."""

    name = "services forms"
    in_suite = True

    def bodies(self) -> list[bytes]:
        """Return them."""
        near = b"\r\n--" + BOUNDARY[:-1] + b"x"
        message = b'{"role":"user","text":"a","x":' + elements(b"0", 900_000) + b"}"
        says = part(b"message1", b'{"role":"user","text":"a"}')
        return [
            form(says, part(b"files", b"\xff\xd8" + b"\xff" * LARGE, picture=True)),
            form(part(b"files", b"\r\n-" * 3_200_000, picture=True)),
            form(part(b"files", near * 270_000, picture=True)),
            form(part(b"message1", message)),
            form(*(part(b"message%d" % each, elements(b"0", 60_000)) for each in range(150))),
            form(*(part(b"m%d" % each, b"") for each in range(90_000))),
        ]

    def strike(self, target: Target) -> None:
        """Post them in turn, each at least once."""
        chosen, turn = self.bodies(), 0
        while turn < len(chosen) or not target.over:
            body = chosen[turn % len(chosen)]
            head = target.head("POST", "/chat", FORM, length=len(body), address=f"10.67.{20 + turn % 200}.1")
            target.exchange(head + body)
            turn += 1


class Charsets(Attack):
    """Forms that name the codec of their fields: one whose work grows by the square, and those that raise."""

    name = "services charset"
    in_suite = True

    def strike(self, target: Target) -> None:
        """Post them at each door that reads a form, from a new visitor each time; each comes at least once."""
        slow = form(*(part(b"x-", b"-" + b"a" * 1_000_000) for _ in range(9)))
        raised = form(part(b"x-", b"a..b"))
        kinds = [(slow, "punycode"), (raised, "punycode"), (raised, "undefined"), (raised, "idna")]
        turn = 0
        while turn < 12 or not target.over:
            body, charset = kinds[turn % len(kinds)]
            known = visitor(target, turn, network="10.71")
            doors = ("/chat", "/services/decision", f"/v1/sessions/{known.session}/files")
            path = doors[turn // len(kinds) % len(doors)]
            kind = ("Content-Type", f"{FORM[0][1]}; charset={charset}")
            headers = [kind, ("Cookie", known.cookie), ("Origin", target.url)]
            address = f"10.72.{turn // 250 % 250}.{turn % 250}"
            head = target.head("POST", path, headers, length=len(body), address=address)
            target.exchange(head + body)
            turn += 1

    def check(self, target: Target) -> None:
        """Require that the charset is refused at all."""
        if not target.statuses[415]:
            target.faults.append(f"no form was refused for its charset: {dict(target.statuses)}")


class Semicolons(Attack):
    """Forms whose heads are parameters without end: that of the request, and those of their parts."""

    name = "services semicolons"
    in_suite = True

    def strike(self, target: Target) -> None:
        """Post them at each door that reads a form, from one address, which the rate soon refuses."""
        long = ("Content-Type", "multipart/form-data" + ";" * 30_000)
        disposition = b'a"' + b";" * 4_000 + b'"'
        deep = form(*(part(disposition, b"") for _ in range(900)))
        turn = 0
        while turn < 8 or not target.over:
            path = ("/services/decision", "/chat")[turn % 2]
            body, kind = ((b"", long), (deep, FORM[0]))[turn // 2 % 2]
            head = target.head("POST", path, [kind], length=len(body), address="10.75.1.1")
            target.exchange(head + body)
            turn += 1

    def check(self, target: Target) -> None:
        """Require that the long type is refused for its length."""
        if not target.statuses[415]:
            target.faults.append(f"no form was refused for its type: {dict(target.statuses)}")
