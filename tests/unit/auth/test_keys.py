"""Keys, cookies and principals as they are stored and shown: what was given out once has to hold for ever."""

from __future__ import annotations

import hashlib
import re

import pytest

from server.auth import Frames, FrameVisitor, Visitors
from server.auth.keys import SCOPES, USUAL_SCOPES, digest_of, id_of_key, make_key, principal_of_user

SECRET = b"s" * 32
RANDOM = "x" * 43


def test_a_new_key_names_its_id_and_is_known_by_its_hash_alone() -> None:
    keys = [make_key() for _ in range(20)]
    assert len({each.text for each in keys}) == len({each.id for each in keys}) == 20
    for each in keys:
        assert re.fullmatch(rf"lwk_{each.id.removeprefix('key_')}_[A-Za-z0-9_-]{{43}}", each.text)
        assert id_of_key(each.text) == each.id
        assert each.digest == digest_of(each.text) == hashlib.sha256(each.text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "id"),
    [
        (f"lwk_a_{RANDOM}", "key_a"),
        (f"lwk_{'a' * 60}_{RANDOM}", f"key_{'a' * 60}"),
        (f"lwk_{'a' * 61}_{RANDOM}", None),
        (f"lwk__{RANDOM}", None),
        (f"lwk_A_{RANDOM}", None),
        (f"lwk_a_{RANDOM}x", None),
        (f"lwk_a_{RANDOM[1:]}", None),
        (f"lwk_a_{RANDOM}\n", None),
        (f" lwk_a_{RANDOM}", None),
        (f"LWK_a_{RANDOM}", None),
        (f"lwk_a_{RANDOM[1:]}é", None),
        ("", None),
    ],
)
def test_a_malformed_key_has_no_key_id(text: str, id: str | None) -> None:
    assert id_of_key(text) == id


def test_the_same_user_of_an_app_is_the_same_principal_after_an_upgrade_too() -> None:
    assert principal_of_user(SECRET, "shop", "ana") == "usr_c9942e8a566ec2388b996a463be80be8"
    assert principal_of_user(SECRET, "shop", None) == "app_423b98eb636438a2ad8375b60360ff24"
    others = [("shop", ""), ("shopa", "na"), ("shop\0ana", None), ("other", "ana")]
    made = {principal_of_user(SECRET, *each) for each in others}
    assert len(made | {"usr_c9942e8a566ec2388b996a463be80be8"}) == len(others) + 1
    assert principal_of_user(b"t" * 32, "shop", "ana") != "usr_c9942e8a566ec2388b996a463be80be8"


def test_a_key_acts_as_an_operator_only_where_that_was_asked_for() -> None:
    assert SCOPES == ("rest", "tickets", "operator")
    assert set(SCOPES) - set(USUAL_SCOPES) == {"operator"}


def test_the_cookie_of_a_frame_is_the_same_after_an_upgrade_too() -> None:
    told = Frames(SECRET).cookie(FrameVisitor("vis_a", "shop"), secure=False)
    assert told.partition(";")[0] == "loopwire_frame=vis_a.TnApoEVAVoTCpWnBHgPW_9BRzGSWGvKpkxxa7q068S8"


def test_the_cookie_of_a_visitor_is_the_same_after_an_upgrade_too() -> None:
    assert Visitors(SECRET).sign("vis_a") == "vis_a.iWD92zaT3pj49WDEVe7ponpZ37ahVwYKME5_T4j87FQ"
