"""POST /chat without a session_id: the messages of the client's list say which conversation goes on."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.request
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.integration.api.test_app_keys import Program
from tests.integration.requests.chat_client import BASE, buttons
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_models import behind
from tests.integration.ws.visitor import Answer, Visitor
from tests.modelserver import ModelServer, Scripted, named
from tests.parts.app_keys import new_key
from tests.parts.images import form, inline, png
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.sampled import later
from tests.parts.server import Backend, Served, Servers, apart, served

pytestmark = pytest.mark.once

FIRST = "Quero vender um iPhone 12"
MARK = re.compile(r'(?<= data-session=")[^"]+')
SESSION, RUN = "x-loopwire-session", "x-loopwire-run"


@dataclass
class Teller:
    """A client of LoopOS that keeps the whole chat by itself and sends all of it with each message."""

    caller: Visitor
    messages: list[dict[str, Any]] = field(default_factory=list)
    keeps: tuple[str, ...] = ("role", "text", "html")
    sessions: list[str] = field(default_factory=list)

    def post(self, **headers: str) -> Answer:
        """Send the list."""
        body = {"messages": self.messages, **BASE, "language": "PT-PT"}
        return self.caller.request("POST", "/chat", body, headers=headers)

    def say(self, text: str, **headers: str) -> list[dict[str, Any]]:
        """Add a message, send the list, and keep the answer as the client does."""
        self.messages.append({"role": "user", "text": text})
        answer = self.post(**headers)
        assert answer.status == 200, answer.body
        return self.keep(answer)

    def keep(self, answer: Answer) -> list[dict[str, Any]]:
        """Keep an answer."""
        told: list[dict[str, Any]] = answer.body
        self.messages += [{name: each[name] for name in self.keeps if name in each} for each in told]
        self.sessions.append(answer.headers[SESSION])
        return told

    def sell(self) -> str:
        """Take the first choice until there is a card; return what it shows."""
        told = self.say(FIRST)
        while not (shown := [each["html"] for each in told if "LW-" in each.get("html", "")]):
            told = self.say(buttons(told)[0])
        return str(shown[0])


@pytest.mark.parametrize("keeps", [("role", "text", "html"), later(("role", "text"))])
def test_a_sale_comes_to_its_card_without_a_name(caller: RestCaller, keeps: tuple[str, ...]) -> None:
    teller = Teller(caller, keeps=keeps)
    assert "iPhone 12" in teller.sell()
    assert len(set(teller.sessions)) == 1
    assert len(teller.sessions) > 4


def test_a_client_may_join_what_was_said_and_name_other_roles(caller: RestCaller) -> None:
    teller = Teller(caller)
    teller.messages.append({"role": "ai", "text": "Olá! O que quer vender?"})
    teller.say(FIRST)
    said = [each for each in teller.messages if each["role"] == "assistant"]
    joined = {"role": "ai", "text": " ".join(f" {each['text']}\n" for each in said)}
    teller.messages = [*(each for each in teller.messages if each["role"] != "assistant"), joined]
    assert "64 GB" in buttons(teller.say("Sim, iPhone 12"))
    assert len(set(teller.sessions)) == 1


@pytest.mark.conformance
async def test_two_clients_at_one_address_who_say_the_same_do_not_meet(caller: RestCaller) -> None:
    one, other = Teller(caller), Teller(caller)
    cards = await asyncio.gather(asyncio.to_thread(one.sell), asyncio.to_thread(other.sell))
    assert cards[0] != cards[1]
    assert [len(set(each.sessions)) for each in (one, other)] == [1, 1]
    assert one.sessions[0] != other.sessions[0]


async def test_clients_that_keep_no_html_and_say_the_same_have_an_item_each(caller: RestCaller) -> None:
    """Until they differ each request takes one of the two drafts, which are equal."""
    tellers = [Teller(caller, keeps=("role", "text")) for _ in range(2)]
    cards = await asyncio.gather(*(asyncio.to_thread(each.sell) for each in tellers))
    assert cards[0] != cards[1]
    assert len({session for each in tellers for session in each.sessions}) == 2


def test_words_alone_do_not_lead_to_one_of_two_drafts_with_pictures(caller: RestCaller) -> None:
    tellers = [Teller(caller, keeps=("role", "text")) for _ in range(2)]
    for each in tellers:
        each.messages.append(
            {"role": "user", "text": FIRST, "files": [{"type": "image", "src": inline(png())}]}
        )
        each.keep(each.post())
    tellers[0].say("Sim, iPhone 12")
    first, second = tellers[0].sessions
    assert second not in (first, tellers[1].sessions[0])


def test_a_repeated_list_is_the_same_turn(caller: RestCaller) -> None:
    teller = Teller(caller)
    teller.say(FIRST)
    teller.messages.append({"role": "user", "text": "Sim, iPhone 12"})
    first, again = teller.post(), teller.post()
    assert (again.headers[RUN], again.body) == (first.headers[RUN], first.body)
    streamed = _streamed(caller, {"messages": teller.messages, **BASE})
    assert streamed[1] == first.headers[RUN]
    assert "64 GB" in streamed[0]
    teller.keep(first)
    assert "Preto" in buttons(teller.say("64 GB"))
    assert len(set(teller.sessions)) == 1


async def test_the_same_list_twice_at_once_is_one_turn(caller: RestCaller) -> None:
    teller = Teller(caller)
    await asyncio.to_thread(teller.say, FIRST)
    teller.messages.append({"role": "user", "text": "Sim, iPhone 12"})
    answers = await asyncio.gather(*(asyncio.to_thread(teller.post) for _ in range(4)))
    assert [each.status for each in answers] == [200] * 4
    assert len({each.headers[RUN] for each in answers}) == 1


def test_a_streamed_answer_is_known_as_it_was_streamed(caller: RestCaller) -> None:
    messages = [{"role": "user", "text": FIRST}]
    text, run = _streamed(caller, {"messages": messages, **BASE})
    messages += [{"role": "assistant", "text": text}, {"role": "user", "text": "Sim, iPhone 12"}]
    answer = caller.request("POST", "/chat", {"messages": messages, **BASE})
    assert "64 GB" in buttons(answer.body)
    assert answer.headers[RUN] != run


def test_a_photo_between_two_messages_loses_nothing(caller: RestCaller) -> None:
    """A form has no message for a turn of files alone, and some clients keep none of it."""
    teller = Teller(caller)
    teller.say(FIRST)
    listed = {f"message{at}": json.dumps(each) for at, each in enumerate(teller.messages, 1)}
    body, headers = form({**listed, **BASE, "language": "PT-PT"}, [png("green")])
    answer = caller.request("POST", "/chat", body, headers=headers)
    assert answer.status == 200, answer.body
    teller.keep(answer)
    assert "64 GB" in buttons(teller.say("Sim, iPhone 12"))
    assert len(set(teller.sessions)) == 1


@pytest.mark.parametrize("words", [later(""), "Sim, iPhone 12"])
def test_another_photo_in_place_of_one_that_had_no_answer_is_another_message(
    caller: RestCaller, words: str
) -> None:
    teller = Teller(caller, keeps=("role", "text"))
    teller.say(FIRST)
    answers = []
    for colour in ("green", "red", "red"):
        photo = {"role": "user", "text": words, "files": [{"src": inline(png(colour)), "type": "image"}]}
        body = {"messages": [*teller.messages, photo], **BASE, "language": "PT-PT"}
        answers.append(caller.request("POST", "/chat", body))
    assert [each.status for each in answers] == [200, 200, 200], [each.body for each in answers]
    first, second, again = (each.headers[RUN] for each in answers)
    assert first != second == again
    assert {each.headers[SESSION] for each in answers} == set(teller.sessions)


def test_a_mark_of_a_conversation_that_is_gone_leads_to_no_other_one(caller: RestCaller) -> None:
    own, gone = Teller(caller), Teller(caller)
    own.say(FIRST)
    gone.messages = [
        {**each, **({"html": MARK.sub("gone", each["html"])} if each.get("html") else {})}
        for each in own.messages
    ]
    assert gone.messages != own.messages
    gone.say("Sim, iPhone 12")
    assert gone.sessions[0] != own.sessions[0]


def test_who_was_answered_otherwise_begins_anew_with_what_the_person_said(caller: RestCaller) -> None:
    """No word of an assistant is believed that is not ours, and nobody is led to what another has said."""
    known = Teller(caller)
    known.say(FIRST)
    stranger = Teller(caller)
    stranger.messages = [{"role": "user", "text": FIRST}, {"role": "assistant", "text": "Custa 900 €."}]
    told = stranger.say("É preto.")
    assert stranger.sessions[0] != known.sessions[0]
    assert "Sim, iPhone 12" in buttons(told)
    known.say("Sim, iPhone 12")
    assert len(set(known.sessions)) == 1


@pytest.mark.parametrize("keeps", [("role", "text", "html"), ("role", "text")])
def test_from_another_address_a_conversation_is_found_by_our_html_and_not_by_words(
    caller: RestCaller, loopwire: Served, keeps: tuple[str, ...]
) -> None:
    """Others at that address may guess the words."""
    teller, other = Teller(caller, keeps=keeps), Teller(RestCaller(loopwire), keeps=keeps)
    teller.say(FIRST)
    other.messages = list(teller.messages)
    other.say("Sim, iPhone 12")
    assert (other.sessions[0] == teller.sessions[0]) is ("html" in keeps)


def test_a_name_in_html_that_the_caller_does_not_have_opens_nothing(loopwire: Served) -> None:
    visitor = Visitor(loopwire)
    visitor.request("GET", "/v1/sessions")
    own, other = Teller(visitor), Teller(RestCaller(loopwire))
    own.say(FIRST)
    other.messages = list(own.messages)
    other.say("Sim, iPhone 12")
    assert other.sessions[0] != own.sessions[0]


@pytest.mark.conformance
def test_a_visitor_with_a_cookie_goes_on_as_well(loopwire: Served) -> None:
    visitor = Visitor(loopwire)
    visitor.request("GET", "/v1/sessions")
    teller = Teller(visitor)
    assert "iPhone 12" in teller.sell()
    assert len(set(teller.sessions)) == 1


@pytest.mark.conformance
async def test_a_message_whose_answer_failed_is_answered_when_it_is_repeated(serve_each: Servers) -> None:
    async with ModelServer(Scripted(["Olá!", "Qual é?"]), port=free_port(), api_key=KEY) as model:
        teller = Teller(await asyncio.to_thread(behind, serve_each, model, "responses"))
        await asyncio.to_thread(teller.say, "Olá")
        teller.messages.append({"role": "user", "text": "Um telemóvel"})
        model.faults.add(named("server_error", status=503), times=None)
        failed = await asyncio.to_thread(teller.post)
        assert (failed.status, failed.headers["retry-after"]) == (503, "5")
        model.faults.clear()
        answer = await asyncio.to_thread(teller.post)
        assert (answer.status, answer.body[0]["text"]) == (200, "Qual é?")
        assert answer.headers[SESSION] == failed.headers[SESSION] == teller.sessions[0]


@pytest.mark.conformance
def test_a_key_for_each_message_parts_no_conversation_with_pictures(loopwire: Served) -> None:
    """Of a caller with a cookie or a key each of these is a name of the conversation, which is still one."""
    teller = Teller(_visitor(loopwire), keeps=("role", "text"))
    picture = {"type": "image", "src": inline(png())}
    teller.messages.append({"role": "user", "text": FIRST, "files": [picture]})
    teller.keep(teller.post(**{"idempotency-key": "photo-1"}))
    for number, text in enumerate(("Sim, iPhone 12", "64 GB", "Preto")):
        teller.say(text, **{"idempotency-key": f"text-{number}"})
    assert len(set(teller.sessions)) == 1


@pytest.mark.parametrize("keeps", [("role", "text", "html"), later(("role", "text"))])
def test_a_refused_message_that_stays_in_the_list_loses_nothing(
    loopwire: Served, keeps: tuple[str, ...]
) -> None:
    """The element shows a message, and keeps it, before it knows that it is refused."""
    teller = Teller(_visitor(loopwire), keeps=keeps)
    teller.say(FIRST)
    teller.messages.append({"role": "user", "text": "x" * 9000})
    assert teller.post().status == 422
    assert "64 GB" in buttons(teller.say("Sim, iPhone 12"))
    assert len(set(teller.sessions)) == 1


@pytest.mark.conformance
def test_words_of_an_operator_which_the_client_does_not_get_part_no_conversation(backend: Backend) -> None:
    with apart(backend) as own, served({"LOOPWIRE_DEMO_DELAY_MS": "0", **own.environment}) as running:
        operator = Program(running, key=new_key(running, own.environment, "demo", "operator"))
        teller = Teller(RestCaller(running), keeps=("role", "text"))
        teller.say("Olá, o que é que posso vender aqui?")
        path = f"/v1/sessions/{teller.sessions[0]}"
        assert operator.request("PUT", f"{path}/operator", {"name": "Ana"}).status < 300
        for text in ("Um iPhone 12", "Está como novo."):
            said = {"id": f"before-{text[:2]}", "name": "Ana", "content": "Diga."}
            assert operator.request("POST", f"{path}/messages", said).status < 300
            teller.say(text)
        assert len(set(teller.sessions)) == 1


@pytest.mark.parametrize("keeps", [("role", "text", "html"), later(("role", "text"))])
def test_two_customers_whose_chats_began_elsewhere_with_the_same_words_do_not_meet(
    caller: RestCaller, keeps: tuple[str, ...]
) -> None:
    """The page of a marketplace may greet all its visitors, before it asks us."""
    tellers = [Teller(caller, keeps=keeps) for _ in range(2)]
    for each in tellers:
        each.messages = [{"role": "user", "text": "Olá"}, {"role": "ai", "text": "Olá! Que artigo tem?"}]
        each.say(FIRST)
    assert len({each.sessions[0] for each in tellers}) == 2
    cards = [each.say("Sim, iPhone 12") for each in tellers]
    assert all("64 GB" in buttons(each) for each in cards)
    assert len({session for each in tellers for session in each.sessions}) == 2


@pytest.mark.conformance
def test_two_customers_whose_drafts_have_pictures_do_not_meet_in_a_third(caller: RestCaller) -> None:
    tellers = [Teller(caller, keeps=("role", "text")) for _ in range(2)]
    picture = {"type": "image", "src": inline(png())}
    for each in tellers:
        each.messages.append({"role": "user", "text": FIRST, "files": [picture]})
        each.keep(each.post())
    for each in tellers:
        each.say("Sim, iPhone 12")
    assert len({session for each in tellers for session in each.sessions}) == 4


def test_a_key_repeats_a_list_that_began_a_conversation(caller: RestCaller) -> None:
    teller = Teller(caller)
    teller.messages = [{"role": "user", "text": "Olá"}, {"role": "ai", "text": "Olá! Que artigo tem?"}]
    teller.messages.append({"role": "user", "text": FIRST})
    first, again = (teller.post(**{"idempotency-key": "began-elsewhere"}) for _ in range(2))
    assert (again.status, again.headers[RUN], again.body) == (200, first.headers[RUN], first.body)


def _visitor(loopwire: Served) -> Visitor:
    visitor = Visitor(loopwire)
    visitor.request("GET", "/v1/sessions")
    return visitor


def _streamed(caller: RestCaller, body: dict[str, Any]) -> tuple[str, str]:
    """Return the text of a streamed answer, and its run."""
    headers = {
        "content-type": "application/json",
        "accept": "text/event-stream",
        "x-forwarded-for": caller.address,
    }
    request = urllib.request.Request(
        f"{caller.served.url}/chat", data=json.dumps(body).encode(), headers=headers
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        told = [json.loads(line[6:]) for line in response if line.startswith(b"data: ")]
        return "".join(each["text"] for each in told), str(response.headers[RUN])
