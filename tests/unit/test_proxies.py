"""The address of a client: trusted proxies are believed, from the right, and no other peer is."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from server.proxies import Proxies, RequestSource, counted_address, counted_client
from server.settings import Settings

PROXY, CDN = "10.0.0.1", "192.0.2.7"
ONE = Proxies.parse(PROXY)
TWO = Proxies.parse(f"{PROXY}, 192.0.2.0/24, fd00::/8")

Lines = list[tuple[str, str]]

SOURCES: list[tuple[str, Proxies, Lines, RequestSource]] = [
    ("nothing is said", ONE, [], RequestSource(PROXY)),
    ("one proxy", ONE, [("x-forwarded-for", "203.0.113.5")], RequestSource("203.0.113.5")),
    (
        "what a client wrote stays left",
        ONE,
        [("x-forwarded-for", "1.1.1.1, 203.0.113.5")],
        RequestSource("203.0.113.5"),
    ),
    ("two proxies", TWO, [("x-forwarded-for", f"1.1.1.1, 203.0.113.5, {CDN}")], RequestSource("203.0.113.5")),
    ("one of two is a stranger", ONE, [("x-forwarded-for", f"203.0.113.5, {CDN}")], RequestSource(CDN)),
    (
        "two lines are one",
        TWO,
        [("x-forwarded-for", "203.0.113.5"), ("x-forwarded-for", CDN)],
        RequestSource("203.0.113.5"),
    ),
    ("only proxies", TWO, [("x-forwarded-for", f"{CDN}, fd00::1")], RequestSource(CDN)),
    (
        "a client that names a proxy",
        ONE,
        [("x-forwarded-for", f"{PROXY}, 203.0.113.5")],
        RequestSource("203.0.113.5"),
    ),
    ("no address", ONE, [("x-forwarded-for", "unknown")], RequestSource(PROXY)),
    ("no address behind one", TWO, [("x-forwarded-for", f"203.0.113.5, _hidden, {CDN}")], RequestSource(CDN)),
    ("nothing between commas", ONE, [("x-forwarded-for", "203.0.113.5, ,")], RequestSource(PROXY)),
    ("with a port", ONE, [("x-forwarded-for", "203.0.113.5:4711")], RequestSource("203.0.113.5")),
    ("IPv6", ONE, [("x-forwarded-for", "2001:db8::5")], RequestSource("2001:db8::5")),
    ("IPv6 with a port", ONE, [("x-forwarded-for", "[2001:db8::5]:4711")], RequestSource("2001:db8::5")),
    ("IPv4 in IPv6", ONE, [("x-forwarded-for", "::ffff:203.0.113.5")], RequestSource("203.0.113.5")),
    (
        "a proxy as IPv4 in IPv6",
        ONE,
        [("x-forwarded-for", f"203.0.113.5, ::ffff:{PROXY}")],
        RequestSource("203.0.113.5"),
    ),
    (
        "https",
        ONE,
        [("x-forwarded-for", "203.0.113.5"), ("x-forwarded-proto", "https")],
        RequestSource("203.0.113.5", "https"),
    ),
    ("https of a socket", ONE, [("x-forwarded-proto", "wss")], RequestSource(PROXY, "https")),
    ("a scheme that is none", ONE, [("x-forwarded-proto", "javascript")], RequestSource(PROXY)),
    (
        "a scheme for each hop",
        TWO,
        [("x-forwarded-for", f"203.0.113.5, {CDN}"), ("x-forwarded-proto", "https, http")],
        RequestSource("203.0.113.5", "https"),
    ),
    (
        "a scheme that a client wrote",
        ONE,
        [("x-forwarded-for", "1.1.1.1, 203.0.113.5"), ("x-forwarded-proto", "https, http")],
        RequestSource("203.0.113.5", "http"),
    ),
    (
        "Forwarded",
        ONE,
        [("forwarded", 'for="203.0.113.5:80";proto=https;by=x')],
        RequestSource("203.0.113.5", "https"),
    ),
    (
        "Forwarded, several",
        TWO,
        [("forwarded", f'for=1.1.1.1, For="[2001:db8::5]:1", for={CDN}')],
        RequestSource("2001:db8::5"),
    ),
    (
        "Forwarded, open quote",
        ONE,
        [("forwarded", 'for="1.1.1.1'), ("forwarded", 'for="203.0.113.5"')],
        RequestSource(PROXY),
    ),
    ("Forwarded, garbage", ONE, [("forwarded", "for=1.1.1.1 x, for=203.0.113.5")], RequestSource(PROXY)),
    (
        "both, alike",
        ONE,
        [("x-forwarded-for", "203.0.113.5"), ("forwarded", "for=203.0.113.5;proto=https")],
        RequestSource("203.0.113.5", "https"),
    ),
    (
        "both, one by the client",
        ONE,
        [("x-forwarded-for", "203.0.113.5"), ("forwarded", "for=1.1.1.1")],
        RequestSource(PROXY),
    ),
    (
        "the other by the client",
        ONE,
        [("x-forwarded-for", "1.1.1.1"), ("forwarded", "for=203.0.113.5")],
        RequestSource(PROXY),
    ),
    ("both, one broken", ONE, [("x-forwarded-for", "1.1.1.1"), ("forwarded", '"')], RequestSource(PROXY)),
]


@pytest.mark.parametrize(
    ("proxies", "lines", "source"), [each[1:] for each in SOURCES], ids=[each[0] for each in SOURCES]
)
def test_the_first_from_the_right_that_is_no_proxy_asks(
    proxies: Proxies, lines: Lines, source: RequestSource
) -> None:
    assert proxies.source(PROXY, [(name.encode(), value.encode()) for name, value in lines]) == source


@pytest.mark.parametrize(
    ("text", "trusted", "strangers"),
    [
        ("", [], ["127.0.0.1", "::1", None, ""]),
        ("127.0.0.1", ["127.0.0.1", "::ffff:127.0.0.1"], ["127.0.0.2", "::1", None]),
        ("10.0.0.0/8, ::1", ["10.9.9.9", "::1"], ["11.0.0.1", "::2", None, "testclient"]),
        ("unix", [None], ["127.0.0.1"]),
    ],
)
def test_only_a_configured_proxy_is_trusted(text: str, trusted: list[Any], strangers: list[Any]) -> None:
    proxies = Proxies.parse(text)
    assert [each for each in (*trusted, *strangers) if proxies.trusts(each)] == trusted
    assert bool(proxies) is bool(trusted)


@pytest.mark.parametrize(
    "text", ["*", "proxy.example", "10.0.0.0/40", "10.0.0.1:80", "0.0.0.0/0", "::/0", "10.0.0.1 10.0.0.2"]
)
def test_a_proxy_without_an_address_and_a_network_of_all_are_refused_at_the_start(text: str) -> None:
    with pytest.raises(ValidationError, match="name the proxies that stand in front"):
        Settings(trusted_proxies=text)


def test_nobody_is_trusted_unless_the_operator_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOOPWIRE_TRUSTED_PROXIES", raising=False)
    assert not Proxies.parse(Settings().trusted_proxies)


def test_an_ipv6_address_counts_as_the_network_of_its_customer() -> None:
    assert (
        counted_address("2001:db8:1:2::5") == counted_address("2001:db8:1:2:ffff::1") == "2001:db8:1:2::/64"
    )
    assert counted_address("2001:db8:1:3::5") != counted_address("2001:db8:1:2::5")
    assert counted_address("::ffff:203.0.113.5") == counted_address("203.0.113.5") == "203.0.113.5"
    assert counted_address("fe80::1%eth0") == "fe80::/64"
    assert (counted_address(""), counted_address("testclient")) == ("", "testclient")
    assert counted_client({"client": ("::ffff:203.0.113.5", 8000)}) == "203.0.113.5"
    assert (counted_client({"client": None}), counted_client({})) == ("", "")
