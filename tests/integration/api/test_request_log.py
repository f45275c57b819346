"""The log of requests and runs: a line each, with the ids that a caller knows, and no word of a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from server.http.request_log import MOST_REFUSALS
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_chat import body_of
from tests.parts.server import Served, served
from tests.parts.wait import until

pytestmark = pytest.mark.once

ASKED = {"prompt": "xyzzy?", "options": ["plugh", "plover"], "item_context": "a lamp from Adventure"}


@pytest.fixture(scope="module")
def quiet() -> Iterator[Served]:
    """Yield a server that nobody else asks."""
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0", "LOOPWIRE_LIMIT_REQUESTS_PER_ADDRESS": "2/1h"}) as running:
        yield running


def lines(served: Served, text: str) -> list[dict[str, Any]]:
    """Return the lines of the log with this text."""
    found = [json.loads(each) for each in served.log_text().splitlines() if each.startswith("{")]
    return [each for each in found if each["text"] == text]


def line_of(served: Served, request_id: str) -> dict[str, Any]:
    """Return the line of a request."""

    def found() -> list[dict[str, Any]]:
        return [each for each in lines(served, "request") if each.get("request_id") == request_id]

    (line,) = until(found, what=f"the line of {request_id}")
    return line


def test_a_request_has_one_line_with_the_id_that_its_caller_gave(quiet: Served) -> None:
    answer = RestCaller(quiet).request("GET", "/v1/sessions?before=xyzzy", headers={"x-request-id": "mine-1"})
    assert answer.headers["x-request-id"] == "mine-1"
    line = line_of(quiet, "mine-1")
    assert {name: line[name] for name in ("level", "method", "path", "status", "app")} == {
        "level": "INFO",
        "method": "GET",
        "path": "/v1/sessions",
        "status": answer.status,
        "app": "demo",
    }
    assert line["ms"] >= 0
    assert "xyzzy" not in quiet.log_text()


@pytest.mark.parametrize("given", ["a b", "x" * 65, "ä", ""])
def test_an_invalid_request_id_is_replaced_by_a_new_one(quiet: Served, given: str) -> None:
    answer = RestCaller(quiet).request(
        "GET", "/v1/sessions", headers={"x-request-id": given.encode().decode("latin-1")}
    )
    named = answer.headers["x-request-id"]
    assert named.startswith("req_")
    assert line_of(quiet, named)["path"] == "/v1/sessions"


REST = "/loopos_ai_decision"
REFUSED: dict[str, tuple[str, str, Any, dict[str, str], int]] = {
    "no JSON": ("POST", REST, b'{"prompt": "plugh', {}, 400),
    "a key that nobody has": ("POST", REST, ASKED, {"authorization": "Bearer lwk_plugh_plover"}, 401),
    "another origin": ("POST", "/v1/tickets", {}, {"origin": "https://plugh.example"}, 403),
    "a job that nobody has": ("GET", "/v1/jobs/run_0?session_id=plugh", None, {}, 404),
    "another method": ("PUT", REST, ASKED, {}, 405),
    "too long": ("POST", "/v1/tickets", b"plugh" * 15_000, {}, 413),
    "another type": ("POST", REST, b"plugh", {"content-type": "text/plain"}, 415),
    "a field is missing": ("POST", REST, {"prompt": "xyzzy"}, {}, 422),
}


@pytest.mark.parametrize(("method", "path", "body", "headers", "status"), REFUSED.values(), ids=REFUSED)
def test_a_refused_request_has_one_line_with_its_id_and_no_word_of_what_was_sent(
    quiet: Served, method: str, path: str, body: Any, headers: dict[str, str], status: int
) -> None:
    answer = RestCaller(quiet).request(method, path, body, headers=headers)
    assert answer.status == status, answer.body
    line = line_of(quiet, answer.headers["x-request-id"])
    assert (line["method"], line["path"], line["status"]) == (method, path.partition("?")[0], status)
    whole = [each for each in quiet.log_text().splitlines() if answer.headers["x-request-id"] in each]
    assert len(whole) == 1
    assert not any(word in quiet.log_text() for word in ("xyzzy", "plugh", "plover", "Adventure"))


def test_a_run_has_one_line_that_leads_to_its_answer_and_no_word_of_its_request(quiet: Served) -> None:
    caller = RestCaller(quiet)
    answers = [caller.request("POST", "/loopos_ai_decision", ASKED) for _ in range(2)]
    assert [each.status for each in answers] == [200, 200]
    wanted = [each.headers["x-loopwire-run"] for each in answers]
    until(lambda: len(lines(quiet, "run ended")) >= len(wanted), what="the lines of the runs")
    ends = {each["run_id"]: each for each in lines(quiet, "run ended")}
    for id in wanted:
        assert (ends[id]["service"], ends[id]["outcome"], ends[id]["attempt"]) == ("decision", "success", 1)
        assert ends[id]["session_id"].startswith("ses_")
    about = [line for line in quiet.log_text().splitlines() if any(id in line for id in wanted)]
    assert len(about) == len(wanted), "one line for each, with its id"
    assert not any(word in quiet.log_text() for word in ("xyzzy", "plugh", "plover", "Adventure"))


def test_a_refusal_for_a_rate_has_one_line_and_a_flood_of_them_a_few(quiet: Served) -> None:
    caller = RestCaller(quiet)
    answers = [caller.request("POST", "/loopos_ai_decision", ASKED) for _ in range(20)]
    refused = [each for each in answers if each.status == 429]
    assert len(refused) == 18
    told = line_of(quiet, refused[0].headers["x-request-id"])
    assert (told["level"], told["status"], told["path"]) == ("INFO", 429, "/loopos_ai_decision")
    caller.request("GET", "/v1/sessions", headers={"x-request-id": "after"})
    assert line_of(quiet, "after")
    shown = [each for each in lines(quiet, "request") if each["status"] == 429]
    known = {each.headers["x-request-id"] for each in refused}
    assert len([each for each in shown if each["request_id"] in known]) == MOST_REFUSALS
    assert not any(word in quiet.log_text() for word in ("xyzzy", "plugh", "plover", "Adventure"))


def test_each_model_and_tool_call_has_one_debug_line_without_text() -> None:
    said = "quero vender um iPhone 12 plugh"
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0", "LOOPWIRE_LOG_LEVEL": "DEBUG"}) as running:
        caller = RestCaller(running)
        answer = caller.request("POST", "/chat", body_of(said, "xyzzy"))
        assert answer.status == 200
        run = answer.headers["x-loopwire-run"]
        until(lambda: lines(running, "run ended"), what="the end of the run")
        whole = running.log_text()
        models = [each for each in lines(running, "model call ended") if each["run_id"] == run]
        tools = [each for each in lines(running, "tool call ended") if each["run_id"] == run]
        (end,) = lines(running, "run ended")
        told = answer.body
    assert len(models) >= 2 and tools
    for each in (*models, *tools):
        assert (each["level"], each["service"], each["outcome"]) == ("DEBUG", "submission", "done")
        assert each["session_id"] == end["session_id"] and each["agent"] and each["ms"] >= 0
    assert {each["model"] for each in models} == {"demo"}
    assert sum(each["input_tokens"] + each["output_tokens"] for each in models) == end["tokens"]
    assert all(each["tool"].isidentifier() and each["call_id"] for each in tools)
    shown = [each["text"] for each in told if each.get("text")]
    assert shown
    assert [text for text in (said, "plugh", "iPhone", *shown) if text in whole] == []
