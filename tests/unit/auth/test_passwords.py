"""Passwords are hashed slowly, and a hash that nobody knows a password of costs as much as any other."""

from __future__ import annotations

from pathlib import Path

from server.auth.passwords import (
    HASH_OF_NOTHING,
    LONGEST_PASSWORD,
    SHORTEST_PASSWORD,
    is_password,
    password_hash,
)
from server.auth.sign_ins import new_sign_in, sign_in_cookie, sign_in_digest, sign_in_of

COST = "$argon2id$v=19$m=19456,t=2,p=1$"


def test_a_password_is_known_again_and_another_is_not() -> None:
    hashed = password_hash("correct horse café")
    assert hashed.startswith(COST)
    assert is_password("correct horse café", hashed)
    assert is_password("correct horse cafe\u0301", hashed), "written by another keyboard"
    assert not is_password("correct horse cafe", hashed)
    assert password_hash("correct horse café") != hashed, "each hash has a salt of its own"


def test_the_hash_for_unknown_names_costs_the_same_and_has_no_password() -> None:
    assert HASH_OF_NOTHING.startswith(COST)
    assert len(HASH_OF_NOTHING) == len(password_hash("x" * LONGEST_PASSWORD))
    assert not is_password("", HASH_OF_NOTHING)


def test_a_password_has_as_many_characters_as_operators_are_told() -> None:
    told = (Path(__file__).parents[3] / "docs/operators.md").read_text()
    assert f"| password | {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters" in told


def test_a_cookie_is_strict_and_bound_to_its_host_where_it_is_secure() -> None:
    value = new_sign_in()
    assert len(value) == 43, "32 bytes in base64"
    secure = sign_in_cookie(value, secure=True, seconds=60)
    assert secure == (
        f"__Host-loopwire_operator={value}; Max-Age=60; Path=/; HttpOnly; SameSite=Strict; Secure"
    )
    plain = sign_in_cookie(value, secure=False, seconds=60)
    assert plain == f"loopwire_operator={value}; Max-Age=60; Path=/; HttpOnly; SameSite=Strict"


def test_only_the_cookie_of_the_right_name_counts_and_of_two_none() -> None:
    value = new_sign_in()
    plain, secure = f"loopwire_operator={value}", f"__Host-loopwire_operator={value}"
    assert sign_in_of({"cookie": plain}, secure=False) == sign_in_digest(value)
    assert sign_in_of({"cookie": secure}, secure=True) == sign_in_digest(value)
    assert sign_in_of({"cookie": plain}, secure=True) is None, "a sibling domain may have planted it"
    assert sign_in_of({"cookie": f"{plain}; loopwire_operator=other"}, secure=False) is None
    longest = "x" * 64
    assert sign_in_of({"cookie": f"loopwire_operator={longest}"}, secure=False) == sign_in_digest(longest)
    assert sign_in_of({"cookie": f"loopwire_operator={longest}x"}, secure=False) is None
    assert sign_in_of({"cookie": "loopwire_operator="}, secure=False) is None
    assert sign_in_of({}, secure=False) is None
