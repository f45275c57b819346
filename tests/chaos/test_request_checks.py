"""The final_checks of requests notices requests that are lost, doubled, answered differently or posted wrongly."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import httpx2
import pytest

from server.callbacks.signing import Secrets, signature_headers
from server.store.seal import Seal
from tests.chaos.frame_checks import FrameChecks
from tests.chaos.hooks import Hooks, Post, callback_key
from tests.chaos.program import RestRequest
from tests.chaos.request_checks import Requested
from tests.parts.wait import PATIENCE_S

RESULT = {"decision": "keep"}
RUN: dict[str, Any] = {
    "id": "run_1",
    "status": "finished",
    "published": True,
    "outcome": "success",
    "code": None,
    "response": json.dumps(RESULT),
}
ANSWER = (200, "run_1", RESULT)
ACCEPTED = (202, "run_1", {"job_id": "run_1"})
TOO_LATE = (504, "run_1", {"error": {"code": "timeout"}})
MODEL_TIMEOUT = (504, "run_1", {"error": {"code": "model_timeout"}})
POST = Post("cbk_1", json.dumps(RESULT).encode(), genuine=True)


async def judged(
    *answers: tuple[int, str, Any],
    runs: list[dict[str, Any]] | None = None,
    posts: list[Post] | None = None,
    job: dict[str, Any] | None = None,
) -> list[str]:
    async def rows(query: str, *values: str) -> list[dict[str, Any]]:
        return ([RUN] if runs is None else runs) if "FROM runs" in query else []

    hooks = Hooks(b"", Random(1))
    hooks.posts["/hook/1"] = posts or []
    request = RestRequest("/x", {}, "key-1", None if posts is None else "/hook/1", list(answers), job)
    final_checks = Requested(rows, hooks, Seal(None), FrameChecks(), 0.0)
    await final_checks.judge(request)
    return final_checks.checks.violations


async def test_the_oracle_accepts_a_request_with_one_run_and_equal_answers() -> None:
    assert await judged(ANSWER, ANSWER) == []
    assert await judged(runs=[]) == []
    assert await judged(TOO_LATE, ANSWER) == []
    late = {**RUN, "outcome": "error", "code": "model_timeout", "response": None}
    assert await judged(MODEL_TIMEOUT, MODEL_TIMEOUT, runs=[late]) == []
    job = {"job_id": "run_1", "result": RESULT}
    assert await judged(ACCEPTED, posts=[POST, POST], job=job) == []
    failed = {**RUN, "outcome": "error", "code": "limit", "response": None}
    told = Post("cbk_1", b'{"error": "limit", "job_id": "run_1"}', genuine=True)
    assert await judged(ACCEPTED, runs=[failed], posts=[told], job={**job, "result": None}) == []


@pytest.mark.parametrize(
    ("answers", "more"),
    [
        ([ANSWER], {"runs": []}),
        ([ANSWER], {"runs": [RUN, {**RUN, "id": "run_2"}]}),
        ([ANSWER, (200, "run_1", {"decision": "sell"})], {}),
        ([(200, "run_1", {"decision": "sell"})], {}),
        ([(500, "run_1", {})], {}),
        ([MODEL_TIMEOUT, ANSWER], {}),
        ([ANSWER], {"runs": [{**RUN, "published": False}]}),
        ([ANSWER], {"runs": [{**RUN, "response": None}]}),
        ([ACCEPTED], {"posts": []}),
        ([ACCEPTED], {"posts": [Post("cbk_1", POST.body, genuine=False)]}),
        ([ACCEPTED], {"posts": [POST, Post("cbk_2", POST.body, genuine=True)]}),
        ([ACCEPTED], {"posts": [Post("cbk_1", b"{}", genuine=True)]}),
        ([ACCEPTED], {"posts": [POST], "job": {"job_id": "run_1", "result": None}}),
    ],
)
async def test_the_oracle_reports_lost_doubled_and_differing_requests(
    answers: list[tuple[int, str, Any]], more: dict[str, Any]
) -> None:
    assert await judged(*answers, **more)


async def test_the_receiver_accepts_a_refused_callback_again_and_knows_genuine_ones() -> None:
    key = callback_key("s" * 32, "demo")
    assert Secrets({}, b"s" * 32).of("demo") == [key]
    hooks = Hooks(key, Random(3), refused=1.0)
    await hooks.start("127.0.0.1")
    statuses = []
    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
        for signed in (key, key, b"another"):
            headers = signature_headers([signed], "cbk_1", 1_790_000_000, b"{}")
            try:
                answer = await client.post(f"http://{hooks.address}/hook/1", content=b"{}", headers=headers)
                statuses.append(answer.status_code)
            except httpx2.HTTPError:
                statuses.append(None)
    hooks.close()
    assert statuses[0] in (500, None)
    assert statuses[1:] == [204, 204]
    assert [each.genuine for each in hooks.posts["/hook/1"]] == [True, True, False]


async def test_a_failed_run_that_its_key_began_anew_is_no_second_answer() -> None:
    failed = (504, "run_0", {"error": {"code": "model_timeout"}})
    assert await judged(failed, ANSWER) == []
    assert await judged(ANSWER, failed) != []
    assert await judged((200, "run_0", RESULT), ANSWER) != []
