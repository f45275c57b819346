"""The end of a run: its last event, and the rows that are committed for it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from server.agents.run.types import Outcome, Result
from server.agents.service import Service
from server.protocol.content_parts import EXPIRED, IMAGE, INPUT, OPERATOR, OPERATOR_TEXT, OPERATOR_WHISPER
from server.protocol.operators import change_part, said_part, whisper_part
from server.runs.execution.ending import (
    end_event,
    finish_of,
    give_up_finish,
    nothing_done,
    now_ms,
    posted_messages,
    result_without_agents,
    waiting_ids,
)
from server.runs.execution.follow_up import MAX_ATTEMPTS
from server.services import decision, id_validator, submission
from server.store import ROOT, Branch, Checkpoint, Claim, Interrupt
from server.words import say
from tests.unit.agents.outlet import run_row, session_row
from tests.unit.agents.teams import Bench

HELLO = [{"type": "text", "text": "hello"}]
WAITS = Interrupt(
    "int_1", "cal_1", "form", "ask_user", "Sizes", {"type": "object"}, "blk_1", 1_700_000_000_500
)
BRANCH = Branch("msg_0", ["msg_1"], None, None, kept=False)


def claim_of(content: list[dict[str, Any]] = HELLO, **changes: Any) -> Claim:
    of_claim = {name: changes.pop(name) for name in ("takeover", "checkpoint", "branch") if name in changes}
    session = changes.pop("session", session_row())
    given = {"takeover": False, "checkpoint": None, **of_claim}
    return Claim(run=run_row(content, **changes), session=session, alone=True, asked=0.0, **given)


def test_the_time_of_an_event_is_in_milliseconds_since_the_epoch() -> None:
    before = time.time()
    told = now_ms()
    assert before - 1 <= told / 1000 <= time.time()


def ended(outcome: str, code: str | None = None, **more: Any) -> dict[str, Any]:
    """Return the last event of a run, whose time is now."""
    before = now_ms()
    event = end_event("ses_1", "run_1", outcome, code, language="pt", **more)
    assert before <= event.pop("timestamp") <= now_ms()
    return event


def test_an_error_is_told_in_the_language_of_who_wrote_with_its_code() -> None:
    told = ended("error", "limit")
    assert (told["type"], told["code"]) == ("RUN_ERROR", "limit")
    assert told["metadata"] == {"loopwire": {"run_id": "run_1"}}
    assert told["message"] != end_event("ses_1", "run_1", "error", "limit", language="en")["message"]
    assert told["message"] != ended("error", "internal")["message"]


def test_an_error_without_a_code_is_one_of_ours() -> None:
    assert ended("error") == ended("error", "internal")


@pytest.mark.parametrize("outcome", ["success", "cancelled"])
def test_an_end_names_its_run_and_its_outcome_and_nothing_that_was_not_spent(outcome: str) -> None:
    told = ended(outcome)
    assert (told["type"], told["threadId"], told["runId"]) == ("RUN_FINISHED", "ses_1", "run_1")
    assert told["outcome"] == {"type": outcome}
    assert not {"usage", "metadata"} & told.keys()


def test_clients_get_the_tokens_and_not_the_cost() -> None:
    usage = {"model": "m", "inputTokens": 5, "costNano": 7, "currency": "EUR", "estimatedTokens": 3}
    told = ended("success", usage=usage)
    assert told["usage"] == [{"model": "m", "inputTokens": 5}]
    assert told["metadata"] == {"loopwire": {"estimated_tokens": 3}}
    two = ended("success", usage={"model": "m", "totalTokens": 5})
    assert two["usage"] == [{"model": "m", "totalTokens": 5}]


def test_a_model_that_counted_nothing_has_no_usage() -> None:
    assert "usage" not in ended("success", usage={"model": "m", "costNano": 0})


def test_a_question_is_told_with_all_that_an_answer_needs() -> None:
    told = ended("interrupt", interrupts=[WAITS])
    assert told["outcome"] == {
        "type": "interrupt",
        "interrupts": [
            {
                "id": "int_1",
                "reason": "tool_call",
                "message": "Sizes",
                "toolCallId": "cal_1",
                "responseSchema": {"type": "object"},
                "expiresAt": "2023-11-14T22:13:20.500Z",
                "metadata": {"loopwire": {"kind": "form", "block_id": "blk_1"}},
            }
        ],
    }


def test_waiting_ids_are_those_of_the_calls_and_their_blocks() -> None:
    of_page = replace(WAITS, id="int_2", call_id="cal_2", kind="tool", block_id=None)
    assert waiting_ids([WAITS, of_page]) == {"cal_1", "blk_1", "cal_2"}
    assert waiting_ids([]) == set()


def test_a_run_in_which_no_agent_did_anything_leaves_the_session_as_it_was() -> None:
    session = session_row(state={"a": 1}, agent="first")
    result = nothing_done(claim_of(session=session), "error", "limit")
    assert (result.outcome, result.code, result.agent, result.state) == ("error", "limit", "first", {"a": 1})
    assert (result.items, result.usage, result.interrupts) == ([{"role": "user", "content": "hello"}], {}, [])
    assert result.state is not session.state


def test_a_run_whose_agents_failed_leaves_what_its_checkpoint_has_without_torn_calls() -> None:
    said = {"role": "user", "content": "hello, as the agents were told it"}
    torn = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
    checkpoint = Checkpoint(None, [], {"b": 2}, [said, torn], "second")
    session = session_row(state={"a": 1}, agent="first")
    result = nothing_done(claim_of(session=session, checkpoint=checkpoint), "cancelled", None)
    assert (result.outcome, result.code) == ("cancelled", None)
    assert (result.items, result.agent, result.state) == ([said], "second", {"b": 2})


@pytest.mark.parametrize(
    ("content", "role", "read"),
    [
        ([said_part("On Monday.", "Ana")], "assistant", "On Monday."),
        ([whisper_part("Be brief.", None)], "assistant", "Be brief."),
        ([{"type": IMAGE, "blob_id": "blb_1"}], "user", "blb_1"),
    ],
)
def test_a_later_model_reads_what_began_a_run_without_an_answer(
    content: list[dict[str, Any]], role: str, read: str
) -> None:
    (item,) = nothing_done(claim_of(content), "success", None).items
    assert item["role"] == role
    assert read in str(item["content"])


def test_of_a_run_that_nobodys_words_began_a_later_model_reads_nothing() -> None:
    assert nothing_done(claim_of([change_part("joined", "Ana")]), "success", None).items == []


EXPIRY = [{"type": EXPIRED, "call_id": "c1", "block_id": None}]


@pytest.mark.parametrize(
    ("given", "cancelled", "outcome"),
    [
        ({}, False, None),
        ({}, True, "cancelled"),
        ({"takeover": True}, True, None),
        ({"kind": "note"}, False, "success"),
        ({"kind": "note"}, True, "cancelled"),
        ({"kind": "note", "content": EXPIRY}, True, "success"),
        ({"kind": "note", "content": [said_part("On Monday.", "Ana")]}, True, "success"),
        ({"kind": "note", "attempt": MAX_ATTEMPTS + 1}, False, "success"),
        ({"attempt": MAX_ATTEMPTS}, False, None),
        ({"attempt": MAX_ATTEMPTS + 1}, False, "error"),
        ({"attempt": MAX_ATTEMPTS + 1, "takeover": True}, True, "error"),
    ],
)
def test_no_agent_is_asked_of_a_note_of_what_was_stopped_and_of_what_was_tried_too_often(
    given: dict[str, Any], cancelled: bool, outcome: Outcome | None
) -> None:
    result = result_without_agents(claim_of(**{"content": HELLO, **given}), cancelled=cancelled)
    assert (result and result.outcome) == outcome
    assert (result and result.code) == ("instance_lost" if outcome == "error" else None)


def finished(claim: Claim, service: Any = None, **of_result: Any) -> Any:
    given = {
        "outcome": "success",
        "code": None,
        "items": [],
        "agent": "first",
        "state": {"a": 1},
        **of_result,
    }
    messages = [{"id": "msg_1", "role": "assistant", "content": "Hi."}]
    return finish_of(
        claim, Result(**given), service, messages=messages, first_seq=3, last_seq=9, trace_context="00-trace"
    )


def test_the_rows_of_an_end_are_those_of_its_result() -> None:
    resume = Checkpoint("{}", [], {}, [], "first")
    result = {"items": [{"role": "user", "content": "hello"}], "usage": {"model": "m"}, "response": {"b": 2}}
    rows = finished(claim_of(), **result, outcome="interrupt", interrupts=[WAITS], resume=resume)
    assert (rows.outcome, rows.code, rows.agent, rows.state) == ("interrupt", None, "first", {"a": 1})
    assert rows.messages == [{"id": "msg_1", "role": "assistant", "content": "Hi."}]
    assert (rows.items, rows.usage, rows.response) == (result["items"], {"model": "m"}, {"b": 2})
    assert (rows.first_seq, rows.last_seq, rows.trace_context) == (3, 9, "00-trace")
    assert (rows.interrupts, rows.resume) == ([WAITS], resume)
    assert (rows.title, rows.status_line, rows.parent) == (None, "waiting", None)
    assert (rows.request, rows.private) == (False, False)


@pytest.mark.parametrize(
    ("outcome", "line"),
    [("success", "1 item"), ("cancelled", "stopped"), ("error", "failed"), ("interrupt", "waiting")],
)
def test_a_session_shows_its_services_line_after_a_success_and_else_what_happened(
    outcome: str, line: str
) -> None:
    service = Bench().service(status=lambda state: (f"Title {state['a']}", "1 item"))
    rows = finished(claim_of(), service, outcome=outcome)
    assert (rows.title, rows.status_line) == ("Title 1", line)


def test_a_session_whose_service_has_no_line_shows_that_it_waits_no_more() -> None:
    assert finished(claim_of(session=session_row(status="waiting"))).status_line == ""


@pytest.mark.parametrize("part", [OPERATOR_TEXT, OPERATOR_WHISPER, OPERATOR])
def test_an_operators_words_leave_the_sessions_line_as_it_is(part: str) -> None:
    content = [said_part("Hi.", "Ana") | {"type": part, "status": "joined"}]
    rows = finished(claim_of(content, kind="note", session=session_row(status="waiting")))
    assert rows.status_line == ("" if part == OPERATOR else "waiting")


@pytest.mark.parametrize(
    ("url", "outcome", "posted"),
    [
        ("https://shop.example/hook", "success", True),
        ("https://shop.example/hook", "interrupt", True),
        ("https://shop.example/hook", "cancelled", False),
        ("https://shop.example/hook", "error", False),
        (None, "success", False),
    ],
)
def test_an_answer_in_words_is_posted_where_somebody_waits_for_it(
    url: str | None, outcome: str, posted: bool
) -> None:
    rows = finished(claim_of(callback_url=url), outcome=outcome)
    assert (rows.response is not None) is posted
    assert not posted or "Hi." in str(rows.response)


def test_the_buttons_of_a_question_that_is_posted_are_in_the_sessions_language() -> None:
    content = {"kind": "approval", "status": "open", "message": "Give bread?"}
    asks = {"id": "blk_1", "role": "activity", "activityType": "block", "content": content}
    claim = claim_of(callback_url="https://shop.example/hook", session=session_row(language="fr"))
    posted = str(posted_messages(claim, Result("interrupt", None, [], None), [asks]))
    assert say("approval.yes", "fr") in posted
    assert say("approval.yes", "fr") != say("approval.yes", "en")


def test_while_an_operator_answers_it_is_posted_that_a_person_has_the_message() -> None:
    url = "https://shop.example/hook"
    claim = claim_of(callback_url=url, kind="note", session=session_row(language="fr"))
    posted = posted_messages(claim, Result("success", None, [], None), [])
    assert posted == [{"text": say("chat.person", "fr"), "role": "assistant"}]
    assert posted_messages(claim_of(callback_url=url), Result("success", None, [], None), []) == []


@pytest.mark.parametrize(("service", "private"), [(decision.service, False), (id_validator.service, True)])
def test_a_service_with_a_contract_executes_requests_some_of_which_are_private(
    service: Service, private: bool
) -> None:
    rows = finished(claim_of(), service)
    assert (rows.request, rows.private) == (True, private)


def test_a_request_is_known_by_its_input() -> None:
    assert finished(claim_of([{"type": INPUT, "data": {}, "text": "a request"}])).request


@pytest.mark.parametrize(
    ("branch", "parent"), [(None, None), (BRANCH, "msg_0"), (replace(BRANCH, parent=None), ROOT)]
)
def test_the_end_of_a_branch_names_the_message_where_it_leaves_the_path(
    branch: Branch | None, parent: str | None
) -> None:
    claim = claim_of(branch=branch)
    assert finished(claim).parent == parent
    assert give_up_finish(claim).parent == parent


def test_the_end_of_another_version_that_no_attempt_could_report_on_names_those_before_it() -> None:
    message, notice = give_up_finish(claim_of(branch=replace(BRANCH, kept=True))).messages
    assert message["metadata"]["loopwire"]["versions"] == ["msg_1", "msg_user"]
    assert notice["id"] == "kept_msg_user"


def test_the_end_of_a_run_that_no_attempt_could_report_on_keeps_what_its_user_said() -> None:
    session = session_row(last_seq=20, last_run="run_0", state={"a": 1}, agent="first")
    claim = claim_of(session=session)
    rows = give_up_finish(claim)
    (message,) = rows.messages
    assert (message["id"], message["role"], message["content"]) == ("msg_user", "user", "hello")
    assert message["metadata"]["loopwire"]["ended"] == {"outcome": "error", "code": "instance_lost"}
    assert (rows.outcome, rows.code, rows.status_line) == ("error", "instance_lost", "failed")
    assert (rows.items, rows.state, rows.agent) == ([{"role": "user", "content": "hello"}], {"a": 1}, "first")
    # It has no event in the log, which ends where the run before it was told.
    assert (rows.first_seq, rows.last_seq, rows.request) == (22, 21, False)
    assert give_up_finish(claim_of([{"type": INPUT, "data": {}, "text": "a request"}])).request


@pytest.mark.parametrize(
    ("before", "parent", "first", "state", "title"),
    [
        ("Elops 520", None, None, {}, "hello"),
        ("Elops 520", "msg_4", "a bicycle", {}, "a bicycle"),
        ("Elops 520", "msg_4", None, {}, None),
        ("My own title", None, None, {}, None),
        ("Elops 520", None, None, {"product": "Rockrider ST 530"}, "Rockrider ST 530"),
    ],
)
def test_a_path_without_a_product_is_not_called_by_the_product_of_the_path_that_was_left(
    before: str, parent: str | None, first: str | None, state: dict[str, Any], title: str | None
) -> None:
    branch = replace(BRANCH, parent=parent, left={"product": "Elops 520"}, first=first)
    claim = claim_of(session=session_row(title=before), branch=branch)
    assert finished(claim, submission.service, state=state).title == title
