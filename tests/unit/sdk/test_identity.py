"""The identity of a user, on a clock that jumps: tokens are exchanged, asked for anew in time, and given up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from loopwire.access import Access
from loopwire.errors import Garbled, Refused
from loopwire.identity import Identified, Identity
from loopwire.tasks import Tasks
from tests.parts.clock import jump, run_at_once
from tests.parts.sampled import later
from tests.unit.sdk.api_server import TICKET, ApiServer, Asked, Json, api_server, respond_with

OPEN: Json = {"app": "shop", "session_id": "ses_1", "resume_token": None, "service": None}
REFUSED: Json = {"error": {"code": "unauthorized", "message": "Who?", "retry": False}}


class Talker:
    """A client's identity at an API server, and who it was said to be."""

    def __init__(self, server: ApiServer) -> None:
        self.server = server
        self.access = Access(server.url)
        self.tasks = Tasks()
        self.told: list[Identified] = []
        self.identity = Identity(self.access, self.tasks, self._arrive)

    async def _arrive(self, told: Identified) -> None:
        self.told.append(told)

    async def set(self, given: Any) -> Identified:
        """Say who talks."""
        return await self.identity.set(given, lambda: OPEN)

    @property
    def tokens(self) -> list[str | None]:
        """Return the tokens that were exchanged."""
        return [each.body["token"] for each in self.server.asked if each.what == "POST /v1/identify"]

    @property
    def moments(self) -> list[float]:
        """Return when tokens were exchanged."""
        return [each.at for each in self.server.asked if each.what == "POST /v1/identify"]


def identified(seconds: float | None = 600, **more: Any) -> bytes:
    """Return the answer to a token."""
    ends = {} if seconds is None else {"expires_in": seconds}
    return respond_with(200, {"token": "bearer", "user": "ana", "session_id": "ses_1", **ends, **more})


def several(*answers: bytes) -> Callable[[Asked], bytes]:
    """Give each request the next answer, the last one for ever."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


@asynccontextmanager
async def talker(*answers: bytes) -> AsyncIterator[Talker]:
    """Run a talker at an API server with these answers."""
    async with api_server(several(*answers)) as server:
        made = Talker(server)
        try:
            yield made
        finally:
            made.identity.close()
            await made.tasks.aclose()
            await made.access.aclose()


def tokens(*, is_async: bool) -> Callable[[], str | Awaitable[str]]:
    """Return what signs a new token each time."""
    numbers: Iterator[int] = iter(range(1, 100))

    async def later() -> str:
        return f"token {next(numbers)}"

    return later if is_async else lambda: f"token {next(numbers)}"


def test_a_token_is_exchanged_once_with_what_is_open() -> None:
    async def talk() -> None:
        async with talker(identified()) as ana:
            told = await ana.set("signed")
            assert told == Identified("ana", "ses_1")
            assert (ana.told, ana.access.identified) == ([told], "bearer")
            await jump(10_000)
            (asked,) = ana.server.asked
            assert asked.body == {"app": "shop", "session_id": "ses_1", "token": "signed"}

    run_at_once(talk())


@pytest.mark.parametrize("is_async", [True, later(False)])
@pytest.mark.parametrize(("seconds", "early"), [(600, 540), later(120, 60), later(100, 50), (2, 1)])
def test_the_next_token_is_asked_for_a_minute_before_the_end_or_halfway(
    seconds: float, early: float, is_async: bool
) -> None:
    async def talk() -> None:
        async with talker(identified(seconds)) as ana:
            await ana.set(tokens(is_async=is_async))
            await ana.server.reached(3)
            await asyncio.sleep(0)
            assert ana.tokens == ["token 1", "token 2", "token 3"]
            begun = ana.moments[0]
            assert [each - begun for each in ana.moments] == pytest.approx([0, early, 2 * early])
            assert {each.body["session_id"] for each in ana.server.asked} == {"ses_1"}
            assert ana.told[:2] == [Identified("ana", "ses_1")] * 2

    run_at_once(talk())


@pytest.mark.parametrize("given", ["another", None])
def test_a_function_is_asked_no_more_when_another_token_is_given(given: str | None) -> None:
    async def talk() -> None:
        async with talker(identified()) as ana:
            await ana.set(tokens(is_async=True))
            await ana.set(given)
            await jump(10_000)
            assert ana.tokens == ["token 1", given]

    run_at_once(talk())


def test_a_token_without_a_function_may_have_no_end() -> None:
    async def talk() -> None:
        async with talker(identified(None)) as ana:
            assert await ana.set("signed") == Identified("ana", "ses_1")

    run_at_once(talk())


def test_another_function_is_asked_at_its_own_times_alone() -> None:
    async def talk() -> None:
        async with talker(identified()) as ana:
            await ana.set(tokens(is_async=True))
            await jump(100)
            await ana.set(tokens(is_async=True))
            await ana.server.reached(4)
            assert ana.moments == pytest.approx([0, 100, 640, 1180])

    run_at_once(talk())


def test_a_function_that_was_due_while_the_user_signed_out_is_not_asked() -> None:
    async def talk() -> None:
        async with talker(identified(60)) as ana:
            await ana.set(tokens(is_async=True))
            async with ana.identity._saying:
                leaving = asyncio.ensure_future(ana.set(None))
                await jump(31)
            await leaving
            await jump(100)
            assert ana.tokens == ["token 1", None]

    run_at_once(talk())


def test_a_chat_that_is_closed_asks_for_no_token() -> None:
    async def talk() -> None:
        async with talker(identified()) as ana:
            ana.identity.close()
            await ana.set(tokens(is_async=True))
            ana.identity.close()
            await jump(10_000)
            assert ana.tokens == ["token 1"]

    run_at_once(talk())


def test_a_renewal_that_is_refused_is_logged_and_tried_again_until_it_succeeds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    refused = respond_with(401, REFUSED)

    async def talk() -> None:
        async with talker(identified(), refused, refused, identified(), identified()) as ana:
            await ana.set(tokens(is_async=True))
            await ana.server.reached(5)
            begun = ana.moments[0]
            assert [each - begun for each in ana.moments] == pytest.approx([0, 540, 570, 600, 1140])
            assert len(ana.told) >= 2

    run_at_once(talk())
    assert [(each.name, each.getMessage()) for each in caplog.records if each.levelname == "WARNING"] == [
        ("loopwire", "the identity was not renewed: Who? (unauthorized)")
    ] * 2


def test_another_token_that_is_refused_leaves_the_user_whose_bearer_is_renewed_as_before() -> None:
    async def talk() -> None:
        async with talker(identified(), respond_with(401, REFUSED), identified()) as ana:
            await ana.set(tokens(is_async=True))
            with pytest.raises(Refused):
                await ana.set("another")
            await ana.server.reached(3)
            assert ana.tokens == ["token 1", "another", "token 2"]

    run_at_once(talk())


def test_what_a_function_raises_is_logged_and_it_is_called_again(caplog: pytest.LogCaptureFixture) -> None:
    calls: list[int] = []

    def mint() -> str:
        calls.append(1)
        if len(calls) == 2:
            raise ZeroDivisionError
        return f"token {len(calls)}"

    async def talk() -> None:
        async with talker(identified()) as ana:
            await ana.set(mint)
            await ana.server.reached(2)
            assert ana.tokens == ["token 1", "token 3"]

    run_at_once(talk())
    (record,) = [each for each in caplog.records if each.levelname == "ERROR"]
    assert (record.name, record.getMessage()) == ("loopwire", "no identity token")


def test_a_function_that_raises_while_a_bearer_is_replaced_may_be_called_again() -> None:
    calls: list[int] = []

    async def mint() -> str:
        calls.append(1)
        if len(calls) == 2:
            raise OSError("no network")
        return f"token {len(calls)}"

    answers = [identified(), respond_with(401, REFUSED), respond_with(401, REFUSED)]

    async def talk() -> None:
        async with talker(*answers, identified(), respond_with(200, TICKET)) as ana:
            await ana.set(mint)
            with pytest.raises(Refused) as refused:
                await ana.identity.ticket("ses_1", {})
            assert (refused.value.code, refused.value.retry) == ("no_token", True)
            assert await ana.identity.ticket("ses_1", {}) == ("t", "ses_1")
            assert ana.tokens == ["token 1", "token 3"]

    run_at_once(talk())


def test_a_chat_that_is_closed_while_a_token_is_requested_asks_for_no_more() -> None:
    asked: list[int] = []

    async def mint() -> str:
        asked.append(1)
        await jump(5)
        return "signed"

    async def talk() -> None:
        async with talker(identified()) as ana:
            await ana.set(mint)
            await jump(542)
            ana.identity.close()
            await ana.tasks.aclose()
            await jump(10_000)

    run_at_once(talk())
    assert len(asked) == 2


def test_a_ticket_that_is_refused_to_a_user_is_asked_for_with_the_next_token() -> None:
    answers = [identified(), respond_with(401, REFUSED), identified(), respond_with(200, TICKET)]

    async def talk() -> None:
        async with talker(*answers) as ana:
            await ana.set(tokens(is_async=True))
            assert await ana.identity.ticket("ses_1", {"service": "chat"}) == ("t", "ses_1")
            assert ana.tokens == ["token 1", "token 2"]
            assert [each.body for each in ana.server.asked][1:] == [
                {"session_id": "ses_1"},
                {"app": "shop", "session_id": "ses_1", "token": "token 2"},
                {"session_id": "ses_1"},
            ]

    run_at_once(talk())


def test_a_new_conversation_of_a_user_begins_as_it_was_asked_for_after_the_next_token_too() -> None:
    answers = [identified(), respond_with(401, REFUSED), identified(), respond_with(200, TICKET)]

    async def talk() -> None:
        async with talker(*answers) as ana:
            await ana.set(tokens(is_async=False))
            await ana.identity.ticket(None, {"service": "chat", "alias": None})
            bodies = [each.body for each in ana.server.asked]
            assert bodies[1] == bodies[3] == {"service": "chat"}

    run_at_once(talk())


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("forbidden", tokens(is_async=True)),
        ("forbidden", "signed"),
        ("unauthorized", "signed"),
        ("unauthorized", None),
    ],
)
def test_another_refusal_of_a_ticket_is_raised(code: str, given: Any) -> None:
    async def talk() -> None:
        refused = respond_with(401, {"error": {"code": code, "retry": False}})
        async with talker(*([identified()] if given else []), refused) as ana:
            if given:
                await ana.set(given)
            with pytest.raises(Refused, match=code):
                await ana.identity.ticket(None, {})
            assert len(ana.server.asked) == (2 if given else 1)

    run_at_once(talk())


@pytest.mark.parametrize("missing", ["token", "user", "session_id", "expires_in"])
def test_an_identity_without_its_fields_is_garbage(missing: str) -> None:
    answer = {"token": "bearer", "user": "ana", "session_id": None, "expires_in": 600}
    del answer[missing]

    async def talk() -> None:
        async with talker(respond_with(200, answer)) as ana:
            with pytest.raises(
                Garbled, match="an identity has the fields token, user, session_id and expires_in"
            ):
                await ana.set(tokens(is_async=True))
            assert (ana.told, ana.access.identified) == ([], None)

    run_at_once(talk())


def test_a_ticket_waits_until_it_is_said_who_talks() -> None:
    async def mint() -> str:
        await jump(5)
        return "signed"

    async def talk() -> None:
        async with talker(identified(), respond_with(200, TICKET)) as ana:
            saying = asyncio.ensure_future(ana.set(mint))
            await jump(1)
            await ana.identity.ticket(None, {})
            await saying
            assert ana.server.requests == ["POST /v1/identify", "POST /v1/tickets"]
            assert ana.server.asked[1].headers["authorization"] == "Bearer bearer"

    run_at_once(talk())
