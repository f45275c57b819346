"""Operators over HTTP: the access of their key, and what the visitor sees of them."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.integration.api.line import Line, lines, over_stream
from tests.integration.api.test_app_keys import Program
from tests.integration.ws.visitor import Answer, Talk, Visitor
from tests.parts.app_keys import keys, new_key
from tests.parts.command import command
from tests.parts.images import png
from tests.parts.server import ROOT, Backend, Served, apart, served
from tests.parts.wait import until

PAGE = ROOT / "docs/operators.md"
APPS = '[shop]\norigins = ["https://shop.example"]\n'
HI = {"id": "o1", "name": "Ana", "content": "I am Ana. **Bring** it on Monday."}


@dataclass
class TwoApps:
    """A server of two apps, and keys of both."""

    served: Served
    environment: dict[str, str]

    def program(self, app: str, *scopes: str) -> Program:
        """Make a program with a key."""
        return Program(self.served, key=new_key(self.served, self.environment, app, *scopes))

    def audit(self, session: str) -> list[str]:
        """Return what the command says was done with a session, the oldest first."""
        code, said = command(self.served.data_dir, self.environment, "audit", "--session", session)
        assert code == 0
        assert all(each.endswith(session) for each in said)
        return [each.split("  ")[3] for each in said][::-1]


@pytest.fixture(scope="module")
def two_apps(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoApps]:
    """Yield one for all tests of this file."""
    path: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    path.write_text(APPS)
    with apart(backend) as own:
        environment = {**own.environment, "LOOPWIRE_APPS": str(path)}
        with served({"LOOPWIRE_DEMO_DELAY_MS": "0", **environment}) as running:
            yield TwoApps(running, environment)
            assert "Traceback" not in running.log_text()


@pytest.fixture(scope="module")
def operator(two_apps: TwoApps) -> Program:
    """Return a program of the built-in app whose key has the scope."""
    return two_apps.program("demo", "operator")


@pytest.fixture
async def visitor(two_apps: TwoApps) -> AsyncIterator[Visitor]:
    """A visitor at the page."""
    new = Visitor(two_apps.served)
    yield new
    await new.aclose()


async def begin_conversation(visitor: Visitor, text: str = "Olá, o que é que posso vender aqui?") -> Any:
    """Return a conversation in which something was said and answered."""
    talk = await visitor.open()
    await talk.say(text, "m1")
    await talk.finished()
    return talk


def said(operator: Program, session: str, **changes: Any) -> Answer:
    """Say something as an operator."""
    return operator.request("POST", f"/v1/sessions/{session}/messages", {**HI, **changes})


def code_of(answer: Answer) -> tuple[int, str]:
    """Return the status and the code of a refusal."""
    return answer.status, answer.body["error"]["code"]


@pytest.mark.once
async def test_an_operator_reads_the_conversations_of_all_visitors_of_its_app(
    two_apps: TwoApps, operator: Program, visitor: Visitor
) -> None:
    talk = await begin_conversation(visitor, "Quero vender um iPhone 12")
    path = f"/v1/sessions/{talk.session}"
    found = operator.request("GET", "/v1/operator/sessions?q=IPHONE&limit=1")
    (line,) = found.body["sessions"]
    assert (line["id"], line["status"], line["operator"]) == (talk.session, "waits", None) or line[
        "status"
    ] == "idle"
    assert found.body["before"] == f"{line['updated_at']}-{talk.session}"
    assert operator.request("GET", path).body["id"] == talk.session
    page = operator.request("GET", f"{path}/messages").body
    assert page == visitor.request("GET", f"{path}/messages").body
    assert page["messages"]
    assert two_apps.audit(talk.session) == ["read", "messages"]


@pytest.mark.once
async def test_a_picture_of_the_visitor_is_shown_to_an_operator_and_recorded(
    two_apps: TwoApps, operator: Program, visitor: Visitor
) -> None:
    talk = await begin_conversation(visitor)
    path = f"/v1/sessions/{talk.session}"
    picture = visitor.request("POST", f"{path}/files", png(), headers={"content-type": "image/png"}).body
    shown = operator.request("GET", f"{path}/blobs/{picture['blob_id']}")
    assert (shown.status, shown.body) == (
        200,
        visitor.request("GET", f"{path}/blobs/{picture['blob_id']}").body,
    )
    other = await begin_conversation(visitor.stranger())
    assert operator.request("GET", f"/v1/sessions/{other.session}/blobs/{picture['blob_id']}").status == 404
    refused = operator.request("POST", f"{path}/files", png(), headers={"content-type": "image/png"})
    assert code_of(refused) == (403, "forbidden")
    assert two_apps.audit(talk.session) == ["blob"]


@pytest.mark.once
async def test_sessions_outside_the_app_are_not_found_for_an_operator(
    two_apps: TwoApps, visitor: Visitor
) -> None:
    talk = await begin_conversation(visitor)
    foreign, path = two_apps.program("shop", "operator"), f"/v1/sessions/{talk.session}"
    request = visitor.request(
        "POST", "/loopos_ai_decision", {"prompt": "Which?", "options": ["A", "B"], "item_context": "An item."}
    )
    documents = request.headers["x-loopwire-session"]
    for program, session in (
        (foreign, talk.session),
        (two_apps.program("demo", "operator"), documents),
        (two_apps.program("demo", "operator"), "ses_none"),
    ):
        path = f"/v1/sessions/{session}"
        for method, rest, body in (
            ("GET", "", None),
            ("GET", "/messages", None),
            ("GET", "/events", None),
            ("GET", "/blobs/blb_x", None),
            ("POST", "/messages", HI),
            ("PUT", "/operator", {}),
            ("DELETE", "/operator", None),
        ):
            answer = program.request(method, path + rest, body)
            assert code_of(answer) == (404, "not_found"), (method, rest)
        assert two_apps.audit(session) == []
    assert foreign.request("GET", "/v1/operator/sessions").body == {"sessions": [], "before": None}
    assert talk.session in str(
        two_apps.program("demo", "operator").request("GET", "/v1/operator/sessions").body
    )
    assert documents not in str(
        two_apps.program("demo", "operator").request("GET", "/v1/operator/sessions").body
    )


@pytest.mark.once
async def test_operator_routes_are_refused_without_the_scope_or_a_key(
    two_apps: TwoApps, operator: Program, visitor: Visitor
) -> None:
    talk = await begin_conversation(visitor)
    path = f"/v1/sessions/{talk.session}"
    rest = two_apps.program("demo", "rest", "tickets")
    only = (
        ("GET", "/v1/operator/sessions", None),
        ("POST", f"{path}/messages", HI),
        ("PUT", f"{path}/operator", {}),
        ("DELETE", f"{path}/operator", None),
    )
    for method, address, body in only:
        assert code_of(rest.request(method, address, body)) == (403, "forbidden")
        assert code_of(visitor.request(method, address, body)) == (401, "unauthorized")
        spoken = operator.request(method, address, body, headers={"loopwire-user": "ana"})
        assert code_of(spoken) == (403, "forbidden")
    assert rest.request("GET", f"{path}/messages").status == 404
    assert code_of(operator.request("GET", f"{path}/messages", headers={"loopwire-user": "a"}))[0] == 403
    for method, address in (
        ("POST", "/v1/tickets"),
        ("GET", "/v1/sessions"),
        ("DELETE", path),
        ("PATCH", path),
    ):
        answer = operator.request(method, address, {})
        assert code_of(answer) == (403, "forbidden"), address
    assert code_of(operator.request("POST", f"{path}/commands", {})) == (403, "forbidden")
    assert two_apps.audit(talk.session) == []
    both = two_apps.program("demo", "rest", "operator")
    assert both.request("GET", f"{path}/messages").status == 200
    own = both.request("POST", "/v1/sessions", {"service": "chat"}).body["id"]
    assert code_of(both.request("GET", path, headers={"loopwire-user": "a"})) == (404, "not_found")
    assert both.request("DELETE", f"/v1/sessions/{own}").status == 204
    assert both.request("DELETE", path).status == 404, "a key that may read all conversations deletes none"


@pytest.mark.once
async def test_a_present_visitor_gets_a_message_once_and_an_absent_one_finds_it_once(
    two_apps: TwoApps, operator: Program, visitor: Visitor
) -> None:
    here = await begin_conversation(visitor)
    away = await visitor.open(session=here.session)
    position = {"last_seq": away.seq, "epoch": away.epoch}
    await away.socket.close()
    answer = said(operator, here.session)
    assert (answer.status, answer.body["type"], answer.body["id"]) == (200, "ack", "o1")
    await here.finished(answer.body["run_id"])
    assert said(operator, here.session).body == {**answer.body, "dup": True}
    assert code_of(said(operator, here.session, content="Other words.")) == (409, "id_reused")
    assert code_of(said(operator, here.session, name="Rui")) == (409, "id_reused")
    token = {"resume_token": away.welcome["resume_token"], **position}
    socket = await visitor.socket()
    back = Talk(socket, transcript=away.transcript, seq=away.seq, epoch=away.epoch)
    await back.send({"type": "hello", **token})
    await back.until(lambda frame: frame.get("type") == "queue")
    fresh = await visitor.open(session=here.session)
    while back.seq < here.seq:
        await back.receive()
    told = [
        each
        for frame in back.frames
        for each in frame.get("batch", [frame])
        if each.get("event", {}).get("messageId") == answer.body["message_id"]
    ]
    assert [each["event"]["type"].removeprefix("TEXT_MESSAGE_") for each in told] == [
        "START",
        "CONTENT",
        "END",
    ]
    assert back.transcript.messages == here.transcript.messages
    for talk in (here, fresh):
        mine = [each for each in talk.transcript.messages if each["id"] == answer.body["message_id"]]
        assert [(each["name"], each["content"]) for each in mine] == [("Ana", HI["content"])]
        assert mine[0]["metadata"]["loopwire"]["operator"] is True
    stored = visitor.request("GET", f"/v1/sessions/{here.session}/messages").body["messages"]
    assert stored == here.transcript.messages
    assert two_apps.audit(here.session) == ["message"]


@pytest.mark.once
async def test_an_operator_reads_along_and_gets_no_token_of_the_visitor(
    two_apps: TwoApps, operator: Program, visitor: Visitor
) -> None:
    talk = await begin_conversation(visitor)
    async with lines(two_apps.served.url) as open_line:
        line: Line = await open_line(talk.session, operator.key)
        watching = await over_stream(line)
        assert watching.welcome["resume_token"] == ""
        assert watching.transcript.messages == talk.transcript.messages
        joined = operator.request("PUT", f"/v1/sessions/{talk.session}/operator", {"name": "Ana"})
        assert joined.body["operator"]["name"] == "Ana"
        assert visitor.request("GET", f"/v1/sessions/{talk.session}").body["operator"]["name"] == "Ana"
        ack = await talk.say("Is somebody there?", "m2")
        assert ack["type"] == "ack"
        await talk.finished(ack["run_id"])
        await watching.finished(ack["run_id"])
        answer = said(operator, talk.session)
        assert operator.request("DELETE", f"/v1/sessions/{talk.session}/operator").status == 204
        await talk.say("Obrigado", "m3")
        await talk.finished()
        await watching.finished(talk.asked)
    texts = [each["content"] for each in talk.transcript.messages]
    place = texts.index("Is somebody there?")
    assert texts[place - 1 : place + 4] == [
        {"status": "joined", "name": "Ana"},
        "Is somebody there?",
        HI["content"],
        {"status": "left", "name": "Ana"},
        "Obrigado",
    ]
    assert len(texts) > place + 4, "the agent answers again"
    assert answer.status == 200
    assert watching.transcript.messages == talk.transcript.messages
    assert two_apps.audit(talk.session) == ["events", "join", "message", "leave"]


@pytest.mark.once
async def test_the_page_says_who_speaks_in_both_languages(
    two_apps: TwoApps, operator: Program, visitor: Visitor
) -> None:
    talk = await begin_conversation(visitor)
    path = f"/v1/sessions/{talk.session}"
    operator.request("PUT", f"{path}/operator", {"name": "Ana <b>\u202e"})
    answer = said(operator, talk.session, name="Ana <b>\u202e")
    await talk.finished(answer.body["run_id"])
    for language, sentences in {
        "pt": ("Ana &lt;b&gt; entrou na conversa", "pessoa", "Ana &lt;b&gt;, uma pessoa da equipa, diz:"),
        "en": (
            "Ana &lt;b&gt; joined the conversation",
            "person",
            "Ana &lt;b&gt;, a person of the team, says:",
        ),
    }.items():
        visitor.request("PATCH", path, {"language": language})
        html = visitor.request(
            "GET", f"/s/{talk.session}", headers={"accept-language": language}
        ).body.decode()
        for each in sentences:
            assert each in html, (language, each)
        assert "<strong>Bring</strong> it on Monday" in html


BAD: list[tuple[Any, int, str]] = [
    ({"content": "a"}, 400, "bad_frame"),
    ({**HI, "more": 1}, 400, "bad_frame"),
    ({**HI, "id": "a b"}, 400, "bad_frame"),
    ({**HI, "content": ["a"]}, 400, "bad_frame"),
    ({**HI, "name": "A\nB"}, 400, "bad_frame"),
    ({**HI, "name": "  "}, 400, "bad_frame"),
    ({**HI, "name": "n" * 81}, 400, "bad_frame"),
    ({**HI, "content": "a\0b"}, 400, "bad_frame"),
    ({**HI, "content": " \n"}, 422, "empty"),
    ({**HI, "content": "a" * 8_001}, 413, "too_long"),
    (b"{", 400, "bad_json"),
    (b'{"id": "a", "content": "\\ud800"}', 400, "bad_json"),
    (b'{"id": "a", "content": "' + b"a" * 70_000 + b'"}', 413, "too_long"),
]


def large_refused(operator: Program, path: str, size: int) -> tuple[int, str]:
    """Say that a body of this size comes, and give the answer, which does not wait for it."""
    connection = HTTPConnection(operator.served.url.removeprefix("http://"), timeout=60)
    connection.putrequest("POST", path)
    sent = {
        "authorization": f"Bearer {operator.key}",
        "content-type": "application/json",
        "content-length": str(size),
    }
    for name, value in sent.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    code = json.loads(response.read())["error"]["code"]
    connection.close()
    return response.status, code


@pytest.mark.once
async def test_a_bad_message_is_refused_with_its_code_and_not_stored(
    two_apps: TwoApps, operator: Program, visitor: Visitor
) -> None:
    talk = await begin_conversation(visitor)
    for body, status, code in BAD:
        answer = operator.request("POST", f"/v1/sessions/{talk.session}/messages", body)
        assert code_of(answer) == (status, code), str(body)[:80]
    assert large_refused(operator, f"/v1/sessions/{talk.session}/messages", 10_000_000) == (413, "too_long")
    for query in ("limit=0", "limit=a", f"q={'a' * 201}", "q=%01"):
        assert code_of(operator.request("GET", f"/v1/operator/sessions?{query}"))[0] == 400, query
    assert operator.request("GET", "/v1/operator/sessions?before=ses_x").status == 404
    text = operator.request(
        "POST", f"/v1/sessions/{talk.session}/messages", b"{}", headers={"content-type": "text/plain"}
    )
    assert code_of(text) == (415, "unsupported_media_type")
    assert two_apps.audit(talk.session) == []
    stored = visitor.request("GET", f"/v1/sessions/{talk.session}/messages").body["messages"]
    assert stored == talk.transcript.messages


@pytest.mark.once
async def test_a_flood_of_one_operator_is_refused_by_codes_that_say_to_come_back(
    operator: Program, visitor: Visitor
) -> None:
    talk = await begin_conversation(visitor)
    answers = await asyncio.gather(
        *(asyncio.to_thread(said, operator, talk.session, id=f"o{n}") for n in range(60))
    )
    codes = {each.status if each.status == 200 else code_of(each)[1] for each in answers}
    assert 200 in codes
    assert codes <= {200, "busy", "rate_limited"}
    assert len(codes) > 1
    for each in answers:
        if each.status == 429:
            assert int(each.headers["retry-after"]) >= 1
    taken = {each.body["message_id"] for each in answers if each.status == 200}
    while not taken <= {each["id"] for each in talk.transcript.messages}:
        await talk.receive()
    said_ones = [each["id"] for each in talk.transcript.messages if each["role"] == "assistant"]
    assert len(set(said_ones)) == len(said_ones)


@pytest.mark.once
async def test_deep_chat_is_told_that_a_person_has_the_message(two_apps: TwoApps, operator: Program) -> None:
    caller = Program(two_apps.served)
    bases = {"loopos_core_base_url": "https://a.example/", "loopos_submission_base_url": "https://b.example/"}

    def get_listing(accept: str = "application/json") -> Answer:
        body = {
            "messages": [{"role": "user", "text": "bom dia"}],
            "session_id": "held",
            "language": "PT-PT",
            **bases,
        }
        plain = {"authorization": "", "accept": accept}
        return caller.request("POST", "/chat", body, headers=plain)

    session = get_listing().headers["x-loopwire-session"]
    assert operator.request("PUT", f"/v1/sessions/{session}/operator", {}).status == 200
    sentence = "Uma pessoa da equipa tem a sua mensagem e responde nesta conversa."
    assert get_listing().body == [{"text": sentence, "role": "assistant"}]
    assert sentence in get_listing("text/event-stream").body.decode()


@pytest.mark.once
async def test_conversations_of_a_visitor_who_left_are_not_found(operator: Program, visitor: Visitor) -> None:
    talk = await begin_conversation(visitor)
    assert visitor.request("DELETE", "/v1/visitor").status == 204
    assert said(operator, talk.session).status == 404
    assert operator.request("GET", f"/v1/sessions/{talk.session}/messages").status == 404


@pytest.mark.once
def test_the_operator_scope_is_listed_and_kept_by_a_rotated_key(two_apps: TwoApps) -> None:
    program = two_apps.program("demo", "operator")
    key_id = f"key_{program.key.split('_')[1]}"
    code, _ = keys(two_apps.served, two_apps.environment, "rotate", key_id)
    assert code == 0
    _, listed = keys(two_apps.served, two_apps.environment, "list")
    assert sum("  demo  operator  " in each for each in listed) >= 2
    keys(two_apps.served, two_apps.environment, "revoke", key_id)
    until(
        lambda: program.request("GET", "/v1/operator/sessions").status == 401, what="the key to open nothing"
    )


@pytest.mark.conformance
@pytest.mark.once
async def test_the_examples_of_the_page_on_operators_run_as_documented(
    two_apps: TwoApps, operator: Program, visitor: Visitor
) -> None:
    talk = await begin_conversation(visitor, "Quero vender um iPhone 12")
    blocks = re.findall(r"^```bash\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    told = []
    for each in blocks:
        ran = await asyncio.to_thread(
            subprocess.run,
            ["sh", "-eu", "-c", each.replace("http://127.0.0.1:8000", two_apps.served.url)],
            env={
                "PATH": "/usr/bin:/bin",
                "LOOPWIRE_KEY": operator.key,
                "SESSION": talk.session,
                "NO_PROXY": "*",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ran.returncode == 0, (each, ran.stderr)
        told.append(ran.stdout)
    assert talk.session in told[0]
    assert '"type":"welcome"' in told[1].replace(" ", "")
    assert json.loads(told[2])["type"] == "ack"
    assert json.loads(told[3])["operator"]["name"] == "Ana"
    await until_said(visitor, talk.session, {"status": "left", "name": "Ana"})


async def until_said(visitor: Visitor, session: str, content: Any) -> None:
    """Wait until a message of a conversation says this."""
    path = f"/v1/sessions/{session}/messages"
    until(
        lambda: content in [each.get("content") for each in visitor.request("GET", path).body["messages"]],
        what=str(content),
    )
