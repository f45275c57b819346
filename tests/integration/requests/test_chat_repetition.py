"""Messages at /chat that a client sends twice: under one key they are one turn, and none is the yes to a question."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.integration.requests.chat_client import BASE, body_of, buttons
from tests.integration.requests.conftest import RestCaller
from tests.integration.ws.visitor import Answer
from tests.parts.images import form, png
from tests.parts.sampled import later
from tests.parts.server import Servers

pytestmark = pytest.mark.once

FIRST = "Quero vender um iPhone 12"
RUN, SESSION = "x-loopwire-run", "x-loopwire-session"


def send(caller: RestCaller, text: str, key: str, name: str = "", **more: Any) -> Answer:
    """Send a message under a key."""
    return caller.request("POST", "/chat", body_of(text, name, **more), headers={"idempotency-key": key})


@pytest.mark.parametrize("named", [True, later(False)])
def test_a_message_with_the_same_key_is_one_turn(caller: RestCaller, named: bool) -> None:
    name = f"twice-{caller.address}" if named else ""
    key = f"key-{caller.address}"
    first, again = send(caller, FIRST, key, name), send(caller, FIRST, key, name)
    assert (again.headers[RUN], again.body) == (first.headers[RUN], first.body)
    other = send(caller, "Quero vender um iPhone 13", key, name)
    assert (other.status, other.body["code"]) == (409, "id_reused")
    assert isinstance(other.body["error"], str)


async def test_the_same_key_four_times_at_once_is_one_turn(caller: RestCaller) -> None:
    key = f"once-{caller.address}"
    answers = await asyncio.gather(*(asyncio.to_thread(send, caller, FIRST, key) for _ in range(4)))
    assert [each.status for each in answers] == [200] * 4
    assert len({each.headers[RUN] for each in answers}) == 1


def test_a_key_for_each_message_of_a_whole_chat_goes_on_with_it(caller: RestCaller) -> None:
    messages = [{"role": "user", "text": FIRST}]
    keys = [f"whole-{at}-{caller.address}" for at in range(2)]
    first = send(caller, "", keys[0], messages=messages)
    messages += [*first.body, {"role": "user", "text": "Sim, iPhone 12"}]
    second, again = (send(caller, "", keys[1], messages=messages) for _ in range(2))
    assert "64 GB" in buttons(second.body)
    assert second.headers[SESSION] == first.headers[SESSION]
    assert (again.headers[RUN], again.body) == (second.headers[RUN], second.body)


def test_a_form_with_the_same_key_is_one_turn(caller: RestCaller) -> None:
    said = {"message1": json.dumps({"role": "user", "text": FIRST})}
    runs = set()
    for _ in range(2):
        body, headers = form({**said, **BASE, "session_id": f"form-{caller.address}"}, [png()])
        headers = {**headers, "idempotency-key": f"form-{caller.address}"}
        answer = caller.request("POST", "/chat", body, headers=headers)
        assert answer.status == 200, answer.body
        runs.add(answer.headers[RUN])
    assert len(runs) == 1


def test_a_stream_with_the_same_key_tells_the_same_answer(caller: RestCaller) -> None:
    told = []
    for _ in range(2):
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            "idempotency-key": f"streamed-{caller.address}",
            "x-forwarded-for": caller.address,
        }
        request = urllib.request.Request(
            f"{caller.served.url}/chat", json.dumps(body_of(FIRST)).encode(), headers
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            events = [json.loads(line[6:]) for line in response if line.startswith(b"data: ")]
            told.append((response.headers[RUN], "".join(each["text"] for each in events)))
    assert told[0] == told[1]
    assert "iPhone 12" in told[0][1]


def test_a_wrong_key_is_refused(caller: RestCaller) -> None:
    answer = send(caller, FIRST, "a key")
    assert (answer.status, answer.body["code"]) == (400, "bad_frame")


def test_a_yes_to_a_call_that_is_sent_twice_is_one_answer(serve_each: Servers, tmp_path: Path) -> None:
    apps = tmp_path / "apps.toml"
    apps.write_text('[demo]\napprovals = ["create_item"]\n')
    caller = RestCaller(serve_each({"LOOPWIRE_APPS": str(apps), "LOOPWIRE_DEMO_DELAY_MS": "0"}))
    for at, text in enumerate((f"{FIRST} preto de 128 gb", "sim", "Sim, criar o artigo")):
        assert send(caller, text, f"asked-{at}", "asked").status == 200
    first, again = (send(caller, "Confirmar", "yes", "asked") for _ in range(2))
    assert any("criado" in str(each.get("text")) for each in first.body), first.body
    assert (again.headers[RUN], again.body) == (first.headers[RUN], first.body)
    other = send(caller, "Não", "yes", "asked")
    assert (other.status, other.body["code"]) == (409, "id_reused")


@pytest.mark.parametrize("text", [FIRST, later(f"{FIRST} preto de 128 GB")])
def test_a_message_that_is_sent_twice_is_no_yes_to_the_product(caller: RestCaller, text: str) -> None:
    name = f"again-{len(text)}-{caller.address}"
    for _ in range(3):
        answer = caller.request("POST", "/chat", body_of(text, name))
        assert "Sim, iPhone 12" in buttons(answer.body), answer.body
    answer = caller.request("POST", "/chat", body_of("Sim, iPhone 12", name))
    assert "Sim, iPhone 12" not in buttons(answer.body)
