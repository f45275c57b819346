"""The headers of proxies: the changes by a trusted one in a request, and the log line about any other peer."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from server.http.forwarded import Forwarded
from server.proxies import Proxies


async def judged(scope: dict[str, Any], proxies: str) -> dict[str, Any]:
    """Give the scope as the application gets it."""
    seen: list[dict[str, Any]] = []

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        seen.append(scope)

    await Forwarded(app, Proxies.parse(proxies))(scope, None, None)
    return seen[0]


@pytest.mark.parametrize(
    ("kind", "scheme", "becomes"), [("http", "http", "https"), ("websocket", "ws", "wss")]
)
async def test_a_trusted_proxy_changes_the_scope_and_a_stranger_does_not(
    kind: str, scheme: str, becomes: str
) -> None:
    headers = [(b"x-forwarded-for", b"203.0.113.5"), (b"x-forwarded-proto", b"https")]
    for client, told in ((("127.0.0.1", 5), ("127.0.0.1", 5)), (None, None)):
        scope = {"type": kind, "scheme": scheme, "client": client, "headers": headers}
        assert (await judged(dict(scope), ""))["client"] == told
        assert (await judged(dict(scope), ""))["scheme"] == scheme
        believed = await judged(dict(scope), "unix,127.0.0.1")
        assert (believed["client"], believed["scheme"]) == (("203.0.113.5", 0), becomes)
        scope = {**scope, "headers": [(b"x-forwarded-proto", b"http")]}
        believed = await judged(dict(scope), "unix,127.0.0.1")
        assert (believed["client"], believed["scheme"]) == (client, scheme)


async def test_a_proxy_that_names_itself_keeps_its_port() -> None:
    headers = [(b"x-forwarded-for", b"127.0.0.1")]
    scope = {"type": "http", "scheme": "http", "client": ("127.0.0.1", 5), "headers": headers}
    assert (await judged(scope, "127.0.0.1"))["client"] == ("127.0.0.1", 5)


async def test_the_log_says_once_of_a_peer_what_to_set_and_names_few(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def app(*_: Any) -> None:
        """Answer nobody."""

    forwarded = Forwarded(app, Proxies.parse(""))
    with caplog.at_level(logging.WARNING):
        for number in (0, *range(100)):
            scope = {"type": "http", "client": (f"10.0.0.{number}", 1), "headers": [(b"forwarded", b"for=x")]}
            await forwarded(scope, None, None)
            await forwarded({**scope, "client": ("10.1.0.1", 1), "headers": []}, None, None)
    said = [each.getMessage() for each in caplog.records]
    assert [
        f"set LOOPWIRE_TRUSTED_PROXIES=10.0.0.{number}, or all" in said[number] for number in range(8)
    ] == [True] * len(said)


async def test_a_peer_of_a_unix_socket_is_named_as_the_setting_names_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    headers = [(b"host", b"x"), (b"x-forwarded-for", b"203.0.113.5")]
    await judged({"type": "http", "scheme": "http", "client": None, "headers": headers}, "")
    assert "set LOOPWIRE_TRUSTED_PROXIES=unix, or all" in caplog.text
