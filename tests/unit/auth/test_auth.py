"""Grants: signatures, one use, time, origin; every refusal looks the same."""

import hmac
import json
import time
from dataclasses import replace
from typing import Any

import jwt
import pytest

from server.auth import (
    COOKIE,
    SECURE_COOKIE,
    Grant,
    Origins,
    ResumeTokens,
    Tickets,
    Visitors,
    cookie_name,
    headers_of,
    is_loopback,
    names_one_host,
)
from server.bus import BusDown
from server.errors import Forbidden, ForeignOrigin, LoopwireError, TwoVisitors, Unauthorized

GRANT = Grant("ses_1", "vis_1", "https://a.example", "pt")
WHOLE = Grant(
    *("ses_1", "usr_1", "https://a.example", "pt", "reader", "shop", "chat", "en", "jti_1"),
    *(5, 4_000_000_000, "t"),
)
"""A grant in which every field says something."""
SECRET = b"s" * 32
KEY = hmac.digest(SECRET, b"resume token", "sha256")
"""The key of resume tokens: with another derivation, all tokens that clients hold would be void."""


class Shelf:
    """A place for values that are taken once; it can be out of reach."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.alone: dict[str, bytes] = {}
        """What this instance keeps without the others."""
        self.down = False
        self.cut = False
        """The answers are lost: what was put is kept all the same."""

    async def put(self, key: str, value: bytes, *, seconds: int) -> None:
        if self.down:
            raise BusDown
        assert seconds == 30
        self.kept[key] = value
        if self.cut:
            raise BusDown

    def keep(self, key: str, value: bytes, *, seconds: int) -> None:
        if self.down:
            raise BusDown
        assert seconds == 30
        self.alone[key] = value

    async def read(self, key: str) -> bytes | None:
        if self.down:
            raise BusDown
        return self.alone.get(key) or self.kept.get(key)

    async def pop(self, key: str) -> bytes | None:
        if self.down:
            raise BusDown
        return self.alone.pop(key, None) or self.kept.pop(key, None)


def test_a_visitor_is_known_by_a_cookie_that_only_we_can_make() -> None:
    visitors = Visitors(SECRET)
    principal = visitors.new()
    cookie = visitors.sign(principal)
    assert visitors.read(cookie) == principal
    forged = [None, "", ".", "vis_a", "vis_a.", cookie[:-1], cookie + "x", "é." + cookie, f"{principal}.é"]
    forged += [Visitors(b"t" * 32).sign(principal), visitors.sign("usr_1"), "x" * 5000]
    forged += [visitors.sign("vis_a.b")]
    assert [visitors.read(each) for each in forged] == [None] * len(forged)


def test_only_the_host_prefixed_cookie_counts_when_cookies_are_secure() -> None:
    visitors = Visitors(SECRET)
    own, planted = visitors.new(), visitors.new()
    header = f"{COOKIE}={visitors.sign(planted)}; {SECURE_COOKIE}={visitors.sign(own)}"
    assert visitors.visitor_of(header, secure=True) == own
    assert visitors.visitor_of(header, secure=False) == planted
    assert visitors.visitor_of(f"{COOKIE}={visitors.sign(planted)}", secure=True) is None
    assert SECURE_COOKIE.startswith("__Host-")


@pytest.mark.parametrize("secure", [True, False])
def test_forged_cookies_are_ignored_and_cookies_of_two_visitors_are_refused(
    secure: bool,
) -> None:
    visitors, name = Visitors(SECRET), cookie_name(secure=secure)
    own, planted = (visitors.sign(visitors.new()) for _ in "ab")
    forged = Visitors(b"t" * 32).sign(visitors.new())
    for values in ([own], [own, own], [forged, own], [own, forged, "", "x=y"]):
        header = "; ".join(["language=pt", *(f"{name}={each}" for each in values), "theme=dark"])
        assert visitors.visitor_of(header, secure=secure) == visitors.read(own)
    for values in ([own, planted], [planted, own], [forged, own, planted]):
        with pytest.raises(TwoVisitors):
            visitors.visitor_of("; ".join(f"{name}={each}" for each in values), secure=secure)
    for header in (
        "",
        ";",
        "=",
        name,
        f"{name}=",
        f"x{name}={own}",
        f"{name}={forged}",
        f'{name}="{own}"',
        "é",
    ):
        assert visitors.visitor_of(header, secure=secure) is None


async def test_a_ticket_works_once_and_is_kept_only_as_a_hash() -> None:
    shelf = Shelf()
    tickets = Tickets(shelf)
    ticket = await tickets.issue(GRANT)
    assert len(ticket) == 43, "32 bytes in base64"
    assert ticket not in str(shelf.kept)
    assert await tickets.redeem(ticket, GRANT.origin) == GRANT
    for again in (ticket, "", "x" * 256):
        with pytest.raises(Unauthorized):
            await tickets.redeem(again, GRANT.origin)


@pytest.mark.parametrize("origin", [None, "https://b.example", "null"])
async def test_a_ticket_is_worth_nothing_on_another_origin(origin: str | None) -> None:
    tickets = Tickets(Shelf())
    ticket = await tickets.issue(GRANT)
    with pytest.raises(Forbidden):
        await tickets.redeem(ticket, origin)
    with pytest.raises(Unauthorized):
        await tickets.redeem(ticket, GRANT.origin)


async def test_a_ticket_that_cannot_be_kept_is_not_given() -> None:
    shelf = Shelf()
    shelf.down = True
    with pytest.raises(BusDown):
        await Tickets(shelf).issue(GRANT)


async def test_a_ticket_whose_keeping_was_not_confirmed_is_never_given_and_another_is_kept_here() -> None:
    shelf = Shelf()
    shelf.cut = True
    tickets = Tickets(shelf)
    ticket = await tickets.issue(GRANT)
    assert len(ticket) == 43
    ((given, value),) = shelf.alone.items()
    assert given not in shelf.kept, "it would work twice"
    assert list(shelf.kept.values()) == [value]
    assert await tickets.redeem(ticket, GRANT.origin) == GRANT
    with pytest.raises(Unauthorized):
        await tickets.redeem(ticket, GRANT.origin)


async def test_a_ticket_that_was_used_for_nothing_works_once_more_and_is_lost_with_redis_away() -> None:
    shelf = Shelf()
    tickets = Tickets(shelf)
    ticket = await tickets.issue(WHOLE)
    assert await tickets.redeem(ticket, WHOLE.origin) == WHOLE
    await tickets.give_back(ticket, WHOLE)
    assert await tickets.redeem(ticket, WHOLE.origin) == WHOLE
    shelf.down = True
    await tickets.give_back(ticket, WHOLE)
    shelf.down = False
    with pytest.raises(Unauthorized):
        await tickets.redeem(ticket, WHOLE.origin)


async def test_an_instance_of_an_earlier_version_reads_a_ticket_of_a_visitor() -> None:
    """It knows none of the newer fields, and refuses a ticket that has one."""
    shelf = Shelf()
    await Tickets(shelf).issue(GRANT)
    await Tickets(shelf).issue(WHOLE)
    first, second = (json.loads(each) for each in shelf.kept.values())
    assert not {"identity", "since", "until", "trace"} & first.keys()
    assert {"reader": "", "app": "", "service": "", "spoken": ""}.items() <= first.items()
    assert {"identity": "jti_1", "since": 5, "until": 4_000_000_000, "trace": "t"}.items() <= second.items()


def claims(**changes: Any) -> dict[str, Any]:
    now = int(time.time())
    made = {"iss": "loopwire", "aud": "loopwire.resume", "sub": "vis_1", "sid": "ses_1", "jti": "j"}
    made |= {"org": GRANT.origin, "lng": "pt", "iat": now, "exp": now + 60}
    return {key: value for key, value in (made | changes).items() if value is not None}


def test_a_resume_token_brings_its_grant_back() -> None:
    tokens = ResumeTokens(SECRET)
    assert tokens.verify(tokens.issue(GRANT), GRANT.origin) == GRANT
    with pytest.raises(Forbidden):
        tokens.verify(tokens.issue(GRANT), "https://b.example")
    with pytest.raises(Unauthorized):
        ResumeTokens(b"t" * 32).verify(tokens.issue(GRANT), GRANT.origin)
    assert tokens.verify(tokens.issue(WHOLE), WHOLE.origin) == replace(WHOLE, trace="")
    assert tokens.issue(GRANT) != tokens.issue(GRANT)


@pytest.mark.parametrize(("for_caller", "seconds"), [(False, 15 * 60), (True, 30 * 24 * 3600)])
def test_a_token_counts_for_its_time_and_not_longer_than_the_identity_of_its_user(
    for_caller: bool, seconds: int
) -> None:
    tokens = ResumeTokens(SECRET)

    def lifetime(grant: Grant) -> int:
        token = tokens.issue(grant, for_caller=for_caller)
        assert tokens.verify(token, grant.origin) == replace(grant, trace="")
        said = jwt.decode(token, options={"verify_signature": False})
        assert said["exp"] - said["iat"] <= seconds
        return int(said["exp"])

    soon = int(time.time()) + 60
    assert lifetime(replace(WHOLE, until=soon)) == soon
    for grant in (GRANT, WHOLE):
        before = int(time.time())
        assert before + seconds <= lifetime(grant) <= int(time.time()) + seconds


def test_a_token_of_a_visitor_says_nothing_of_an_identity_or_of_a_caller() -> None:
    """An instance of an earlier version reads it, and it counts for no longer than a visitor's does."""
    said = jwt.decode(ResumeTokens(SECRET).issue(GRANT), options={"verify_signature": False})
    assert not {"use", "idn", "snc", "unt"} & said.keys()


def bad_claims(now: int) -> list[dict[str, Any]]:
    """Return what no token may say at this time."""
    return [
        {"exp": now - 3600},
        {"exp": None},
        {"exp": "soon"},
        {"iat": now + 3600},
        {"nbf": now + 3600},
        {"aud": "other"},
        {"iss": "other"},
        {"jti": None},
        {"sub": 5},
        {"sid": None},
        {"sid": 5},
        {"exp": 10**30},
        {"exp": now + 16 * 60, "iat": now},
        {"exp": now, "iat": now},
        {"exp": now - 5, "iat": now - 60},
        {"exp": now + 31 * 24 * 3600, "use": "caller"},
        {"use": "other"},
        {"exp": float("inf")},
        {"exp": now + 60.5},
        {"exp": str(now + 60)},
        {"exp": now - 1, "iat": now},
        {"iat": True},
        {"iat": now - 3600},
        {"iat": float("nan")},
        {"iat": -(10**30)},
        {"aud": ["loopwire.resume"]},
        {"aud": ["loopwire.resume", "other"]},
        {"iss": ["loopwire"]},
        {"jti": 5},
        {"sid": ""},
        {"sub": ""},
        {"org": 5},
        {"org": [GRANT.origin]},
        {"lng": ["pt"]},
        {"rdr": {"a": "b"}},
        {"app": True},
        {"svc": 1},
        {"spk": []},
    ]


# No time is taken when tests are collected: theirs may come much later, and the names are those of every process.
@pytest.mark.parametrize("number", range(len(bad_claims(0))), ids=map("+".join, bad_claims(0)))
def test_a_token_with_wrong_claims_is_refused(number: int) -> None:
    tokens, changes = ResumeTokens(SECRET), bad_claims(int(time.time()))[number]
    # No `jwt.encode`: that looks at the claims itself.
    token = jwt.PyJWS().encode(json.dumps(claims(**changes)).encode(), KEY, algorithm="HS256")
    with pytest.raises(Unauthorized):
        tokens.verify(token, GRANT.origin)


def test_a_token_of_another_making_is_refused_and_a_little_late_is_not() -> None:
    tokens = ResumeTokens(SECRET)
    longer = KEY * 2
    made = [
        jwt.encode(claims(), None, algorithm="none"),
        jwt.encode(claims(), longer, algorithm="HS512"),
        jwt.encode(claims(), KEY, algorithm="HS256", headers={"crit": ["exp"]}),
        tokens.issue(GRANT)[:-2],
        "",
        "a.b.c",
        "x" * 100_000,
        "\ud800.a.b",
    ]
    for token in made:
        with pytest.raises(Unauthorized):
            tokens.verify(token, GRANT.origin)
    now = int(time.time())
    for begun, ended in ((now - 60, now - 3), (now, now + 1)):
        token = jwt.encode(claims(iat=begun, exp=ended), KEY, algorithm="HS256")
        assert tokens.verify(token, GRANT.origin) == GRANT


@pytest.mark.parametrize("missing", ["exp", "iat"])
def test_a_token_whose_time_is_empty_is_refused(missing: str) -> None:
    token = jwt.PyJWS().encode(json.dumps(claims() | {missing: None}).encode(), KEY, algorithm="HS256")
    with pytest.raises(Unauthorized):
        ResumeTokens(SECRET).verify(token, GRANT.origin)


def test_a_token_has_4096_characters_at_most_though_we_signed_it() -> None:
    tokens = ResumeTokens(SECRET)
    made = [tokens.issue(replace(GRANT, spoken="x" * size)) for size in range(2500, 2900)]
    fits = next(each for each in made if len(each) == 4096)
    assert tokens.verify(fits, GRANT.origin).spoken.startswith("xx")
    longer = next(each for each in made if 4096 < len(each) <= 4098)
    with pytest.raises(Unauthorized):
        tokens.verify(longer, GRANT.origin)


def test_every_refusal_reads_the_same() -> None:
    errors: list[LoopwireError] = []
    tokens = ResumeTokens(SECRET)
    for token in ("", "a.b.c", jwt.encode(claims(exp=1), KEY, algorithm="HS256")):
        with pytest.raises(Unauthorized) as caught:
            tokens.verify(token, None)
        errors.append(caught.value)
    assert len({(each.code, each.message) for each in errors}) == 1


ORIGINS: list[tuple[str, dict[str, str], bool]] = [
    ("ws", {"host": "localhost:8000", "origin": "http://localhost:8000"}, True),
    ("http", {"host": "127.0.0.1", "origin": "http://127.0.0.1:80"}, True),
    ("wss", {"host": "localhost", "origin": "https://localhost"}, True),
    ("wss", {"host": "localhost", "origin": "http://localhost"}, False),
    ("ws", {"host": "localhost:8000"}, True),
    ("ws", {"host": "localhost:8000", "origin": "http://localhost:8001"}, False),
    ("ws", {"host": "localhost:8000", "origin": "https://evil.example"}, False),
    ("ws", {"host": "localhost:8000", "origin": "https://a.example"}, True),
    ("ws", {"host": "localhost:8000", "origin": "https://a.example.evil.example"}, False),
    ("ws", {"host": "localhost:8000", "origin": "http://localhost:80001"}, False),
    ("ws", {"host": "localhost:8000", "origin": "http://localhost:8000.evil.example"}, False),
    ("ws", {"host": "localhost", "origin": "http://localhost.evil.example"}, False),
    ("ws", {"host": "localhost:8000", "origin": "http://localhost"}, False),
    ("ws", {"host": "localhost:8000", "origin": "null"}, False),
    ("ws", {"host": "localhost:8000", "origin": ""}, False),
    ("ws", {"host": "evil.example", "origin": "http://evil.example"}, False),
    ("ws", {"host": "a.example", "origin": "http://a.example"}, True),
    ("ws", {"origin": "http://"}, False),
]


@pytest.mark.parametrize(("scheme", "headers", "accepted"), ORIGINS, ids=str)
def test_requests_are_accepted_from_own_and_allowed_origins_alone(
    scheme: str, headers: dict[str, str], accepted: bool
) -> None:
    origins = Origins(frozenset({"https://a.example"}), loopback=True)
    assert origins.accepts(scheme, headers) is accepted


def test_an_origin_that_is_named_is_written_as_browsers_write_it_and_has_to_be_allowed() -> None:
    origins, headers = Origins(frozenset({"https://a.example"}), loopback=True), {"host": "localhost:8000"}
    assert origins.normalize("http", headers, "HTTPS://A.example:443") == "https://a.example"
    assert origins.normalize("http", headers, "http://localhost:8000") == "http://localhost:8000"
    assert origins.normalize("https", headers, "https://localhost:8000") == "https://localhost:8000"
    with pytest.raises(ForeignOrigin):
        origins.normalize("http", headers, "https://localhost:8000")
    for each in ("https://b.example", "http://a.example", "https://a.example/", "null", "", "a.example", "*"):
        with pytest.raises(ForeignOrigin):
            origins.normalize("http", headers, each)


@pytest.mark.parametrize(
    ("headers", "possible"),
    [
        ({"origin": "https://b.example"}, ("https://b.example",)),
        ({"origin": "https://b.example", "sec-fetch-site": "same-origin"}, ("https://b.example",)),
        ({}, (None, "http://localhost:8000")),
        ({"sec-fetch-site": "same-origin"}, ("http://localhost:8000", "https://a.example")),
        ({"sec-fetch-site": "same-site"}, ()),
        ({"sec-fetch-site": "cross-site"}, ()),
        ({"sec-fetch-site": "none"}, ()),
    ],
)
def test_a_request_may_be_of_the_origins_that_its_browser_does_not_rule_out(
    headers: dict[str, str], possible: tuple[str | None, ...]
) -> None:
    origins = Origins(frozenset({"https://a.example"}), loopback=True)
    assert origins.possible("http", {"host": "localhost:8000", **headers}) == possible


def test_a_request_without_a_host_is_of_no_host_that_has_a_name() -> None:
    origins = Origins(frozenset(), loopback=True)
    assert origins.possible("http", {}) == (None, "http://")


def test_an_origin_is_our_own_only_where_it_is_named_and_not_where_it_is_let_in() -> None:
    origins = Origins(frozenset({"https://a.example"}), loopback=True)
    own = {"host": "localhost:8000", "origin": "http://localhost:8000"}
    assert origins.is_own("http", own)
    assert not origins.is_own("http", {"host": "localhost:8000"})
    assert not origins.is_own("http", {**own, "origin": "https://a.example"})
    assert not origins.is_own("http", {**own, "host": "evil.example", "origin": "http://evil.example"})


async def test_a_ticket_without_an_origin_opens_for_a_program_and_for_any_origin_that_is_let_in() -> None:
    tickets, tokens = Tickets(Shelf()), ResumeTokens(SECRET)
    anybodys = Grant("ses_1", "vis_1", None, "pt")
    for possible in ((None,), ("https://a.example",), (None, "https://b.example")):
        assert await tickets.redeem(await tickets.issue(anybodys), *possible) == anybodys
        assert tokens.verify(tokens.issue(anybodys), *possible) == anybodys
    with pytest.raises(Forbidden):  # A page of another site, whose browser names no origin.
        await tickets.redeem(await tickets.issue(anybodys))


@pytest.mark.parametrize(
    ("hosts", "version", "named"),
    [
        ([b"a.example"], "1.1", True),
        ([b"a.example", b"a.example"], "1.1", False),
        ([b"a.example", b"b.example"], "1.0", False),
        ([b"a b"], "1.1", False),
        ([], "1.1", False),
        ([], "1.0", True),
    ],
)
def test_a_request_names_one_host(hosts: list[bytes], version: str, named: bool) -> None:
    headers = [(b"Origin", b"http://a.example"), *((b"Host", each) for each in hosts)]
    assert names_one_host({"headers": headers, "http_version": version}) is named


def test_a_public_server_answers_to_its_public_names() -> None:
    origins = Origins(frozenset(), loopback=False)
    assert origins.accepts("wss", {"host": "chat.example", "origin": "https://chat.example"})
    assert not origins.accepts("wss", {"host": "chat.example", "origin": "https://evil.example"})


def test_loopback_host_names_are_known_and_lookalikes_are_not() -> None:
    origins = Origins(frozenset(), loopback=True)
    for host in ("localhost", "localhost:1", "127.0.0.1:1", "127.9.9.9", "[::1]:8000", "[::1]", "::1"):
        assert origins.knows_host(host), host
    for host in (
        "",
        "example",
        "10.0.0.1:80",
        "localhost.evil.example",
        "[2001:db8::1]:80",
        "127.0.0.1.nip.io",
        "localhost:",
        "localhost:x",
    ):
        assert not origins.knows_host(host), host
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")


def test_the_first_of_two_headers_of_a_name_counts() -> None:
    scope = {"headers": [(b"Origin", b"https://a.example"), (b"origin", b"https://b.example")]}
    assert headers_of(scope) == {"origin": "https://a.example"}


@pytest.mark.parametrize(
    ("host", "other"),
    [
        ("localhost:8000", "http://127.0.0.1:8000"),
        ("127.0.0.1:8000", "http://localhost:8000"),
        ("localhost", "http://127.0.0.1"),
        ("127.0.0.2:8000", ""),
        ("chat.localhost:8000", ""),
        ("[::1]:8000", ""),
        ("", ""),
    ],
)
def test_this_machine_has_another_name_which_is_another_site(host, other):
    assert Origins(frozenset(), loopback=True).other_site("http", host) == other
    assert Origins(frozenset(), loopback=False).other_site("http", host) == ""
