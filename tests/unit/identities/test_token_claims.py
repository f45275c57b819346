"""Tokens that name a user: the accepted claims, and the code of each refusal."""

from __future__ import annotations

import base64
import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from server.identities.errors import IdentityRefused
from server.identities.token_claims import LEEWAY_SECONDS, MOST_BYTES, MOST_SECONDS, read_header, verify
from server.identity import id_of_jti, id_of_token

NOW = 1_800_000_000
SECRET = b"a secret of the shop, 32 bytes and more"
GOOD: dict[str, Any] = {"aud": "shop", "sub": "ana", "exp": NOW + 600, "iat": NOW - 5, "jti": "one"}


def signed(key: Any = SECRET, algorithm: str = "HS256", header: Any = None, **claims: Any) -> str:
    """Return a token; a claim that is None is left out."""
    whole = {name: value for name, value in {**GOOD, **claims}.items() if value is not None}
    return jwt.encode(whole, key, algorithm=algorithm, headers=header)


def raw(header: Any, claims: Any, signature: bytes = b"") -> str:
    """Return a token of any three parts."""
    parts = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in (header, claims)]
    return ".".join(base64.urlsafe_b64encode(each).decode().rstrip("=") for each in (*parts, signature))


def taken(token: str, keys: Any = (SECRET,), algorithm: Any = "HS256", app: str = "shop") -> Any:
    """Return what a token says at this time."""
    return verify(read_header(token, algorithm), keys, algorithm=algorithm, app=app, now=NOW)


def code(token: str, **more: Any) -> str:
    """Return the code with which a token is refused."""
    with pytest.raises(IdentityRefused) as refused:
        taken(token, **more)
    return refused.value.code


def test_a_token_names_a_user_and_what_revokes_it():
    user, identity = taken(signed())
    assert user == "ana"
    assert identity.id == id_of_jti("shop", "one") != id_of_jti("other", "one")
    assert (identity.issued_at, identity.ends_at) == (NOW - 5, NOW + 600 + LEEWAY_SECONDS)


def test_a_token_without_jti_is_revoked_by_itself():
    token = signed(jti=None)
    assert taken(token)[1].id == id_of_token("shop", token)


def test_a_token_that_does_not_say_when_it_was_issued_counts_as_old_as_it_can_be():
    assert taken(signed(iat=None))[1].issued_at == NOW + 600 - MOST_SECONDS


def test_an_older_secret_counts_while_two_are_configured():
    assert taken(signed(), keys=(b"the next secret of the shop, long enough", SECRET))[0] == "ana"


def test_clocks_may_differ_by_half_a_minute():
    assert taken(signed(exp=NOW - LEEWAY_SECONDS + 1))[0] == "ana"
    assert taken(signed(iat=NOW + LEEWAY_SECONDS))[1].issued_at == NOW
    assert taken(signed(exp=NOW + MOST_SECONDS + LEEWAY_SECONDS))[0] == "ana"


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"exp": None}, "identity_malformed"),
        ({"exp": str(NOW + 600)}, "identity_malformed"),
        ({"exp": True}, "identity_malformed"),
        ({"exp": float("inf")}, "identity_malformed"),
        ({"exp": NOW - LEEWAY_SECONDS}, "identity_expired"),
        ({"exp": NOW + MOST_SECONDS + LEEWAY_SECONDS + 1}, "identity_too_long"),
        ({"exp": 10**15}, "identity_too_long"),
        ({"iat": NOW + LEEWAY_SECONDS + 1}, "identity_not_yet"),
        ({"nbf": NOW + LEEWAY_SECONDS + 1}, "identity_not_yet"),
        ({"aud": None}, "identity_audience"),
        ({"aud": "other"}, "identity_audience"),
        ({"aud": ["shop", "other"]}, "identity_audience"),
        ({"sub": None}, "identity_subject"),
        ({"sub": ""}, "identity_subject"),
        ({"sub": "a" * 129}, "identity_subject"),
        ({"sub": "a\nb"}, "identity_subject"),
        ({"jti": ""}, "identity_malformed"),
        ({"jti": "a" * 129}, "identity_malformed"),
        ({"jti": "a\nb"}, "identity_malformed"),
        ({"jti": "\ud800"}, "identity_malformed"),
        ({"sub": "\ud800"}, "identity_subject"),
        ({"iat": -1e300}, "identity_malformed"),
        ({"iat": 10**400}, "identity_malformed"),
        ({"exp": 10**400}, "identity_malformed"),
    ],
)
def test_each_wrong_claim_has_its_code(claims, expected):
    assert code(signed(**claims)) == expected


@pytest.mark.parametrize("claims", [{"sub": 7}, {"sub": ["ana"]}, {"jti": 7}])
def test_claims_of_other_types_are_refused(claims):
    whole = {**GOOD, **claims}
    head, body = raw({"alg": "HS256"}, whole).split(".")[:2]
    signature = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(
        f"{head}.{body}".encode(), SECRET
    )
    token = f"{head}.{body}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"
    assert code(token) in ("identity_subject", "identity_malformed")


@pytest.mark.parametrize(
    "token",
    [
        "",
        "a",
        "a.b.c",
        "é.é.é",
        "..",
        raw(b"[]", GOOD),
        raw(b"{", GOOD),
        raw(b"[" * 6000, GOOD),
        raw({"alg": "HS256", "kid": 7}, GOOD),
        raw({"alg": "HS256", "kid": ""}, GOOD),
        raw({"alg": "HS256", "kid": "k" * 129}, GOOD),
        raw({"alg": "HS256", "crit": ["exp"]}, GOOD),
    ],
)
def test_a_text_that_is_no_jwt_is_malformed(token):
    assert code(token[:MOST_BYTES]) == "identity_malformed"


def test_a_body_that_is_no_object_is_malformed_though_it_is_signed():
    for body in (b"[1]", b"7", b"[" * 5000):
        head = raw({"alg": "HS256"}, b"").split(".")[0]
        signing = f"{head}.{base64.urlsafe_b64encode(body).decode().rstrip('=')}"
        made = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(
            signing.encode(), SECRET
        )
        assert (
            code(f"{signing}.{base64.urlsafe_b64encode(made).decode().rstrip('=')}") == "identity_malformed"
        )


def test_a_giant_token_is_refused_before_it_is_read():
    assert code(signed(name="a" * MOST_BYTES)) == "identity_too_large"


def test_another_secret_and_a_changed_body_have_a_wrong_signature():
    assert code(signed(key=b"another secret of somebody, 32 bytes")) == "identity_signature"
    head, _, signature = signed().split(".")
    forged = base64.urlsafe_b64encode(json.dumps({**GOOD, "sub": "eva"}).encode()).decode().rstrip("=")
    assert code(f"{head}.{forged}.{signature}") == "identity_signature"


@pytest.mark.parametrize("name", ["none", "None", "HS384", "HS512", "RS256", None, 7])
def test_another_algorithm_than_the_configured_one_is_refused(name):
    assert code(raw({"alg": name}, GOOD)) == "identity_algorithm"


def test_a_public_key_is_no_secret():
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = private.public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    head, body = raw({"alg": "HS256"}, GOOD).split(".")[:2]
    made = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(
        f"{head}.{body}".encode(), pem
    )
    confused = f"{head}.{body}.{base64.urlsafe_b64encode(made).decode().rstrip('=')}"
    assert code(confused, keys=(public,), algorithm="RS256") == "identity_algorithm"
    assert taken(signed(private, "RS256"), keys=(public,), algorithm="RS256")[0] == "ana"


def test_a_token_signed_with_es256_is_accepted():
    private = ec.generate_private_key(ec.SECP256R1())
    token = signed(private, "ES256", {"kid": "k1"})
    assert read_header(token, "ES256").kid == "k1"
    assert taken(token, keys=(private.public_key(),), algorithm="ES256")[0] == "ana"
    other = ec.generate_private_key(ec.SECP256R1()).public_key()
    assert code(token, keys=(other,), algorithm="ES256") == "identity_signature"
