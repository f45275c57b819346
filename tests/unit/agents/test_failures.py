"""Every error that can reach a run has one code, and only the name of its class is logged."""

import json
import logging

import httpx2
import msgspec
import openai
import pytest
from agents.exceptions import MaxTurnsExceeded, ModelBehaviorError, UserError

from server.agents.model.failures import code_of, raise_terminal
from server.errors import Limit, LoopwireError, ToolFailed
from server.patterns import SearchTooLong

_REQUEST = httpx2.Request("POST", "http://model.test/v1/responses")
SECRET = "sk-SECRET"


def status(number: int, code: str | None = None) -> openai.APIStatusError:
    body = {"message": SECRET, "code": code}
    return openai.APIStatusError(SECRET, response=httpx2.Response(number, request=_REQUEST), body=body)


CASES: list[tuple[BaseException, bool, str]] = [
    (status(429), False, "model_busy"),
    (status(429, "insufficient_quota"), False, "model_rejected"),
    (status(503), False, "model_busy"),
    (status(529), False, "model_busy"),
    (status(500), False, "model_error"),
    (status(408), False, "model_error"),
    (status(401), False, "model_rejected"),
    (status(404), False, "model_rejected"),
    (status(400, "content_filter"), False, "content_filter"),
    (openai.APITimeoutError(request=_REQUEST), True, "model_timeout"),
    (openai.APIConnectionError(request=_REQUEST), False, "model_error"),
    (openai.APIConnectionError(request=_REQUEST), True, "cut"),
    (httpx2.ReadTimeout(SECRET), True, "model_timeout"),
    (httpx2.RemoteProtocolError(SECRET), True, "cut"),
    (openai.APIError(SECRET, request=_REQUEST, body={"code": "rate_limit_exceeded"}), True, "model_busy"),
    (openai.APIError(SECRET, request=_REQUEST, body={"code": "insufficient_quota"}), True, "model_rejected"),
    (openai.APIError(SECRET, request=_REQUEST, body={"code": "server_overloaded"}), True, "model_busy"),
    (openai.APIError(SECRET, request=_REQUEST, body=None), True, "model_error"),
    (status(503, "insufficient_quota"), False, "model_rejected"),
    (openai.OpenAIError(SECRET), False, "model_rejected"),
    (MaxTurnsExceeded(SECRET), False, "limit"),
    (ModelBehaviorError(SECRET), True, "model_error"),
    (UserError(SECRET), False, "model_error"),
    (json.JSONDecodeError("bad", SECRET, 0), True, "model_error"),
    (msgspec.DecodeError(SECRET), True, "model_error"),
    (Limit(), False, "limit"),
    (SearchTooLong("a+"), False, "limit"),
    (ToolFailed(), False, "tool_failed"),
]


@pytest.mark.parametrize(("error", "answering", "code"), CASES)
def test_an_error_has_one_code_and_its_text_is_nowhere(
    error: BaseException, answering: bool, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert code_of(error, answering=answering) == code
    assert SECRET not in caplog.text


def test_a_search_that_was_broken_off_names_its_pattern_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    code_of(SearchTooLong("(?:a|aa)+$"), answering=False)
    assert "(?:a|aa)+$" in caplog.text


def test_an_error_of_our_own_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    assert code_of(KeyError("x"), answering=False) == "internal"
    assert caplog.records[0].exc_info is not None


@pytest.mark.parametrize(
    ("code", "ours"),
    [
        ("rate_limit_exceeded", "model_busy"),
        ("server_error", "model_error"),
        ("content_filter", "content_filter"),
        (None, "model_error"),
    ],
)
def test_an_end_inside_the_stream_has_the_code_of_its_reason(code: str | None, ours: str) -> None:
    with pytest.raises(LoopwireError) as raised:
        raise_terminal(code)
    assert raised.value.code == ours


@pytest.mark.parametrize(
    ("number", "code", "path", "hinted"),
    [
        (404, None, "/v1/responses", True),
        (405, None, "/v1/responses", True),
        (501, None, "/v1/responses", True),
        (404, "model_not_found", "/v1/responses", False),
        (404, None, "/v1/chat/completions", False),
        (400, None, "/v1/responses", False),
    ],
)
def test_a_server_without_responses_is_known_by_its_status_and_its_path(
    number: int, code: str | None, path: str, hinted: bool, caplog: pytest.LogCaptureFixture
) -> None:
    request = httpx2.Request("POST", f"http://model.test{path}")
    response = httpx2.Response(number, request=request)
    code_of(openai.APIStatusError(SECRET, response=response, body={"code": code}), answering=False)
    assert ("LOOPWIRE_MODEL_API=chat" in caplog.text) is hinted


@pytest.mark.parametrize(
    ("number", "code"), [(499, "model_rejected"), (500, "model_error"), (502, "model_error")]
)
def test_a_failure_of_the_server_is_an_error_and_any_other_status_a_refusal(number: int, code: str) -> None:
    assert code_of(status(number), answering=False) == code
