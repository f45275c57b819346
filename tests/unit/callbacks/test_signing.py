"""Signatures of callbacks: by the vector of Standard Webhooks, with the secrets of the app and of no other."""

from __future__ import annotations

import base64

from server.apps import App
from server.callbacks import Secrets
from server.callbacks.push_encryption import point_of, sender_key
from server.callbacks.signing import signature_headers

MASTER = b"s" * 32
NEW, OLD = (base64.b64encode(bytes([each]) * 32).decode() for each in (2, 1))
SECRETS = Secrets(
    {"two": App(callback_secret=(f"whsec_{NEW}", f"whsec_{OLD}")), "none": App()},
    MASTER,
)


def test_the_vector_of_standard_webhooks_is_reproduced() -> None:
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    body = b'{"test": 2432232314}'
    assert signature_headers([key], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body) == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_an_app_signs_with_all_its_secrets_and_shows_the_newest() -> None:
    assert SECRETS.of("two") == [b"\2" * 32, b"\1" * 32]
    assert SECRETS.newest("two") == f"whsec_{NEW}"
    signed = signature_headers(SECRETS.of("two"), "evt_1", 1, b"{}")["webhook-signature"]
    assert len(signed.split(" ")) == 2


def test_the_secret_of_an_app_without_one_is_the_same_after_an_upgrade_too() -> None:
    """Its receiver was given it once, and verifies with it for ever."""
    assert SECRETS.newest("none") == "whsec_JDHgYOsqUyonx/pGvrcLHUUaRXKCrx5QyIDsnGBIJ50="
    assert len(SECRETS.of("none")) == 1
    assert SECRETS.newest("unknown") not in {SECRETS.newest("none"), SECRETS.newest("two")}
    assert Secrets({}, b"t" * 32).newest("none") != SECRETS.newest("none")


def test_the_key_for_push_services_is_that_of_the_servers_secret() -> None:
    assert point_of(SECRETS.push_key()) == point_of(sender_key(MASTER))
