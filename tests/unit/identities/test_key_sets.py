"""Key sets of apps: the valid keys, the times of their renewal, and the cost of a bad address."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from server.callbacks import Guard
from server.identities.errors import IdentityKey, IdentityKeysUnavailable
from server.identities.key_sets import FRESH_S, MOST_BYTES, MOST_KEYS, PAUSE_S, STALE_S, KeySet, read_key_set

CURVE = ec.generate_private_key(ec.SECP256R1())
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def entry(kid: str | None = "one", key: Any = None, **more: Any) -> dict[str, Any]:
    """Return a key as a key set has it."""
    public = (key or CURVE).public_key()
    kind = (
        jwt.algorithms.ECAlgorithm
        if isinstance(public, ec.EllipticCurvePublicKey)
        else jwt.algorithms.RSAAlgorithm
    )
    found = {**kind.to_jwk(public, as_dict=True), "kid": kid, "use": "sig", **more}
    return {name: value for name, value in found.items() if value is not None}


def key_set(*entries: Any) -> bytes:
    """Return a key set as bytes."""
    return json.dumps({"keys": entries}).encode()


class Publisher:
    """The address of an app's keys: what it answers may change, and what it is asked is counted."""

    def __init__(self) -> None:
        self.body, self.status, self.asked = key_set(entry()), 200, 0
        publisher = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                publisher.asked += 1
                self.send_response(publisher.status)
                self.send_header("location", "http://127.0.0.1/elsewhere")
                self.send_header("content-length", str(len(publisher.body)))
                self.end_headers()
                self.wfile.write(publisher.body)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.place = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


class Clock:
    """A clock that a test turns."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    """Yield an address that publishes keys."""
    made = Publisher()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def clock() -> Clock:
    """Return the clock of the key set."""
    return Clock()


@pytest.fixture
def keys(publisher: Publisher, clock: Clock) -> KeySet:
    """Return the keys at that address, which the operator trusts."""
    return KeySet(f"http://{publisher.place}/jwks.json", "ES256", Guard([publisher.place]), clock)


async def test_keys_are_read_once_and_found_by_their_names(keys, publisher):
    publisher.body = key_set(entry("one"), entry("two", ec.generate_private_key(ec.SECP256R1())))
    [one], [two] = await keys.find("one"), await keys.find("two")
    assert one.public_numbers() == CURVE.public_key().public_numbers() != two.public_numbers()
    assert publisher.asked == 1
    with pytest.raises(IdentityKey):
        await keys.find(None)  # Of two keys none is meant.


async def test_a_lone_key_needs_no_name(keys):
    assert len(await keys.find(None)) == 1


async def test_a_new_key_is_found_after_the_pause_and_unknown_names_do_not_flood(keys, publisher, clock):
    await keys.find("one")
    publisher.body = key_set(entry("next"))
    for _ in range(20):
        with pytest.raises(IdentityKey):
            await keys.find("next")
    assert publisher.asked == 1
    clock.now += PAUSE_S
    assert await keys.find("next")
    assert publisher.asked == 2
    with pytest.raises(IdentityKey):
        await keys.find("one")  # It was taken back.


async def test_a_key_that_was_taken_back_counts_ten_minutes_at_most(keys, publisher, clock):
    await keys.find("one")
    publisher.body = key_set(entry("next"))
    clock.now += FRESH_S + 1
    with pytest.raises(IdentityKey):
        await keys.find("one")


async def test_known_keys_outlast_an_hour_of_silence_and_no_more(keys, publisher, clock):
    await keys.find("one")
    publisher.status = 500
    clock.now += STALE_S - 1
    assert await keys.find("one")
    clock.now += PAUSE_S
    with pytest.raises(IdentityKeysUnavailable):
        await keys.find("one")


@pytest.mark.parametrize("status", [301, 302, 404, 500])
async def test_only_an_answer_of_200_is_read(keys, publisher, status):
    publisher.status = status
    with pytest.raises(IdentityKeysUnavailable):
        await keys.find("one")


async def test_a_large_answer_is_left(keys, publisher):
    publisher.body = b" " * MOST_BYTES + key_set(entry())
    with pytest.raises(IdentityKeysUnavailable):
        await keys.find("one")


async def test_an_address_of_this_machine_is_refused_unless_the_operator_trusts_it(publisher):
    for url in (f"http://{publisher.place}/jwks.json", "https://127.0.0.1/jwks.json"):
        with pytest.raises(IdentityKeysUnavailable):
            await KeySet(url, "ES256", Guard()).find("one")
    assert publisher.asked == 0


@pytest.mark.parametrize("body", [b"", b"[]", b"7", b"{}", b'{"keys": {}}', b'{"keys": []}', b"[" * 60_000])
def test_a_malformed_key_set_is_refused(body):
    with pytest.raises(IdentityKeysUnavailable):
        read_key_set(body, "ES256")


@pytest.mark.parametrize(
    "odd",
    [
        7,
        {},
        {"kty": "oct", "k": "c2VjcmV0", "kid": "odd"},
        entry("odd", use="enc"),
        entry("odd", alg="ES384"),
        entry("odd", crv="P-521"),
        entry("odd", x="AAAA"),
        entry("odd", d="AAAA"),
        entry("odd", RSA_KEY),
        {**entry("odd"), "kid": 7},
    ],
)
def test_keys_of_other_kinds_and_uses_are_passed_over(odd):
    assert set(read_key_set(key_set(odd, entry("good")), "ES256")) == {"good"}


def test_short_rsa_keys_are_passed_over():
    short = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    assert set(read_key_set(key_set(entry("short", short), entry("good", RSA_KEY)), "RS256")) == {"good"}


def test_a_key_set_is_read_so_far():
    many = [entry(f"k{each}") for each in range(MOST_KEYS + 5)]
    assert len(read_key_set(key_set(*many), "ES256")) == MOST_KEYS
