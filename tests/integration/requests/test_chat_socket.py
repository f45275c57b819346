"""The socket at /chat: a sale, the admission, the refusals, and the end."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import pytest
from websockets.exceptions import InvalidStatus

from tests.integration.conversation.seller import new_address
from tests.integration.requests.chat_client import body_of, buttons, chat_socket
from tests.integration.requests.conftest import RestCaller
from tests.integration.ws.visitor import Talk, Visitor
from tests.parts.images import inline, png
from tests.parts.sampled import later
from tests.parts.server import Served, Servers
from tests.parts.wait import until_async

NESTED = '{"messages": ' + "[" * 50_000
MANY = '{"messages": [' + "[]," * 20_100 + "[]]}"


@pytest.fixture
def elsewhere() -> dict[str, str]:
    """Return an address of its own."""
    return {"x-forwarded-for": new_address()}


@pytest.mark.once
async def test_a_sale_comes_to_its_end_in_a_socket_that_names_no_conversation(
    loopwire: Served, elsewhere: dict[str, str]
) -> None:
    async with chat_socket(loopwire, headers=elsewhere) as talk:
        told = await talk.say("quero vender um iPhone 12")
        while not (shown := [each for each in told if "LW-" in each.get("html", "")]):
            assert all(each["role"] == "assistant" for each in told)
            told = await talk.say(buttons(told)[0])
    assert "iPhone 12" in shown[0]["html"]


@pytest.mark.once
async def test_a_conversation_goes_on_over_each_way_in(loopwire: Served) -> None:
    """POST /chat, its socket, a Loopwire socket by a ticket, and back, in one session of one visitor."""
    visitor, name = Visitor(loopwire), f"sale {uuid4()}"
    visitor.request("GET", "/v1/sessions")
    first = visitor.request("POST", "/chat", body_of("quero vender um iPhone 12", name))
    assert first.status == 200
    async with chat_socket(loopwire, headers={"cookie": visitor.cookie}) as chat:
        assert "64 GB" in buttons(await chat.say("Sim, iPhone 12", name))
        ticket = visitor.ticket(alias=name, service="submission")
        assert ticket["session_id"] == first.headers["x-loopwire-session"]
        socket = await visitor.socket()
        await socket.send(json.dumps({"type": "hello", "ticket": ticket["ticket"]}))
        talk = Talk(socket)
        await talk.until(lambda frame: frame.get("type") == "queue")
        await talk.say("64 GB", "m3")
        await talk.finished()
        told = await chat.say("Preto", name)
        assert "Excelente" in buttons(told)
        # What was said over /chat reached the other socket as it happened.
        words = [each["content"] for each in talk.transcript.messages if each["role"] == "user"]
        while words[-1:] != ["Preto"]:
            await talk.receive()
            words = [each["content"] for each in talk.transcript.messages if each["role"] == "user"]
        assert words == ["quero vender um iPhone 12", "Sim, iPhone 12", "64 GB", "Preto"]
    await visitor.aclose()
    last = visitor.request("POST", "/chat", body_of("Excelente", name))
    assert last.headers["x-loopwire-session"] == ticket["session_id"]


@pytest.mark.once
async def test_a_caller_without_cookie_is_known_by_the_name_of_its_conversation(caller: RestCaller) -> None:
    """With a cookie of its first answer it would be another visitor, and its conversation a new one."""
    name = str(uuid4())
    first = caller.request("POST", "/chat", body_of("quero vender um iPhone 12", name))
    assert "set-cookie" not in first.headers
    async with chat_socket(caller.served) as chat:
        assert "64 GB" in buttons(await chat.say("Sim, iPhone 12", name))
        assert "set-cookie" not in chat.socket.response.headers
    again = caller.request("POST", "/chat", body_of("64 GB", name))
    assert again.headers["x-loopwire-session"] == first.headers["x-loopwire-session"]
    assert caller.request("POST", "/chat", body_of("olá")).headers["set-cookie"] is None


@pytest.mark.once
async def test_a_picture_of_a_frame_is_one_of_the_message(loopwire: Served) -> None:
    async with chat_socket(loopwire) as talk:
        file = {"name": "a.png", "type": "image", "src": inline(png())}
        told = await talk.say("", messages=[{"role": "user", "files": [file]}])
        assert "imagens" in told[0]["text"]


@pytest.mark.once
@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"headers": {"authorization": "Bearer lwk_x_y"}}, 401),
    ],
)
async def test_a_client_that_may_not_connect_is_refused_at_the_handshake(
    loopwire: Served, options: dict[str, Any], status: int
) -> None:
    """The element would come back at once after a close, and waits five seconds after a refusal."""
    with pytest.raises(InvalidStatus) as refused:
        async with chat_socket(loopwire, **options):
            pass
    assert refused.value.response.status_code == status


@pytest.mark.once
async def test_a_closed_installation_is_open_to_its_visitors_and_allowed_origins_alone(
    serve: Servers,
) -> None:
    page = "https://shop.example"
    served = serve({"LOOPWIRE_OPEN_REQUESTS": "0", "LOOPWIRE_ALLOWED_ORIGINS": page})
    for origin, status in ((served.url, 401), (page, 401), ("https://shop.example.evil", 403)):
        with pytest.raises(InvalidStatus) as refused:
            async with chat_socket(served, origin=origin):
                pass
        assert refused.value.response.status_code == status
    visitor = Visitor(served)
    visitor.request("GET", "/v1/sessions")
    async with chat_socket(served, headers={"cookie": visitor.cookie}, subprotocols=["chat"]) as talk:
        assert talk.socket.subprotocol == "chat"
        assert buttons(await talk.say("quero vender um iPhone 12"))
        assert visitor.request("DELETE", "/v1/visitor").status == 204
        assert await talk.closed() == 4401


@pytest.mark.once
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", "bad_json"),
        later("", "bad_frame"),
        later("[]", "bad_frame"),
        later("3", "bad_frame"),
        ({}, "bad_frame"),
        later({"messages": [{"role": "user", "text": "olá"}]}, "bad_frame"),
        later(body_of("a" * 8_001), "bad_frame"),
        later(body_of("x\0y" * 3) | {"messages": [{"role": "ai", "text": "olá"}]}, "bad_frame"),
        (body_of("  "), "empty"),
        (NESTED, "too_long"),
        later(MANY, "too_long"),
        ("[" * 1_000, "bad_json"),
    ],
)
async def test_a_bad_message_gets_an_error_and_the_socket_stays_open(
    loopwire: Served, elsewhere: dict[str, str], body: object, code: str
) -> None:
    async with chat_socket(loopwire, headers=elsewhere) as talk:
        assert (await talk.refused(body))["code"] == code
        assert buttons(await talk.say("quero vender um iPhone 12"))


@pytest.mark.once
@pytest.mark.parametrize(
    ("frames", "code"),
    [([b"\0"], 1003), (["a" * 70_000], 1009), ([b"\0" * 70_000], 1009), (["{"] * 5, 4400)],
)
async def test_a_frame_that_the_element_never_sends_closes_the_socket(
    loopwire: Served, elsewhere: dict[str, str], frames: list[str | bytes], code: int
) -> None:
    async with chat_socket(loopwire, headers=elsewhere) as talk:
        for each in frames:
            await talk.send(each)
        assert await talk.closed() == code


@pytest.fixture
def slow(serve: Servers) -> Served:
    """Return a server whose answers take their time."""
    return serve({"LOOPWIRE_DEMO_DELAY_MS": "80"})


@pytest.mark.once
async def test_answers_come_in_their_order_and_a_fifth_question_has_to_wait(slow: Served) -> None:
    async with chat_socket(slow) as talk:
        for text in ("quero vender um iPhone 12", "Sim, iPhone 12", "64 GB", "Preto", "Excelente"):
            await talk.send(body_of(text))
        (busy,) = await talk.told()
        assert (busy["code"], busy["error"][:24]) == ("busy", "As suas últimas mensagen")
        labels = [buttons(await talk.told()) for _ in range(4)]
        assert ["64 GB" in labels[1], "Preto" in labels[2], "Excelente" in labels[3]] == [True] * 3


@pytest.mark.once
async def test_a_leaving_server_tells_the_answer_that_is_under_way_and_sends_the_others_away(
    slow: Served,
) -> None:
    visitor = Visitor(slow)
    visitor.request("GET", "/v1/sessions")
    async with chat_socket(slow) as idle, chat_socket(slow, headers={"cookie": visitor.cookie}) as busy:
        await busy.send(body_of("quero vender um iPhone 12"))
        await until_async(
            lambda: visitor.request("GET", "/v1/sessions").body["sessions"], what="the stored message"
        )
        ending = threading.Thread(target=slow.stop)
        ending.start()
        assert await idle.closed() == 1012
        assert buttons(await busy.told())
        assert await busy.closed() == 1012
        await asyncio.to_thread(ending.join)


@pytest.mark.once
async def test_chat_sockets_of_an_address_are_limited(serve: Servers) -> None:
    served = serve({"LOOPWIRE_LIMIT_CHAT_SOCKETS_PER_ADDRESS": "3"})
    async with AsyncExitStack() as stack:
        open_ = [await stack.enter_async_context(chat_socket(served)) for _ in range(3)]
        with pytest.raises(InvalidStatus) as refused:
            await stack.enter_async_context(chat_socket(served))
        assert refused.value.response.status_code == 503
        assert refused.value.response.headers["retry-after"]
        await open_[0].socket.close()

        async def come_in() -> Any:
            try:
                return await stack.enter_async_context(chat_socket(served))
            except InvalidStatus:
                return None  # The server has not seen the end of the other one yet.

        talk = await until_async(come_in, what="a place")
        assert buttons(await talk.say("quero vender um iPhone 12"))


@pytest.mark.once
async def test_messages_of_a_socket_count_like_requests(serve: Servers) -> None:
    served = serve({"LOOPWIRE_LIMIT_REQUESTS_PER_ADDRESS": "2/1h", "LOOPWIRE_DEMO_DELAY_MS": "0"})
    async with chat_socket(served) as talk:
        assert buttons(await talk.say("quero vender um iPhone 12"))
        assert await talk.say("Sim, iPhone 12")
        told = await talk.refused(body_of("64 GB"))
        assert (told["code"], told["retry_after"] > 0) == ("rate_limited", True)
    other = RestCaller(served)
    other.address = "127.0.0.1"
    assert other.request("POST", "/chat", body_of("olá")).status == 429
