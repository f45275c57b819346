"""Errors of the client: what a response or a frame says becomes a code, a sentence, and whether to try again."""

from __future__ import annotations

from typing import Any

import pytest

from loopwire.errors import Closed, Garbled, LoopwireError, refusal_in, refusal_of


@pytest.mark.parametrize(
    ("status", "body", "code", "words", "retry"),
    [
        (404, {"code": "not_found", "message": "Gone."}, "not_found", "Gone.", False),
        (404, {"error": {"code": "not_found", "message": "Gone."}, "code": "x"}, "not_found", "Gone.", False),
        (500, None, "http_500", "http_500", True),
        (499, [], "http_499", "http_499", False),
        (408, {}, "http_408", "http_408", True),
        (429, {"code": "rate_limited", "retry": False}, "rate_limited", "rate_limited", False),
        (429, {"code": 7, "message": 7}, "http_429", "http_429", True),
        (400, {"retry": True}, "http_400", "http_400", True),
        (
            422,
            {"detail": [{"loc": ["body", 0], "msg": "Wrong."}, {"msg": "x"}]},
            "http_422",
            "body.0: Wrong.",
            False,
        ),
        (422, {"detail": [{"msg": "Wrong."}]}, "http_422", ": Wrong.", False),
        (422, {"detail": ["Wrong."]}, "http_422", "http_422", False),
        (422, {"detail": []}, "http_422", "http_422", False),
        (422, {"detail": "Wrong."}, "http_422", "http_422", False),
    ],
)
def test_a_response_that_is_no_success_is_an_error(
    status: int, body: Any, code: str, words: str, retry: bool
) -> None:
    refused = refusal_of(status, body)
    assert (refused.code, refused.message, refused.retry, refused.status) == (code, words, retry, status)
    assert refused.retry_after is None


@pytest.mark.parametrize(
    ("header", "seconds"), [("7", 7.0), (None, None), ("soon", None), ("-1", None), ("Fri, 31 Dec", None)]
)
def test_a_response_may_say_how_long_to_wait(header: str | None, seconds: float | None) -> None:
    assert refusal_of(429, {}, header).retry_after == seconds


def test_an_error_frame_is_an_error() -> None:
    told = refusal_in({"code": "busy", "message": "Full.", "retry": True, "retry_after": 2})
    assert (told.code, str(told), told.retry, told.retry_after) == ("busy", "Full. (busy)", True, 2.0)
    bare = refusal_in({"retry_after": "2"})
    assert (bare.code, str(bare), bare.retry, bare.retry_after) == ("internal", "internal", False, None)


def test_an_error_without_words_is_told_by_its_code() -> None:
    error = LoopwireError("closed")
    assert (error.message, str(error), error.retry) == ("closed", "closed", False)
    assert Closed("closed", close_code=4403).close_code == 4403
    assert (Garbled("No event.").retry, Garbled("No event.").code) == (True, "garbled")
