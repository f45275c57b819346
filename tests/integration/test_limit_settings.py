"""Each limit that an operator sets is the one that holds: where it is smaller than the default, it refuses sooner."""

from __future__ import annotations

import select
import sqlite3
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from server.limits import Limits
from server.services import services
from tests.integration.api.test_push import subscription
from tests.integration.test_doctor import run
from tests.integration.ws.raw import CLOSE, PING, PONG, closing, frame, raw
from tests.integration.ws.visitor import Visitor
from tests.parts.app_keys import new_key
from tests.parts.images import form, inline, noisy_png, png
from tests.parts.push_receiver import Browser
from tests.parts.sampled import later
from tests.parts.server import Served, Servers

pytestmark = pytest.mark.once

LIMIT = "LOOPWIRE_LIMIT_"
CHAT = {"loopos_core_base_url": "https://core.example", "loopos_submission_base_url": "https://sub.example"}
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q"
    "DwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SMALL = {
    f"{LIMIT}MESSAGES_PER_SESSION": "2/1h",
    f"{LIMIT}FRAMES_PER_SOCKET": "4/1h",
    f"{LIMIT}BAD_FRAMES_PER_SOCKET": "3/1h",
    f"{LIMIT}TICKETS_PER_VISITOR": "2/1h",
    f"{LIMIT}REPEATS_PER_SESSION": "3/1h",
    f"{LIMIT}CHANGES_PER_ADDRESS": "2/1h",
    f"{LIMIT}POLLS_PER_ADDRESS": "2/1h",
    f"{LIMIT}GUESSES_PER_VISITOR": "3/1h",
    f"{LIMIT}CONTROL_FRAMES_PER_SOCKET": "20/1h",
    f"{LIMIT}CONTROL_FRAMES_PER_ADDRESS": "30/1h",
}


@pytest.fixture(scope="module")
def small() -> object:
    """Yield a server that allows a session and a visitor little."""
    servers = Servers({"LOOPWIRE_DEMO_DELAY_MS": "0", **SMALL})
    yield servers()
    servers.close()


@pytest.fixture
async def guest(small: Served) -> AsyncIterator[Visitor]:
    """Yield a new visitor of that server."""
    new = Visitor(small)
    yield new
    await new.aclose()


async def test_messages_of_a_session_are_limited(guest: Visitor) -> None:
    talk = await guest.open()
    for number in range(2):
        assert (await talk.say("olá", f"m{number}"))["type"] == "ack"
        await talk.finished()
    assert (await talk.say("olá", "m2"))["code"] == "rate_limited"
    other = await guest.open()
    assert (await other.say("olá", "m0"))["type"] == "ack"


async def test_repeated_messages_of_a_session_are_limited(guest: Visitor) -> None:
    """A message that comes again counts as none so often; beyond it each counts as a new one."""
    talk = await guest.open()
    answers = [(await talk.say("olá", "m0")) for _ in range(6)]
    assert [each.get("code", "ack") for each in answers] == ["ack"] * 5 + ["rate_limited"]


async def test_changes_of_sessions_by_an_address_are_limited(guest: Visitor) -> None:
    path = f"/v1/sessions/{guest.ticket()['session_id']}"
    answers = [guest.request("PATCH", path, {"title": f"No. {number}"}).status for number in range(3)]
    assert answers == [200, 200, 429]


async def test_polls_of_jobs_by_an_address_are_limited(guest: Visitor) -> None:
    answers = [guest.request("GET", "/v1/jobs/run_none") for _ in range(3)]
    assert [each.status for each in answers] == [404, 404, 429]
    assert int(answers[-1].headers["retry-after"]) > 0


async def test_reads_by_an_address_are_limited(serve: Servers) -> None:
    guest = Visitor(serve({f"{LIMIT}READS_PER_ADDRESS": "2/1h"}))
    own = f"/s/{guest.ticket()['session_id']}"
    answers = [guest.request("GET", each) for each in (own, "/docs", "/v1/sessions")]
    assert [each.status for each in answers] == [200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) > 0


async def test_guessed_ids_of_a_visitor_are_limited(guest: Visitor) -> None:
    guest.ticket()
    answers = [guest.request("GET", f"/v1/sessions/ses_{number}").status for number in range(4)]
    assert answers == [404, 404, 404, 429]
    other = guest.stranger()
    own = other.ticket()["session_id"]
    assert [other.request("GET", f"/v1/sessions/{each}").status for each in ("ses_0", own)] == [404, 200]


async def test_guessed_ids_of_an_address_leave_those_who_named_a_right_id(serve: Servers) -> None:
    served = serve({f"{LIMIT}GUESSES_PER_ADDRESS": "3/1h"})
    known, stranger = Visitor(served), Visitor(served)
    own = f"/v1/sessions/{known.ticket()['session_id']}"
    stranger.ticket()
    assert known.request("GET", own).status == 200
    answers = [stranger.request("GET", f"/v1/sessions/ses_{number}").status for number in range(4)]
    assert answers == [404, 404, 404, 429]
    assert [known.request("GET", each).status for each in ("/v1/sessions/ses_0", own)] == [404, 200]


async def test_frames_and_bad_frames_of_a_socket_are_limited(guest: Visitor) -> None:
    talk = await guest.open()
    cancels = [{"type": "cancel", "id": f"c{number}"} for number in range(5)]
    for each in cancels:
        await talk.send(each)
    answers = [await talk.until(lambda frame, id=each["id"]: frame.get("id") == id) for each in cancels]
    assert "rate_limited" not in {each.get("code") for each in answers[:4]}
    assert answers[4]["code"] == "rate_limited"
    other = await guest.open()
    for _ in range(3):
        await other.send("{")
    assert await other.closed() == 4400


def pinged(served: Served, address: str, count: int) -> tuple[int, int]:
    """Ping so often from an address behind the proxy; return the pongs, and the code that ended the socket."""
    with raw(served.url) as wire:
        wire.open(X_Forwarded_For=address).send(frame(PING) * count + frame(CLOSE, closing(4000)))
        opcodes = []
        for opcode, payload in wire.frames():
            opcodes.append(opcode)
            code = int.from_bytes(payload[:2], "big")
        return opcodes.count(PONG), code


async def test_control_frames_of_a_socket_and_of_an_address_are_limited(small: Served) -> None:
    """An IPv6 network of one customer counts as one address, and each socket keeps a twentieth of its own limit."""
    assert pinged(small, "192.0.2.1", 20) == (20, 4000)
    assert pinged(small, "192.0.2.2", 21) == (20, 1008)
    assert pinged(small, "2001:db8::1", 20) == (20, 4000)
    assert pinged(small, "2001:db8::2", 11) == (10, 1008)
    assert pinged(small, "2001:db8::3", 1) == (1, 4000)
    assert pinged(small, "2001:db8:0:1::1", 20) == (20, 4000)


async def test_tickets_of_a_visitor_are_limited(guest: Visitor) -> None:
    answers = [guest.request("POST", "/v1/tickets", {}).status for _ in range(3)]
    assert answers == [200, 200, 429]
    assert guest.stranger().request("POST", "/v1/tickets", {}).status == 200


@pytest.mark.parametrize("limit", ["TICKETS_PER_ADDRESS", later("CONVERSATIONS_PER_ADDRESS")])
async def test_tickets_and_conversations_of_an_address_are_limited(serve: Servers, limit: str) -> None:
    served = serve({f"{LIMIT}{limit}": "2/1h"})
    answers = [Visitor(served).request("POST", "/v1/tickets", {}) for _ in range(3)]
    assert [each.status for each in answers] == [200, 200, 429]
    known = Visitor(served, cookie=answers[0].headers["set-cookie"].partition(";")[0])
    again = known.request("POST", "/v1/tickets", {"session_id": answers[0].body["session_id"]})
    assert again.status == (200 if limit == "CONVERSATIONS_PER_ADDRESS" else 429)


@pytest.mark.conformance
async def test_forty_visitors_of_one_address_are_let_in_by_raised_limits(serve: Servers) -> None:
    """Forty people at once are twice what the defaults allow."""
    served = serve({f"{LIMIT}TICKETS_PER_ADDRESS": "60/1m", f"{LIMIT}CONVERSATIONS_PER_ADDRESS": "60/1m"})
    answers = [Visitor(served).request("POST", "/v1/tickets", {}).status for _ in range(40)]
    assert answers == [200] * 40


async def test_pictures_of_a_session_are_limited(serve: Servers) -> None:
    visitor = Visitor(serve({f"{LIMIT}PICTURES_PER_SESSION": "2"}))
    path = f"/v1/sessions/{visitor.ticket()['session_id']}/files"
    sent = [png(size=(8 + number, 8)) for number in range(3)]
    kind = {"content-type": "image/png"}
    answers = [visitor.request("POST", path, each, headers=kind) for each in (*sent, sent[0])]
    assert [each.status for each in answers] == [201, 201, 413, 201]
    assert "may have 2 pictures" in str(answers[2].body)
    await visitor.aclose()


async def test_runs_and_unidentified_sockets_of_an_address_are_limited(serve: Servers) -> None:
    served = serve({f"{LIMIT}RUNS_PER_ADDRESS": "2/1h", f"{LIMIT}UNIDENTIFIED_PER_ADDRESS": "1"})
    answers = [Visitor(served).request("POST", "/agui/submission", {}) for _ in range(3)]
    assert [each.status for each in answers] == [400, 400, 429]
    with raw(served.url) as first, raw(served.url) as second:
        first.send(first.head())
        assert first.status() == 101
        second.send(second.head())
        assert second.status() == 503


def refused(served: Served, addresses: list[str]) -> int:
    """Begin a body of 60 KiB from each address, complete none, and return the status of the first that is refused."""
    with ExitStack() as stack:
        lines = [stack.enter_context(raw(served.url)) for _ in addresses]
        for line, address in zip(lines, addresses, strict=True):
            head = f"POST /agui/submission HTTP/1.1\r\nHost: {line.host}\r\nX-Forwarded-For: {address}\r\n"
            head += "Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n"
            line.send(head.encode() + b" " * 60 * 1024)
        answered, _, _ = select.select([each.socket for each in lines], [], [], 10)
        return next((each.status() for each in lines if each.socket in answered), 0)


@pytest.mark.conformance
async def test_incomplete_bodies_are_limited_by_address_and_by_process(serve: Servers) -> None:
    served = serve({f"{LIMIT}UNFINISHED_KIB_PER_ADDRESS": "64", f"{LIMIT}UNFINISHED_KIB": "128"})
    assert refused(served, ["192.0.2.1"] * 2) == 429
    assert refused(served, [f"192.0.2.{number}" for number in range(2, 6)]) == 503


async def test_waiting_messages_of_a_session_are_limited(serve: Servers) -> None:
    served = serve({f"{LIMIT}QUEUED_PER_SESSION": "1", "LOOPWIRE_DEMO_DELAY_MS": "2000"})
    visitor = Visitor(served)
    talk = await visitor.open()
    answers = [await talk.say("Quero vender um iPhone 13", f"m{number}") for number in range(3)]
    assert [each.get("code", "ack") for each in answers] == ["ack", "ack", "busy"]
    await visitor.aclose()


async def test_versions_of_a_message_are_limited(serve: Servers) -> None:
    visitor = Visitor(serve({f"{LIMIT}VERSIONS_PER_MESSAGE": "2"}))
    talk = await visitor.open()
    said = (await talk.say("Quero vender um iPhone 13", "m1"))["message_id"]
    answers = []
    for number in range(2):
        await talk.finished()
        await talk.send({"type": "regenerate", "id": f"g{number}", "message_id": said})
        answers.append(await talk.until(lambda frame, number=number: frame.get("id") == f"g{number}"))
    assert [each.get("code", "ack") for each in answers] == ["ack", "too_many_versions"]
    await visitor.aclose()


async def test_browsers_of_a_visitor_that_are_pushed_to(serve: Servers) -> None:
    contact = {"LOOPWIRE_PUSH_CONTACT": "mailto:ops@shop.example"}
    visitor = Visitor(serve({f"{LIMIT}PUSH_SUBSCRIPTIONS_PER_VISITOR": "2", **contact}))
    visitor.ticket()
    names = [f"https://8.8.8.8/{place}" for place in range(3)]
    for name in names:
        assert visitor.request("PUT", "/v1/push", subscription(Browser.new(), name)).status == 204
    with sqlite3.connect(visitor.served.data_dir / "loopwire.db") as connection:
        kept = connection.execute("SELECT endpoint FROM push_subscriptions ORDER BY endpoint").fetchall()
    assert [each for (each,) in kept] == names[1:]


async def test_doctor_shows_the_limits_that_were_changed(tmp_path) -> None:
    code, text = await run("doctor", tmp_path, **{f"{LIMIT}QUEUED_PER_SESSION": "5"})
    assert code == 0
    assert f"limit {LIMIT}QUEUED_PER_SESSION 5 (the default is 3)\n" in text
    assert "MESSAGES_PER_SESSION" not in text
    assert f"limit {len(Limits.model_fields) - 1} others are as docs/settings.md lists them\n" in text


async def test_an_invalid_limit_is_refused_in_one_sentence(tmp_path) -> None:
    code, text = await run("doctor", tmp_path, **{f"{LIMIT}MESSAGES_PER_SESSION": "twenty"})
    said = "'twenty' is not a rate such as 20/10s or 20/10s,100/1m (s, m, h or d)"
    assert (code, text) == (2, f"{LIMIT}MESSAGES_PER_SESSION: {said}\n")


async def test_requests_of_services_and_their_pictures_are_limited_by_address(serve: Servers) -> None:
    served = serve({f"{LIMIT}REQUESTS_PER_ADDRESS": "4/1h", f"{LIMIT}IMAGES_PER_ADDRESS": "3/1h"})
    visitor = Visitor(served)
    listing = {"images": [PIXEL, PIXEL], "agent_specific": {"product_name": "iPhone 12"}}
    answers = [visitor.request("POST", "/loopos_ai_c2c_descriptor", listing) for _ in range(2)]
    assert [each.status for each in answers] == [200, 429]
    assert int(answers[1].headers["retry-after"]) > 0
    listing["images"] = []
    answers = [visitor.request("POST", "/loopos_ai_c2c_descriptor", listing) for _ in range(3)]
    assert [each.status for each in answers] == [200, 200, 429]
    said = {"messages": [{"role": "user", "text": "olá"}]}
    assert visitor.request("POST", "/chat", said).status == 429, "both ways to a service share the limit"


@pytest.mark.conformance
async def test_requests_of_one_service_leave_an_address_what_it_may_ask_others(serve: Servers) -> None:
    visitor = Visitor(serve({f"{LIMIT}REQUESTS_PER_ADDRESS": "4/1h", f"{LIMIT}REQUESTS_PER_SERVICE": "2/1h"}))
    described = {"images": [], "agent_specific": {"product_name": "iPhone 12"}}
    answers = [visitor.request("POST", "/loopos_ai_c2c_descriptor", described) for _ in range(3)]
    assert [each.status for each in answers] == [200, 200, 429]
    assert '"service-c2c_descriptor";q=2;w=3600' in answers[0].headers["ratelimit-policy"]
    assert '"service-c2c_descriptor";r=0;t=' in answers[2].headers["ratelimit"]
    said = {"messages": [{"role": "user", "text": "olá"}], **CHAT}
    answers = [visitor.request("POST", "/chat", said) for _ in range(3)]
    assert [each.status for each in answers] == [200, 200, 429], "what was refused counted for nothing else"


async def test_an_app_may_limit_one_service_of_its_keys(serve: Servers, tmp_path: Path) -> None:
    file = tmp_path / "apps.toml"
    file.write_text('[shop]\nrequests_per_service = { c2c_descriptor = "2/1h" }\n')
    settings = {"LOOPWIRE_APPS": str(file)}
    served = serve(settings)
    key = {"authorization": f"Bearer {new_key(served, settings, 'shop')}"}
    described = {"images": [], "agent_specific": {"product_name": "iPhone 12"}}
    visitors = [Visitor(served) for _ in range(3)]
    answers = [each.request("POST", "/loopos_ai_c2c_descriptor", described, headers=key) for each in visitors]
    assert [each.status for each in answers] == [200, 200, 429]
    assert int(answers[2].headers["retry-after"]) > 0
    other = services()["translator"].contract
    assert other is not None
    assert visitors[0].request("POST", other.path, dict(other.example), headers=key).status == 200


@pytest.mark.conformance
async def test_pictures_with_a_key_are_limited_by_the_app_and_not_by_the_address(
    serve: Servers, tmp_path: Path
) -> None:
    file = tmp_path / "apps.toml"
    file.write_text('[shop]\npictures = "3/1h"\n')
    settings = {"LOOPWIRE_APPS": str(file), f"{LIMIT}IMAGES_PER_ADDRESS": "1/1h"}
    served = serve(settings)
    key = {"authorization": f"Bearer {new_key(served, settings, 'shop')}"}
    shown = {"images": [PIXEL, PIXEL], "agent_specific": {"product_name": "iPhone 12"}}
    answers = [
        Visitor(served).request("POST", "/loopos_ai_c2c_descriptor", shown, headers=key) for _ in range(2)
    ]
    assert [each.status for each in answers] == [200, 429]
    shown["images"] = [PIXEL]
    assert Visitor(served).request("POST", "/loopos_ai_c2c_descriptor", shown, headers=key).status == 200


async def test_forms_of_services_are_counted_once_each_before_they_are_read(serve: Servers) -> None:
    visitor = Visitor(serve({f"{LIMIT}REQUESTS_PER_ADDRESS": "3/1h"}))
    visitor.ticket()
    kind = {"content-type": "application/x-www-form-urlencoded"}
    right = b"prompt=Which%3F&options=A%0AB"
    answers = [
        visitor.request("POST", "/services/decision", body, headers=kind)
        for body in (b"prompt=", b"\xff", right, right, right + b"&note=" + b"x" * 8_192, b"prompt=")
    ]
    assert [each.status for each in answers] == [422, 400, 200, 429, 429, 429]
    assert int(answers[-1].headers["retry-after"]) > 0
    shown = ["Which?" in each.body.decode() for each in answers[3:]]
    assert shown == [True, False, False], "a small form is shown again as it was sent"


async def test_pictures_that_wait_to_be_read_are_limited_by_address_and_by_process(serve: Servers) -> None:
    """A data URL of 191 KiB is more than the address may hold, a file of 144 KiB more than the process."""
    limits = {f"{LIMIT}WAITING_PICTURE_KIB_PER_ADDRESS": "160", f"{LIMIT}WAITING_PICTURE_KIB": "128"}
    served, large = serve(limits), noisy_png()
    visitor = Visitor(served)
    listing = {"images": [inline(large)], "agent_specific": {"product_name": "iPhone 12"}}
    talk = {"messages": [{"role": "user", "text": "olá"}], **CHAT}
    shown = [{"role": "user", "content": [{"type": "input_image", "image_url": inline(large)}]}]
    key = {"authorization": f"Bearer {new_key(served, limits, 'demo')}"}
    data, kind = form({"message1": '{"role": "user", "text": "olá"}', **CHAT}, [large])
    files = f"/v1/sessions/{visitor.ticket()['session_id']}/files"
    answers = [
        visitor.request("POST", "/loopos_ai_c2c_descriptor", listing),
        visitor.request("POST", "/chat", {**talk, "images": [inline(large)]}),
        Visitor(served).request("POST", "/v1/responses", {"model": "chat", "input": shown}, headers=key),
        visitor.request("POST", "/chat", data, headers=kind),
        visitor.request("POST", files, large, headers={"content-type": "image/png"}),
    ]
    assert [each.status for each in answers] == [429, 429, 429, 503, 503], [each.body for each in answers]
    assert all(int(each.headers["retry-after"]) > 0 for each in answers)
    kept = visitor.request("POST", files, png(), headers={"content-type": "image/png"})
    assert kept.status == 201, "what was refused is held no longer"
    await visitor.aclose()


async def test_identity_tokens_of_an_address_are_limited(serve: Servers) -> None:
    served = serve({f"{LIMIT}IDENTITIES_PER_ADDRESS": "2/1h"})
    tokens: list[str | None] = [None, "no token", None]
    answers = [Visitor(served).request("POST", "/v1/identify", {"token": each}).status for each in tokens]
    assert answers == [200, 404, 429]
