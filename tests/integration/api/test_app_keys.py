"""Keys of apps: a backend speaks for its users, each with conversations of its own, within the app's limits."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from server.api.openapi.snippets import ExampleRequest, snippets
from server.auth import make_key
from server.services import services
from server.words import say
from tests.integration.agui.caller import body_of, events_in
from tests.integration.conversation.seller import new_address
from tests.integration.requests.chat_client import BASE, buttons, chat_socket
from tests.integration.requests.test_docs import command
from tests.integration.ws.visitor import Answer, Talk, Visitor
from tests.parts.app_keys import keys, new_key
from tests.parts.sampled import later
from tests.parts.server import Backend, Served, apart, served
from tests.parts.wait import until, until_async

pytestmark = pytest.mark.once

APPS = """
[shop]
origins = ["https://shop.example"]
context = "Shop buys cameras in Porto."

[books]
services = ["translator", "chat"]
service = "chat"
languages = ["en"]
requests = "100000/1m"
requests_per_user = "100000/1m"

[small]
requests = "4/1h"
requests_per_user = "2/1h"

[english]
services = ["decision", "submission"]
service = "submission"
languages = ["en"]

[once]
requests = "1/1h"
"""


@dataclass
class Program(Visitor):
    """The backend of an app: no cookie, no Origin, a key, and the user that it speaks for."""

    key: str = ""
    user: str | None = None
    address: str = field(default_factory=new_address)

    def request(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None
    ) -> Answer:
        """Ask with the key."""
        self.cookie = ""
        own = {"authorization": f"Bearer {self.key}", "x-forwarded-for": self.address}
        own |= {} if self.user is None else {"loopwire-user": self.user}
        return super().request(method, path, body, headers={**own, **(headers or {})})


@dataclass
class Shop:
    """A server of three apps that requires a key, and the operator beside it."""

    served: Served
    environment: dict[str, str]

    def program(self, app: str, *scopes: str, user: str | None = None) -> Program:
        """Make a key of an app for a program."""
        return Program(self.served, key=new_key(self.served, self.environment, app, *scopes), user=user)

    def keys(self, *arguments: str) -> tuple[int, list[str]]:
        """Do something with keys as the operator does."""
        return keys(self.served, self.environment, *arguments)


@pytest.fixture(scope="module")
def shop(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Yield one for all tests of this file."""
    path: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    path.write_text(APPS)
    with apart(backend) as own:
        environment = {**own.environment, "LOOPWIRE_APPS": str(path)}
        settings = {
            "LOOPWIRE_DEMO_DELAY_MS": "0",
            "LOOPWIRE_OPEN_REQUESTS": "0",
            "LOOPWIRE_LIMIT_GUESSES_PER_ADDRESS": "20/1h",
            **environment,
        }
        with served(settings) as running:
            yield Shop(running, environment)


def translation() -> dict[str, Any]:
    """Return a request of the translator."""
    contract = services()["translator"].contract
    assert contract is not None
    return dict(contract.example)


def test_a_request_without_key_and_cookie_says_how_to_ask(shop: Shop) -> None:
    stranger = Program(shop.served)
    plain = {"authorization": ""}
    answer = stranger.request("POST", "/loopos_ai_translator", translation(), headers=plain)
    assert (answer.status, answer.body["error"]["code"]) == (401, "unauthorized")
    assert "Authorization: Bearer lwk_" in answer.body["error"]["message"]
    answer = stranger.request("POST", "/chat", {}, headers=plain)
    assert (answer.status, answer.body["code"]) == (401, "unauthorized")
    assert "Authorization: Bearer lwk_" in answer.body["error"]


def test_the_page_of_the_same_server_stays_open_to_its_visitors(shop: Shop) -> None:
    visitor = Visitor(shop.served)
    visitor.request("GET", "/v1/sessions")
    assert visitor.request("POST", "/loopos_ai_translator", translation()).status == 200


def test_a_key_is_refused_outside_its_scopes(shop: Shop) -> None:
    rest, tickets = shop.program("shop", "rest"), shop.program("shop", "tickets")
    assert rest.request("POST", "/loopos_ai_translator", translation()).status == 200
    assert tickets.request("POST", "/v1/tickets", {}).status == 200
    for program, path, scope in (
        (rest, "/v1/tickets", "tickets"),
        (tickets, "/loopos_ai_translator", "rest"),
    ):
        answer = program.request("POST", path, translation())
        assert (answer.status, answer.body["error"]["code"]) == (403, "forbidden")
        assert answer.body["error"]["message"] == f"This key does not have the scope {scope}."


@pytest.mark.parametrize(
    "change",
    [
        later(lambda key: key[:-1]),
        lambda key: key[:-1] + ("a" if key[-1] != "a" else "b"),
        later(lambda key: "lwk_x_y"),
    ],
    ids=["cut", "changed", "invented"],
)
def test_a_wrong_key_is_unauthorized(shop: Shop, change: Callable[[str], str]) -> None:
    program = shop.program("shop")
    program.key = change(program.key)
    answer = program.request("POST", "/loopos_ai_translator", translation())
    assert (answer.status, answer.body["error"]["code"]) == (401, "unauthorized")


def test_whoever_refuses_a_message_of_a_chat_it_is_one_shape(shop: Shop) -> None:
    wrong, tickets, once = (
        Program(shop.served, key="lwk_a_b"),
        shop.program("shop", "tickets"),
        shop.program("once"),
    )
    nameless = Program(shop.served, key=shop.program("shop").key, user="")
    assert once.request("GET", "/v1/sessions").status == 200
    elsewhere = {"origin": "https://other.example"}
    asked = (
        (wrong, "POST", {}, 401, "unauthorized"),
        (tickets, "POST", {}, 403, "forbidden"),
        (nameless, "POST", {}, 400, "bad_frame"),
        (once, "POST", {}, 429, "rate_limited"),
        (once, "POST", elsewhere, 403, "forbidden"),
        (shop.program("shop"), "GET", {}, 405, "method_not_allowed"),
    )
    for program, method, headers, status, code in asked:
        answer = program.request(method, "/chat", {}, headers={"accept-language": "en", **headers})
        assert (answer.status, answer.body["code"]) == (status, code), answer.body
        assert isinstance(answer.body["error"], str)
        assert set(answer.body) <= {"error", "code", "retry_after"}
        if status == 429:
            assert answer.body["error"] == say("chat.refused.rate_limited", "en")
            assert answer.body["retry_after"] > 0 < int(answer.headers["retry-after"])


@pytest.mark.parametrize("language", [later("curl"), "python", later("javascript")])
def test_a_program_of_the_page_reads_the_key_from_its_environment(shop: Shop, language: str) -> None:
    contract = services()["translator"].contract
    assert contract is not None
    program = snippets(ExampleRequest(contract.path, contract.example), shop.served.url, keyed=True)[language]
    own = {**os.environ, "LOOPWIRE_KEY": shop.program("shop").key}
    told = subprocess.run(
        command(language, program), capture_output=True, text=True, check=True, timeout=120, env=own
    ).stdout
    contract.response.model_validate(json.loads(told))
    page = Visitor(shop.served).request("GET", "/docs", headers={"accept-language": "en"}).body.decode()
    assert "LOOPWIRE_KEY" in page


def test_an_address_that_shows_many_wrong_keys_is_refused_before_they_are_looked_up(shop: Shop) -> None:
    right = shop.program("shop")
    guesser = Program(shop.served)
    codes = []
    for _ in range(21):
        guesser.key = make_key().text
        codes.append(guesser.request("GET", "/v1/sessions").status)
    assert codes == [401] * 20 + [429]
    assert right.request("GET", "/v1/sessions").status == 200
    right.address = (
        guesser.address
    )  # It is known by now: an attacker at the same address does not shut it out.
    assert right.request("GET", "/v1/sessions").status == 200


async def test_two_users_have_two_histories_and_neither_reads_the_others(shop: Shop) -> None:
    ana = shop.program("shop", user="ana@shop.example")
    rui = Program(shop.served, key=ana.key, user="rui")
    bare = Program(shop.served, key=ana.key)
    other = shop.program("books", user="ana@shop.example")
    ticket = ana.ticket(service="submission", alias="my sale")
    assert rui.ticket(service="submission", alias="my sale")["session_id"] != ticket["session_id"]
    path = f"/v1/sessions/{ticket['session_id']}"
    message = {"type": "message", "id": "m1", "content": [{"type": "text", "text": "bom dia"}]}
    assert ana.request("POST", f"{path}/commands", message).status == 200
    for each in (rui, bare, other):
        assert each.request("GET", path).status == 404
        assert each.request("GET", f"{path}/events").status == 404
        assert each.request("POST", f"{path}/commands", {**message, "id": "m2"}).status == 404
    listed = [each.request("GET", "/v1/sessions").body["sessions"] for each in (ana, other)]
    assert [[each["id"] for each in found] for found in listed] == [[ticket["session_id"]], []]


@pytest.mark.conformance
async def test_a_conversation_begun_by_chat_goes_on_in_a_socket_and_back(shop: Shop) -> None:
    ana = shop.program("shop", user="ana")
    name = f"sale {uuid4()}"
    body = {
        "loopos_core_base_url": "https://core.shop.example/",
        "loopos_submission_base_url": "https://submission.shop.example/",
        "session_id": name,
    }
    first = [{"role": "user", "text": "quero vender um iPhone 12"}]
    assert ana.request("POST", "/chat", {**body, "messages": first}).status == 200
    ticket = ana.ticket(alias=name, service="submission")
    socket = await ana.socket()
    await socket.send(json.dumps({"type": "hello", "ticket": ticket["ticket"]}))
    talk = Talk(socket)
    await talk.until(lambda frame: frame.get("type") == "queue")
    said = [each for each in talk.transcript.messages if each["role"] == "user"]
    assert [each["content"] for each in said] == ["quero vender um iPhone 12"]
    await talk.say("64 GB", "m2")
    await talk.finished()
    await ana.aclose()
    again = ana.request("POST", "/chat", {**body, "messages": [{"role": "user", "text": "olá outra vez"}]})
    assert again.headers["x-loopwire-session"] == ticket["session_id"]
    messages = ana.request("GET", f"/v1/sessions/{ticket['session_id']}/messages").body["messages"]
    words = [each["content"] for each in messages if each["role"] == "user"]
    assert words == ["quero vender um iPhone 12", "64 GB", "olá outra vez"]


@pytest.mark.conformance
async def test_a_chat_socket_takes_no_message_once_its_key_is_revoked(shop: Shop) -> None:
    program = shop.program("shop")
    async with chat_socket(shop.served, headers={"authorization": f"Bearer {program.key}"}) as chat:
        assert buttons(await chat.say("quero vender um iPhone 12"))
        assert shop.keys("revoke", f"key_{program.key.split('_')[1]}")[0] == 0

        async def refused() -> bool:
            (answer,) = await chat.say("olá", f"talk-{uuid4().hex}")
            return answer.get("code") == "unauthorized"

        await until_async(refused, what="the end of a revoked key")


async def test_a_chat_socket_is_of_the_user_that_its_handshake_names(shop: Shop) -> None:
    ana = shop.program("shop", user="chat-ana")
    rui, name = Program(shop.served, key=ana.key, user="chat-rui"), f"sale {uuid4()}"
    for program in (ana, rui):
        named = {"authorization": f"Bearer {program.key}", "loopwire-user": program.user}
        async with chat_socket(shop.served, headers=named) as chat:
            assert "Sim, iPhone 12" in buttons(await chat.say("quero vender um iPhone 12", name))
    sessions = {each.ticket(alias=name, service="submission")["session_id"] for each in (ana, rui)}
    assert len(sessions) == 2
    for program in (ana, rui):
        assert len(program.request("GET", "/v1/sessions").body["sessions"]) == 1


async def test_agui_is_answered_for_each_user_of_a_backend_alone(shop: Shop) -> None:
    ana = shop.program("shop", user="ana")
    rui = Program(shop.served, key=ana.key, user="rui")
    thread = str(uuid4())

    def run(program: Program, id: str, text: str) -> list[dict[str, Any]]:
        answer = program.request("POST", "/agui/submission", body_of(thread, f"run-{id}", (id, text)))
        assert answer.status == 200, answer.body
        return events_in(answer.body)

    first = run(ana, "a1", "Polly Magic")
    second = run(rui, "r1", "bom dia")
    third = run(ana, "a2", "sim")
    sessions = [each[0]["metadata"]["loopwire"]["session_id"] for each in (first, second, third)]
    assert sessions[0] == sessions[2] != sessions[1]
    runs = [each[0]["metadata"]["loopwire"]["run_id"] for each in (first, second)]
    stopped = [
        program.request("POST", "/agui/submission/cancel", {"threadId": thread, "runId": run_id}).body[
            "runId"
        ]
        for program, run_id in ((ana, runs[0]), (rui, runs[0]), (rui, runs[1]))
    ]
    assert stopped == [runs[0], None, runs[1]]


def test_an_app_has_only_the_services_and_languages_of_its_table(shop: Shop) -> None:
    books = shop.program("books")
    assert books.request("POST", "/loopos_ai_translator", translation()).status == 200
    assert books.request("POST", "/loopos_ai_decision", {}).status == 404
    assert books.request("POST", "/v1/tickets", {"service": "submission"}).status == 404
    offered = books.request("GET", "/v1/services").body["services"]
    assert sorted(each["name"] for each in offered) == ["chat", "translator"]
    begun = books.request("POST", "/v1/sessions", {"language": "pt"})
    assert (begun.body["service"], begun.body["language"]) == ("chat", "en")


def test_services_and_chat_answer_in_a_language_that_the_app_has(shop: Shop) -> None:
    english = shop.program("english")
    contract = services()["decision"].contract
    assert contract is not None
    asked = [dict(contract.example) | {"language": each} for each in ("en", "PT-PT", "it")]
    told = [english.request("POST", contract.path, each).body for each in asked]
    assert told[0] == told[1] == told[2]
    first = [{"role": "user", "text": "iPhone 12"}]
    body = {"messages": first, "language": "PT-PT", **BASE}
    answer = english.request("POST", "/chat", body)
    assert "Yes, iPhone 12" in buttons(answer.body)
    refused = english.request("POST", "/chat", {**body, "messages": [{"role": "user", "text": " "}]})
    assert refused.body["error"] == say("chat.refused.empty", "en")


def test_a_page_of_an_apps_origin_begins_conversations_of_that_app(shop: Shop) -> None:
    page = Visitor(shop.served)
    answer = page.request(
        "POST", "/v1/tickets", {"service": "submission"}, headers={"origin": "https://shop.example"}
    )
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"
    refused = page.request("POST", "/v1/tickets", {}, headers={"origin": "https://other.example"})
    assert refused.status == 403
    own = {"origin": "https://shop.example"}
    assert (
        len(page.request("GET", "/v1/sessions", headers=own).body["sessions"]) == 0
    )  # Nothing was said yet.


def test_the_limits_are_the_apps_and_its_users_and_told_in_headers(shop: Shop) -> None:
    one = shop.program("small", user="one")
    answers = [one.request("GET", "/v1/sessions") for _ in range(3)]
    assert [each.status for each in answers] == [200, 200, 429]
    assert '"user";q=2;w=3600' in answers[0].headers["ratelimit-policy"]
    assert answers[0].headers["ratelimit"].startswith('"user";r=1;t=')
    refused = answers[2]
    assert refused.body["error"]["code"] == "rate_limited"
    assert 1 <= int(refused.headers["retry-after"]) <= 7200
    two = Program(shop.served, key=one.key, user="two")
    three = Program(shop.served, key=one.key, user="three")
    assert [each.request("GET", "/v1/sessions").status for each in (two, two, three)] == [200, 200, 429]


def test_a_revoked_key_ends_and_a_rotated_one_ends_later(shop: Shop) -> None:
    program = shop.program("shop")
    assert program.request("GET", "/v1/sessions").status == 200
    own = f"key_{program.key.split('_')[1]}"
    code, lines = shop.keys("rotate", own, "--hours", "2")
    assert code == 0
    following = Program(shop.served, key=lines[0])
    assert [each.request("GET", "/v1/sessions").status for each in (program, following)] == [200, 200]
    assert shop.keys("revoke", own)[0] == 0
    until(lambda: program.request("GET", "/v1/sessions").status == 401, what="the end of a revoked key")
    assert following.request("GET", "/v1/sessions").status == 200
    code, lines = shop.keys("revoke", own)
    assert (code, lines) == (1, ["There is no key of this id that still opens something."])
    _, lines = shop.keys("list")
    assert not any(program.key in each or following.key in each for each in lines)
    assert any(each.startswith(own) and "ends " in each for each in lines)


def test_a_key_of_an_app_that_is_not_there_is_refused_with_its_names(shop: Shop) -> None:
    code, lines = shop.keys("add", "nobody")
    assert (code, lines) == (
        1,
        ["There is no app 'nobody'; there are demo, shop, books, small, english, once."],
    )


def test_names_of_users_may_be_any_text_that_can_be_named(shop: Shop) -> None:
    program = shop.program("shop")
    for user, status in (("%C3%A1na", 200), ("x" * 200, 200), ("x" * 201, 400), ("", 400), ("a%00b", 400)):
        program.user = user
        assert program.request("GET", "/v1/sessions").status == status, user
