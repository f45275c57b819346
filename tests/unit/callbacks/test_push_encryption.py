"""The encryption of push messages, by the vector of RFC 8291, and the proof of the sender."""

from __future__ import annotations

import jwt
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from server.callbacks.push_encryption import (
    MOST_PLAIN,
    PROOF_S,
    BrowserKeys,
    base64url_bytes,
    base64url_text,
    encrypt,
    point_of,
    proof_headers,
    sender_key,
)
from tests.parts.push_receiver import Browser, private_key

PLAIN = b"When I grow up, I want to be a watermelon"
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
RECEIVER = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
POINT = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
SALT, AUTH = "DGv6ra1nlYgDCS1FRnbzlw", "BTBZMqHH6r4Tts7J_aSIgg"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
    "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)
"""Appendix A of the RFC."""


def test_the_vector_of_the_rfc_is_reproduced() -> None:
    to = BrowserKeys.of(POINT, AUTH)
    made = encrypt(PLAIN, to, salt=base64url_bytes(SALT), sender=private_key(base64url_bytes(SENDER)))
    assert base64url_text(made) == BODY


def test_a_browser_reads_the_vector_and_nothing_that_was_changed() -> None:
    browser = Browser(private_key(base64url_bytes(RECEIVER)), base64url_bytes(AUTH))
    assert browser.read(base64url_bytes(BODY)) == PLAIN
    with pytest.raises(InvalidTag):
        browser.read(base64url_bytes(BODY)[:-1] + b"x")


def test_each_message_has_keys_of_its_own_and_its_receiver_alone_reads_it() -> None:
    browser, other = Browser.new(), Browser.new()
    to = browser.keys()
    one, two = encrypt(PLAIN, to), encrypt(PLAIN, to)
    assert one != two
    assert [browser.read(each) for each in (one, two)] == [PLAIN, PLAIN]
    with pytest.raises(InvalidTag):
        other.read(one)


def test_the_longest_message_fits_a_record() -> None:
    browser = Browser.new()
    to = browser.keys()
    assert len(encrypt(b"x" * MOST_PLAIN, to)) == 4096
    with pytest.raises(ValueError, match="too long"):
        encrypt(b"x" * (MOST_PLAIN + 1), to)


@pytest.mark.parametrize(
    ("p256dh", "auth"),
    [
        ("", AUTH),
        (POINT[:-4], AUTH),
        (base64url_text(b"\x04" + b"\x01" * 64), AUTH),
        (POINT, "c2hvcnQ"),
        ("é", AUTH),
    ],
)
def test_malformed_keys_of_a_subscription_are_refused(p256dh: str, auth: str) -> None:
    with pytest.raises(ValueError):
        BrowserKeys.of(p256dh, auth)


def test_a_compressed_point_and_a_secret_of_another_length_are_refused_with_the_lengths() -> None:
    compressed = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), base64url_bytes(POINT))
    short = compressed.public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
    for p256dh, auth in ((base64url_text(short), AUTH), (POINT, base64url_text(b"x" * 15))):
        with pytest.raises(ValueError, match="65 bytes and a secret of 16"):
            BrowserKeys.of(p256dh, auth)


@pytest.mark.parametrize("text", ["YQ", "YQ==", "YWI", "YWI=", "YWJj"])
def test_base64url_is_read_with_padding_and_without(text: str) -> None:
    assert base64url_bytes(text) == b"abc"[: len(text.rstrip("=")) - 1]


def test_the_key_of_the_proof_is_that_of_the_secret() -> None:
    one, same, other = (sender_key(each) for each in (b"a" * 32, b"a" * 32, b"b" * 32))
    assert point_of(one) == point_of(same) != point_of(other)


def test_the_key_of_a_secret_is_the_same_after_an_upgrade_too() -> None:
    """A browser's subscription is for this key alone: with another one all of them would be void."""
    assert base64url_text(point_of(sender_key(b"a" * 32))) == (
        "BHy3dOtbsU4AEvLnTf-2syspxIaKqNTx6HhRr90tn618_Qzx3X0U_tKDTV0tyjfwqPMs--uIMBGwmG8_oh9MwgM"
    )


def test_a_proof_counts_no_longer_than_the_day_that_the_rfc_allows() -> None:
    assert 3600 <= PROOF_S <= 24 * 3600


def test_the_proof_names_the_push_service_and_is_signed() -> None:
    key = sender_key(b"a" * 32)
    headers = proof_headers(key, "https://push.example:8443/send/1?x=2", "mailto:ops@shop.example", 1000)
    token, named = headers["authorization"].removeprefix("vapid t=").split(", k=")
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), base64url_bytes(named))
    claims = jwt.decode(
        token, public, ["ES256"], audience="https://push.example:8443", options={"verify_exp": False}
    )
    assert claims == {
        "aud": "https://push.example:8443",
        "exp": 1000 + PROOF_S,
        "sub": "mailto:ops@shop.example",
    }
