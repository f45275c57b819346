"""The requests of a client: what each one says, in whose name, and what becomes of its answer."""

from __future__ import annotations

import asyncio
import datetime
import re
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from loopwire.access import Access
from loopwire.errors import Closed, Garbled, LoopwireError, Refused, Unreachable
from loopwire.parts import Result
from tests.parts.clock import run_at_once
from tests.unit.sdk.api_server import TICKET, Asked, Json, api_server, respond_with
from tests.unit.sdk.plain import never, plain

STALE = respond_with(401, {"code": "unauthorized", "message": "Too old.", "retry": False})
DENIED = respond_with(403, {"code": "forbidden", "message": "No.", "retry": False})


def several(*answers: bytes) -> Callable[[Asked], bytes]:
    """Give each request the next answer, the last one for ever."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def test_the_address_of_the_socket_stands_beside_that_of_the_server() -> None:
    assert Access("http://127.0.0.1:8000/").socket_url == "ws://127.0.0.1:8000/ws"
    assert Access("https://shop.example").socket_url == "wss://shop.example/ws"


@pytest.mark.parametrize(
    ("session", "new", "body"),
    [
        ("ses_1", {"service": "chat"}, {"session_id": "ses_1"}),
        (None, {"service": "chat", "alias": None}, {"service": "chat"}),
        (None, {}, {}),
    ],
)
async def test_a_ticket_is_for_a_session_or_for_a_new_one(session: Any, new: Any, body: Json) -> None:
    async with api_server(several(respond_with(200, TICKET))) as server:
        access = Access(server.url)
        assert await access.ticket(session, **new) == ("t", "ses_1")
        (asked,) = server.asked
        assert (asked.what, asked.body) == ("POST /v1/tickets", body)
        assert not asked.headers.keys() & {"authorization", "cookie", "loopwire-user"}
        await access.aclose()


@pytest.mark.parametrize("body", [{"ticket": "t"}, {"session_id": "ses_1"}, []])
async def test_a_ticket_without_its_fields_is_garbage(body: Any) -> None:
    async with api_server(several(respond_with(200, body))) as server:
        access = Access(server.url)
        with pytest.raises(Garbled, match="a ticket has the fields ticket and session_id"):
            await access.ticket(None)
        await access.aclose()


async def test_requests_carry_the_bearer_of_a_key_or_user_or_the_visitor_cookie() -> None:
    async with api_server(several(respond_with(200, {}))) as server:
        for access in (Access(server.url, key="k"), Access(server.url, visitor="loopwire_visitor=v")):
            await access.json("GET", "/a")
            access.identified = "b"
            await access.json("GET", "/b")
            await access.aclose()
        said = [(each.headers.get("authorization"), each.headers.get("cookie")) for each in server.asked]
        assert said == [
            ("Bearer k", None),
            ("Bearer k", None),
            (None, "loopwire_visitor=v"),
            ("Bearer b", None),
        ]
        assert not [each for each in server.asked if "loopwire-user" in each.headers]


async def test_the_cookie_of_a_visitor_is_kept_without_its_attributes() -> None:
    answers = [
        respond_with(200, {}, set_cookie="loopwire_visitor=v.1==; Path=/; HttpOnly"),
        respond_with(404, {}, set_cookie="__Host-loopwire_visitor=v.2"),
    ]
    async with api_server(several(*answers)) as server:
        access = Access(server.url)
        await access.json("GET", "/a")
        assert access.visitor == "loopwire_visitor=v.1=="
        with pytest.raises(Refused):
            await access.json("GET", "/b")
        assert access.visitor == "__Host-loopwire_visitor=v.2"
        await access.aclose()


async def test_a_refusal_has_what_the_response_says() -> None:
    body = {"code": "rate_limited", "message": "Slower.", "retry": True}
    async with api_server(several(respond_with(429, body, retry_after="7"))) as server:
        access = Access(server.url)
        with pytest.raises(Refused) as refused:
            await access.json("GET", "/a")
        told = refused.value
        assert (told.code, told.message, told.retry) == ("rate_limited", "Slower.", True)
        assert (told.retry_after, told.status) == (7.0, 429)
        await access.aclose()


async def test_an_answer_that_is_no_json_names_its_address() -> None:
    async with plain(never) as server:
        url = server.url
    access = Access(url)
    with pytest.raises(Unreachable, match=re.escape(url)) as unreachable:
        await access.json("GET", "/a")
    assert (unreachable.value.code, unreachable.value.retry) == ("unreachable", True)
    await access.aclose()


def test_an_answer_is_waited_for_half_a_minute() -> None:
    async def wait() -> float:
        async with plain(never) as server:
            access = Access(server.url)
            with pytest.raises(Unreachable, match="Timeout"):
                await access.json("GET", "/a")
            await access.aclose()
            return asyncio.get_running_loop().time()

    assert run_at_once(wait()) == pytest.approx(30.0, abs=0.1)


async def test_a_server_whose_certificate_nobody_vouches_for_is_told_nothing(tmp_path: Path) -> None:
    heard: list[bytes] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read())

    server = await asyncio.start_server(take, "127.0.0.1", 0, ssl=own_certificate(tmp_path))
    async with server:
        access = Access(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", key="lwk_secret")
        with pytest.raises(Unreachable, match=r"(?i)certificate"):
            await access.json("GET", "/a")
        await access.aclose()
    assert b"".join(heard) == b""


def own_certificate(folder: Path) -> ssl.SSLContext:
    """Return the context of a server that vouches for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    file = folder / "own.pem"
    plain_key = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    form = serialization.PrivateFormat.PKCS8
    file.write_bytes(key.private_bytes(pem, form, plain_key) + made.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


async def test_a_client_that_was_closed_asks_nothing_more() -> None:
    async with api_server(several(respond_with(200, {}))) as server:
        access = Access(server.url)
        await access.aclose()
        with pytest.raises(RuntimeError, match="closed"):
            await access.json("GET", "/a")
        assert server.asked == []


async def test_no_other_cookie_is_sent_back() -> None:
    async with api_server(several(respond_with(200, {}, set_cookie="theme=dark; Path=/"))) as server:
        access = Access(server.url, key="lwk_1")
        for _ in range(2):
            await access.json("GET", "/a")
        assert [each.headers.get("cookie") for each in server.asked] == [None, None]
        await access.aclose()


class Shop:
    """The server of a shop, which mints tickets."""

    def __init__(self, *errors: Exception) -> None:
        self.asked: list[str | None] = []
        self._errors = list(errors)

    def __call__(self, session: str | None) -> Json:
        self.asked.append(session)
        if self._errors:
            raise self._errors.pop(0)
        return {"ticket": f"t{len(self.asked)}", "session_id": session or "ses_9"}


async def test_tickets_of_ones_own_server_are_asked_for_until_a_user_is_known() -> None:
    shop = Shop()
    async with api_server(several(respond_with(200, TICKET))) as server:
        access = Access(server.url, mint=shop)
        assert await access.ticket(None, service="chat") == ("t1", "ses_9")
        assert await access.ticket("ses_1") == ("t2", "ses_1")
        assert (shop.asked, server.asked) == ([None, "ses_1"], [])
        access.identified = "bearer"
        assert await access.ticket("ses_1") == ("t", "ses_1")
        assert (len(shop.asked), len(server.asked)) == (2, 1)
        await access.aclose()


async def test_the_ticket_function_may_be_async() -> None:
    async def mint(session: str | None) -> Json:
        return {**TICKET, "session_id": session}

    access = Access("http://127.0.0.1:1", mint=mint)
    assert await access.ticket("ses_7") == ("t", "ses_7")
    await access.aclose()


async def test_a_failing_ticket_function_is_retried_once_it_has_worked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    access = Access("http://127.0.0.1:1", mint=Shop(ZeroDivisionError("a"), ZeroDivisionError("b")))
    for retry in (False, True):
        with pytest.raises(Refused, match="ZeroDivisionError") as refused:
            await access.ticket(None)
        assert (refused.value.code, refused.value.retry) == ("no_ticket", retry)
        access.bearer = "token"
    assert [each.name for each in caplog.records] == ["loopwire", "loopwire"]
    await access.aclose()


@pytest.mark.parametrize("error", [Closed("gone"), Refused("busy", retry=True), Unreachable("unreachable")])
async def test_an_error_of_this_package_stays_what_it_is(error: LoopwireError) -> None:
    access = Access("http://127.0.0.1:1", mint=Shop(error))
    with pytest.raises(LoopwireError) as raised:
        await access.ticket(None)
    assert raised.value is error
    await access.aclose()


async def test_a_session_is_opened_by_the_newest_permission_and_by_a_ticket_where_it_is_stale() -> None:
    shop = Shop()
    async with api_server(several(respond_with(200, {"a": 1}), STALE, respond_with(200, {"b": 2}))) as server:
        access = Access(server.url, mint=shop)
        access.bearer = "resume"
        for answer in ({"a": 1}, {"b": 2}):
            told = await access.session_request("POST", "a/b", "/files", json=[1], headers={"x-own": "1"})
            assert told == answer
        assert server.requests == ["POST /v1/sessions/a%2Fb/files"] * 3
        bearers = ["Bearer resume", "Bearer resume", "Bearer t1"]
        assert [each.headers["authorization"] for each in server.asked] == bearers
        assert {each.headers["x-own"] for each in server.asked} == {"1"}
        assert [each.body for each in server.asked] == [[1]] * 3
        assert shop.asked == ["a/b"]
        await access.aclose()


@pytest.mark.parametrize(
    ("bearer", "answers", "code", "count"),
    [
        ("resume", [DENIED], "forbidden", 1),
        ("resume", [STALE, STALE], "unauthorized", 2),
        (None, [STALE], "unauthorized", 1),
    ],
)
async def test_a_session_that_is_refused_to_a_ticket_too_is_refused(
    bearer: str | None, answers: list[bytes], code: str, count: int
) -> None:
    async with api_server(several(*answers)) as server:
        access = Access(server.url, mint=Shop())
        access.bearer = bearer
        with pytest.raises(Refused) as refused:
            await access.session_request("GET", "ses_1", "/messages")
        assert (refused.value.code, len(server.asked)) == (code, count)
        await access.aclose()


@pytest.mark.parametrize("mint", [None, Shop()])
async def test_a_visitor_and_a_user_open_a_session_by_themselves(mint: Shop | None) -> None:
    async with api_server(several(respond_with(200, {}))) as server:
        access = Access(server.url, mint=mint, visitor="loopwire_visitor=v")
        access.identified = "bearer" if mint else None
        access.bearer = "resume"
        await access.session_request("GET", "a/b", "/messages", params={"limit": 3})
        (asked,) = server.asked
        assert asked.what == "GET /v1/sessions/a%2Fb/messages?limit=3"
        assert asked.headers.get("authorization") == ("Bearer bearer" if mint else None)
        await access.aclose()


async def test_stored_messages_are_read_page_by_page_the_newest_first() -> None:
    pages = [
        respond_with(200, {"messages": [{"id": "c"}, {"id": "d"}], "before": "2"}),
        respond_with(200, {"messages": [{"id": "a"}, {"id": "b"}], "before": None}),
    ]
    async with api_server(several(*pages)) as server:
        access = Access(server.url)
        assert [each["id"] async for each in access.messages("ses_1")] == ["d", "c", "b", "a"]
        path = "GET /v1/sessions/ses_1/messages?limit=50"
        assert server.requests == [path, f"{path}&before=2"]
        await access.aclose()


@pytest.mark.parametrize(
    ("job", "result"),
    [
        ({"status": "done"}, Result("finished", "Hi", "success")),
        ({"status": "running"}, None),
        ({"status": "queued", "error": None}, None),
        ({"status": "failed", "error": {"code": "cancelled"}}, Result("finished", "Hi", "cancelled")),
        ({"status": "failed", "error": {"code": "interrupt"}}, Result("finished", "Hi", "interrupt")),
        ({"status": "failed", "error": {"code": "timeout"}}, Result("error", "Hi", code="timeout")),
        ({"status": "failed", "error": None}, Result("error", "Hi", code="internal")),
    ],
)
async def test_the_end_of_a_run_is_asked_for(job: Json, result: Result | None) -> None:
    async with api_server(several(respond_with(200, job))) as server:
        access = Access(server.url)
        assert await access.end_of("run/1", "Hi") == result
        assert server.requests == ["GET /v1/jobs/run%2F1"]
        await access.aclose()


async def test_a_ticket_opens_no_job_and_a_user_does() -> None:
    async with api_server(several(respond_with(200, {"status": "done"}))) as server:
        access = Access(server.url, mint=Shop())
        with pytest.raises(Refused, match="A ticket opens no jobs") as refused:
            await access.end_of("run_1", "Hi")
        assert (refused.value.code, server.asked) == ("forbidden", [])
        access.identified = "bearer"
        assert await access.end_of("run_1", "Hi") == Result("finished", "Hi", "success")
        await access.aclose()
