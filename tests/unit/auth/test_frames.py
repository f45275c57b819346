"""Tokens and cookies of frames: whose they are, and what they are not taken for."""

from __future__ import annotations

import hmac
import json
import time

import jwt
import pytest

from server.auth import FRAME_PREFIX, Frames, FrameVisitor, Grant, ResumeTokens, Visitors
from server.auth.frames import FRAME_COOKIE
from server.endpoints.caller_resolver import CallerResolver
from server.errors import Unauthorized
from server.identity import Identity

SECRET = b"s" * 32
MINE = FrameVisitor("vis_mine", "shop")


def test_a_token_says_who_talks_and_for_which_app():
    frames = Frames(SECRET)
    assert frames.read_token(frames.token(MINE)) == MINE
    assert frames.token(MINE).startswith(FRAME_PREFIX)
    new = frames.new("shop")
    assert (new.app, new.identity) == ("shop", None)
    assert new.principal != frames.new("shop").principal
    assert frames.read_token(frames.token(new)) == new


def test_the_token_of_a_visitor_counts_for_thirty_days():
    said = jwt.decode(
        Frames(SECRET).token(MINE).removeprefix(FRAME_PREFIX), options={"verify_signature": False}
    )
    assert said["exp"] - said["iat"] == 30 * 24 * 3600


def test_a_users_token_ends_with_the_identity_that_it_is_of():
    frames, ends_at = Frames(SECRET), int(time.time()) + 60
    known = FrameVisitor("usr_ana", "shop", Identity("jti_1", ends_at - 90, ends_at))
    assert frames.read_token(frames.token(known)) == known
    past = FrameVisitor("usr_ana", "shop", Identity("jti_1", 1, ends_at - 90))
    with pytest.raises(Unauthorized):
        frames.read_token(frames.token(past))


def signed(**claims: object) -> str:
    """Return a token with other claims, under the right key."""
    own = Frames(SECRET).token(MINE).removeprefix(FRAME_PREFIX)
    known = jwt.decode(own, options={"verify_signature": False})
    key = hmac.digest(SECRET, b"frame token", "sha256")
    return FRAME_PREFIX + jwt.encode({**known, **claims}, key, algorithm="HS256")


@pytest.mark.parametrize(
    "token",
    [
        "",
        FRAME_PREFIX,
        FRAME_PREFIX + "é",
        FRAME_PREFIX + "a" * 5000,
        Frames(b"t" * 32).token(MINE),
        Frames(SECRET).token(MINE)[:-4] + "AAAA",
        Frames(SECRET).token(MINE).removeprefix(FRAME_PREFIX),
        FRAME_PREFIX + ResumeTokens(SECRET).issue(Grant("ses_1", "vis_mine", None, "")),
        signed(exp=1),
        signed(sub="usr_1"),
        signed(sub="app_1"),
        signed(idn="jti_1"),
        signed(app=""),
        signed(aud="loopwire.resume"),
        signed(aud=["loopwire.frame"]),
        signed(iss="other"),
    ],
)
def test_another_text_is_nobodys_token(token):
    with pytest.raises(Unauthorized):
        Frames(SECRET).read_token(token)


@pytest.mark.parametrize("missing", ["exp", "iat"])
def test_a_token_whose_time_is_empty_is_refused(missing):
    own = Frames(SECRET).token(MINE).removeprefix(FRAME_PREFIX)
    known = jwt.decode(own, options={"verify_signature": False})
    key = hmac.digest(SECRET, b"frame token", "sha256")
    # No `jwt.encode`: that looks at the claims itself.
    token = jwt.PyJWS().encode(json.dumps(known | {missing: None}).encode(), key, algorithm="HS256")
    with pytest.raises(Unauthorized):
        Frames(SECRET).read_token(FRAME_PREFIX + token)


def test_a_token_has_2048_characters_at_most_though_we_signed_it():
    made = [signed(app="x" * size) for size in range(1200, 1400)]
    fits = next(each for each in made if len(each) == 2048)
    assert Frames(SECRET).read_token(fits).principal == MINE.principal
    longer = next(each for each in made if 2048 < len(each) <= 2050)
    with pytest.raises(Unauthorized):
        Frames(SECRET).read_token(longer)


@pytest.mark.parametrize("secure", [False, True])
def test_the_cookie_of_a_frame_is_not_that_of_the_page(secure):
    frames, visitors = Frames(SECRET), Visitors(SECRET)
    name, _, value = frames.cookie(MINE, secure=secure).partition(";")[0].partition("=")
    assert frames.visitor_of_cookie(f"{name}={value}", "shop", secure=secure) == MINE
    assert visitors.read(value) is None
    page = f"{name}={visitors.sign('vis_mine')}"
    assert frames.visitor_of_cookie(page, "shop", secure=secure) is None
    other = frames.cookie(FrameVisitor("vis_other", "shop"), secure=secure).partition(";")[0]
    assert frames.visitor_of_cookie(f"{name}={value}; {other}", "shop", secure=secure) is None


def test_over_https_the_cookie_is_of_this_host_and_of_one_embedding_site():
    told = Frames(SECRET).cookie(MINE, secure=True)
    assert told.startswith(f"__Host-{FRAME_COOKIE}=vis_mine.")
    assert {"Max-Age=31536000", "Path=/", "HttpOnly", "SameSite=None", "Secure", "Partitioned"} <= set(
        told.split("; ")
    )
    assert "SameSite=Lax" in Frames(SECRET).cookie(MINE, secure=False)


def caller_resolver(*left: str) -> CallerResolver:
    """Return a resolver that knows one app, and these visitors who have left."""

    async def revoked(principal: str, identity: Identity | None) -> bool:
        return principal in left or (identity is not None and identity.id in left)

    return CallerResolver(Visitors(SECRET), Frames(SECRET), revoked, apps={"shop"}, secure_cookies=False)


def scope_of(bearer: str, path: str = "/v1/tickets") -> dict[str, object]:
    """Return a request with a bearer and a visitor's cookie."""
    cookie = f"loopwire_visitor={Visitors(SECRET).sign('vis_page')}"
    headers = [(b"Authorization", f"Bearer {bearer}".encode()), (b"cookie", cookie.encode()), (b"host", b"a")]
    return {"type": "http", "scheme": "http", "path": path, "headers": headers}


async def test_a_frames_token_wins_over_a_cookie_and_leaves_neither():
    scope = scope_of(Frames(SECRET).token(MINE))
    found = await caller_resolver().of(scope)
    assert (found.principal, found.newcomer) == ("vis_mine", False)
    assert scope["headers"] == [(b"host", b"a")]
    assert scope["state"] == {
        "app": "shop",
        "identity": None,
        "framed": True,
        "principal": "vis_mine",
        "newcomer": False,
        "secure_cookies": False,
    }


async def test_a_bearer_that_is_no_frame_token_is_left_to_the_endpoint():
    scope = scope_of("a-ticket")
    assert (await caller_resolver().of(scope)).principal == "vis_page"
    assert len(scope["headers"]) == 3


async def test_a_users_token_opens_nothing_after_its_identity_was_revoked():
    token = Frames(SECRET).token(FrameVisitor("usr_ana", "shop", Identity("jti_1", 1, int(time.time()) + 60)))
    scope = scope_of(token)
    assert (await caller_resolver("jti_2").of(scope)).principal == "usr_ana"
    assert scope["state"]["identity"].id == "jti_1"
    with pytest.raises(Unauthorized):
        await caller_resolver("jti_1").of(scope_of(token))


def test_an_ended_token_still_says_whose_it_was_and_of_which_app():
    past = FrameVisitor("usr_ana", "shop", Identity("jti_1", 1, 2))
    assert Frames(SECRET).read_ended_token(Frames(SECRET).token(past)) == past
    with pytest.raises(Unauthorized):
        Frames(SECRET).read_ended_token(Frames(b"t" * 32).token(past))


ENDED = {
    "expired": FrameVisitor("usr_ana", "shop", Identity("jti_1", 1, 2)),
    "revoked": FrameVisitor("usr_ana", "shop", Identity("jti_1", 1, 4_000_000_000)),
    "left": MINE,
}


@pytest.mark.parametrize("how", ENDED)
async def test_where_a_user_is_named_an_ended_token_names_nobody_of_its_app(how):
    token = Frames(SECRET).token(ENDED[how])
    scope = scope_of(token, "/v1/identify")
    found = await caller_resolver("jti_1", "vis_mine").of(scope)
    assert found.newcomer
    assert found.principal not in ("usr_ana", "vis_mine", "vis_page")
    assert scope["headers"] == [(b"host", b"a")]
    assert scope["state"] == {
        "app": "shop",
        "framed": True,
        "ended": ENDED[how].principal,
        "principal": found.principal,
        "newcomer": True,
        "secure_cookies": False,
    }
    with pytest.raises(Unauthorized):
        await caller_resolver("jti_1", "vis_mine").of(scope_of(token))


@pytest.mark.parametrize(
    "token", ["lwf_a", Frames(b"t" * 32).token(MINE), Frames(SECRET).token(FrameVisitor("vis_mine", "gone"))]
)
async def test_there_a_token_that_is_not_ours_names_neither_an_app_nor_the_visitor_of_the_cookie(token):
    scope = scope_of(token, "/v1/identify")
    found = await caller_resolver().of(scope)
    assert (found.newcomer, scope["headers"]) == (True, [(b"host", b"a")])
    assert scope["state"].keys() == {"principal", "newcomer", "secure_cookies"}
    assert found.principal not in ("vis_mine", "vis_page")


@pytest.mark.parametrize(("visitor", "left"), [(FrameVisitor("vis_mine", "gone"), ()), (MINE, ("vis_mine",))])
async def test_the_token_of_an_app_or_a_visitor_that_is_gone_opens_nothing(visitor, left):
    with pytest.raises(Unauthorized):
        await caller_resolver(*left).of(scope_of(Frames(SECRET).token(visitor)))
