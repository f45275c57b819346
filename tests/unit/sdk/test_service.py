"""The side of a backend: each request as it is sent, and its answer as it is read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import loopwire
from loopwire import Garbled, Job
from loopwire.service import Answer, Written
from tests.parts.clock import run_at_once
from tests.unit.sdk.api_server import TICKET, Asked, api_server, respond_with
from tests.unit.sdk.plain import never, plain
from tests.unit.sdk.socket_server import Caller, Json, ack, answer, numbered

HEADERS = {"x_loopwire_run": "run_1", "x_loopwire_session": "ses_1"}
JOB: Json = {"job_id": "run_1", "session_id": "ses_1", "status": "done", "result": {"a": 1}}


def several(*answers: bytes) -> Callable[[Asked], bytes]:
    """Give each request the next answer, the last one for ever."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


async def test_a_request_says_for_whom_it_is_and_which_one_it_is() -> None:
    answers = [
        respond_with(200, {"a": "b"}, x_loopwire_demo="true", **HEADERS),
        respond_with(200, [1], x_loopwire_demo="false"),
    ]
    async with (
        api_server(several(*answers)) as server,
        loopwire.service(server.url, "lwk_1", user="ana") as backend,
    ):
        made = await backend.request("translator", {"text": "x"}, id="r1")
        assert made == Answer({"a": "b"}, "run_1", "ses_1", demo=True)
        for _ in range(2):
            made = await backend.request("/elsewhere", {}, user="josé")
            assert made == Answer([1], "", "", demo=False)
        first, *others = server.asked
        assert (first.what, first.body) == ("POST /loopos_ai_translator", {"text": "x"})
        assert (first.headers["idempotency-key"], first.headers["loopwire-user"]) == ("r1", "ana")
        assert {each.what for each in others} == {"POST /elsewhere"}
        assert {each.headers["loopwire-user"] for each in others} == {"jos%C3%A9"}
        assert len({each.headers["idempotency-key"] for each in server.asked}) == 3
        assert {each.headers["authorization"] for each in server.asked} == {"Bearer lwk_1"}


def test_an_answer_of_a_service_is_waited_for_as_long_as_a_run_may_take() -> None:
    async def wait() -> float:
        async with plain(never) as server, loopwire.service(server.url, "lwk_1") as backend:
            with pytest.raises(loopwire.Unreachable):
                await backend.request("translator", {})
            return asyncio.get_running_loop().time()

    assert run_at_once(wait()) == pytest.approx(330.0, abs=0.1)


async def test_a_request_is_begun_and_looked_after() -> None:
    steps = [{"type": "agent", "name": "a", "status": "done"}]
    answers = [
        *[respond_with(202, {"job_id": "run_1", "status": "queued"}, **HEADERS)] * 2,
        respond_with(200, {**JOB, "progress": 0.5, "steps": steps}),
        respond_with(200, {**JOB, "status": "failed", "result": None, "error": {"code": "timeout"}}),
        respond_with(200, {**JOB, "error": None}),
    ]
    async with api_server(several(*answers)) as server, loopwire.service(server.url, "lwk_1") as backend:
        job = await backend.start(
            "translator", {"text": "x"}, callback_url="http://shop/", id="r1", user="eva"
        )
        assert job == Job("run_1", "ses_1", "queued", user="eva")
        await backend.start("translator", {}, callback_url="http://shop/")
        looked = Job("run_1", "ses_1", "done", {"a": 1}, None, 0.5, tuple(steps), "eva")
        assert await backend.job(job) == looked
        assert await backend.job("a/b", user="eva") == Job(
            "run_1", "ses_1", "failed", code="timeout", user="eva"
        )
        assert await backend.job(job) == Job("run_1", "ses_1", "done", {"a": 1}, user="eva")
        begun, other, *looks = server.asked
        assert (begun.what, begun.body) == (
            "POST /loopos_ai_translator",
            {"text": "x", "callback_url": "http://shop/"},
        )
        assert (begun.headers["idempotency-key"], begun.headers["loopwire-user"]) == ("r1", "eva")
        assert len(other.headers["idempotency-key"]) == 32
        assert [each.what for each in looks] == [
            "GET /v1/jobs/run_1",
            "GET /v1/jobs/a%2Fb",
            "GET /v1/jobs/run_1",
        ]
        assert [each.headers.get("loopwire-user") for each in looks] == ["eva", "eva", "eva"]


@pytest.mark.parametrize(
    "answered",
    [
        respond_with(202, {"status": "queued"}, **HEADERS),
        respond_with(202, {"job_id": "run_1"}, **HEADERS),
        respond_with(202, {"job_id": "run_1", "status": "queued"}),
        respond_with(202, [], **HEADERS),
    ],
    ids=["no id", "no status", "no session", "a list"],
)
async def test_a_request_that_was_begun_without_its_fields_is_garbage(answered: bytes) -> None:
    async with api_server(several(answered)) as server, loopwire.service(server.url, "lwk_1") as backend:
        with pytest.raises(Garbled, match="a request that was begun has a job_id and a session"):
            await backend.start("translator", {}, callback_url="http://shop/")


async def test_a_request_is_waited_for_in_its_session_in_the_name_of_its_user() -> None:
    async def tell(caller: Caller) -> None:
        await caller.greet()
        await caller.say(*numbered(answer("run_1")))
        await caller.stay()

    def respond(asked: Asked) -> bytes:
        return respond_with(200, TICKET if "tickets" in asked.what else JOB)

    async with (
        api_server(respond, tell) as server,
        loopwire.service(server.url, "lwk_1", user="ana") as backend,
    ):
        job = Job("run_1", "ses_1", "queued")
        assert (await backend.wait(job)).result == {"a": 1}
        await backend.wait(job, user="eva")
        kinds = [(each.what, each.headers.get("loopwire-user")) for each in server.asked]
        both = ("POST /v1/tickets", "GET /v1/jobs/run_1")
        assert kinds == [(what, user) for user in ("ana", "eva") for what in both]
        assert server.asked[0].body == {"session_id": "ses_1"}
        assert {each.headers["authorization"] for each in server.asked} == {"Bearer lwk_1"}


async def test_a_chat_of_a_backend_begins_as_it_says() -> None:
    async def talk(caller: Caller) -> None:
        await caller.greet()
        await caller.say(ack(await caller.hear()))
        await caller.stay()

    async with api_server(several(respond_with(200, TICKET)), talk) as server:
        backend = loopwire.service(server.url, "lwk_1")
        async with backend.connect(user="eva", service="chat", alias="order 17", language="pt") as chat:
            await chat.send("Hi")
        (asked,) = server.asked
        assert asked.body == {"service": "chat", "alias": "order 17", "language": "pt"}
        assert asked.headers["loopwire-user"] == "eva"
        await backend.aclose()
        with pytest.raises(RuntimeError, match="closed"):
            await backend.job("run_1")


async def test_a_conversation_begins_with_what_is_given() -> None:
    async with (
        api_server(several(respond_with(201, {"id": "ses_1"}))) as server,
        loopwire.service(server.url, "lwk_1") as backend,
    ):
        assert await backend.begin() == "ses_1"
        given = {"service": "chat", "alias": "a", "language": "pt", "callback_url": "http://shop/"}
        await backend.begin(
            given["service"], user="eva", **{k: v for k, v in given.items() if k != "service"}
        )
        assert [each.body for each in server.asked] == [{}, given]
        assert {each.what for each in server.asked} == {"POST /v1/sessions"}
        assert [each.headers.get("loopwire-user") for each in server.asked] == [None, "eva"]


def pages(name: str) -> list[bytes]:
    """Return two pages."""
    return [
        respond_with(200, {name: [{"id": "1"}, {"id": "2"}], "before": "x/1"}),
        respond_with(200, {name: [{"id": "3"}], "before": None}),
    ]


async def test_conversations_and_messages_are_read_page_by_page() -> None:
    both = [*pages("sessions"), *pages("messages"), *pages("sessions"), *pages("sessions")]
    async with api_server(several(*both)) as server, loopwire.service(server.url, "lwk_1") as backend:

        async def ids(source: Any) -> str:
            return "".join([each["id"] async for each in source])

        assert await ids(backend.conversations(user="eva")) == "123"
        assert await ids(backend.history("a/b", user="ana")) == "213"
        assert await ids(backend.app_conversations()) == "123"
        assert await ids(backend.app_conversations("blue lamp")) == "123"
        places = ("limit=50", "limit=50&before=x%2F1")
        assert server.requests == [
            *(f"GET /v1/sessions?{each}" for each in places),
            *(f"GET /v1/sessions/a%2Fb/messages?{each}" for each in places),
            *(f"GET /v1/operator/sessions?{each}" for each in places),
            *(f"GET /v1/operator/sessions?q=blue+lamp&{each}" for each in places),
        ]
        users = [each.headers.get("loopwire-user") for each in server.asked]
        assert users == ["eva", "eva", "ana", "ana", None, None, None, None]


async def test_a_person_of_the_team_writes_under_a_name_or_without_one() -> None:
    told = {"run_id": "run_1", "message_id": "msg_1"}
    answers = [respond_with(200, {**told, "dup": True}), respond_with(200, told), respond_with(200, {})]
    async with api_server(several(*answers)) as server, loopwire.service(server.url, "lwk_1") as backend:
        assert await backend.write("a/b", "Hi", name="Ana", id="w1") == Written("run_1", "msg_1", dup=True)
        assert await backend.write("a/b", "Hi") == Written("run_1", "msg_1", dup=False)
        await backend.take_over("a/b", "Ana")
        await backend.take_over("a/b")
        await backend.give_back("a/b")
        path = "/v1/sessions/a%2Fb"
        assert server.requests == [
            *[f"POST {path}/messages"] * 2,
            *[f"PUT {path}/operator"] * 2,
            f"DELETE {path}/operator",
        ]
        one, other, *taken = [each.body for each in server.asked]
        assert one == {"id": "w1", "content": "Hi", "name": "Ana"}
        assert other == {"id": other["id"], "content": "Hi"}
        assert len(other["id"]) == 32
        assert taken[:2] == [{"name": "Ana"}, {}]
