"""The inbox against a running server: what its list and stream show, what is recorded, and what stays closed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from tests.integration.inbox.conftest import Office
from tests.integration.ws.visitor import PATIENCE_S, Talk, Visitor
from tests.parts.images import png
from tests.parts.operators import Operator

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"
JSON = {"Content-Type": "application/json"}


def say(operator: Operator, session: str, **body: Any) -> Any:
    """Write as an operator, as the page's script does."""
    sent = json.dumps({"id": "o1", "content": "I am here.", **body}).encode()
    return operator.ask("POST", f"/inbox/s/{session}/messages", sent, JSON)


@asynccontextmanager
async def frames(operator: Operator, session: str = "", **query: str) -> AsyncIterator[AsyncIterator[Any]]:
    """Open the stream of an inbox page, and give its frames."""
    headers = {"cookie": operator.cookie, "accept-language": "en"}
    asked = {"session": session, **query}
    async with (
        httpx2.AsyncClient(base_url=operator.served.url, timeout=PATIENCE_S, trust_env=False) as client,
        client.stream("GET", "/inbox/events", params=asked, headers=headers) as response,
    ):
        assert response.status_code == 200

        async def read() -> AsyncIterator[Any]:
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))

        yield read()


async def until(told: AsyncIterator[Any], found: Any) -> Any:
    """Take frames until one fits."""
    async for frame in told:
        if found(frame):
            return frame
    raise AssertionError("The stream has ended.")


@pytest.mark.once
async def test_an_operator_reads_takes_over_writes_and_gives_back(inbox_server: Office, talk: Talk) -> None:
    operator = await inbox_server.operator("Ana")
    page = operator.ask("GET", f"/inbox/s/{talk.session}")
    assert page.status == 200
    assert "o que é que posso vender aqui?" in page.text
    assert '<option value="We answer &lt;b&gt;soon&lt;/b&gt;.">' in page.text, "a text that is sent often"
    path = f"/inbox/s/{talk.session}"
    assert operator.ask("POST", f"{path}/join", b"").status == 204
    joined = await talk.until(lambda frame: frame.get("event", {}).get("activityType") == "operator")
    assert joined["event"]["content"] == {"status": "joined", "name": "Ana"}
    answer = say(operator, talk.session, name="The boss")
    assert answer.status == 200
    await talk.finished(json.loads(answer.text)["run_id"])
    (said,) = [each for each in talk.transcript.messages if each.get("name") == "Ana"]
    assert said["content"] == "I am here.", "the name is the account's"
    assert operator.ask("POST", f"{path}/leave", b"").status == 204
    left = await talk.until(lambda frame: frame.get("event", {}).get("activityType") == "operator")
    assert left["event"]["content"]["status"] == "left"
    assert await inbox_server.actions(talk.session) == ["messages", "join", "message", "leave"]


@pytest.mark.once
async def test_the_stream_shows_what_the_visitor_writes_and_the_list_when_it_changes(
    inbox_server: Office, visitor: Visitor
) -> None:
    operator = await inbox_server.operator("Bea")
    begun = await visitor.open()
    async with frames(operator, begun.session) as told:
        await until(told, lambda frame: frame.get("type") == "snapshot")
        await begun.say(f"Tenho um Zeppelin {SCRIPT}", "m1")
        drawn = await until(told, lambda frame: "Zeppelin" in frame.get("content", "") and "event" in frame)
        assert "<script>alert" not in drawn["content"]
        assert "<img src=x" not in drawn["content"]
    async with frames(operator) as told:
        lines = await until(told, lambda frame: begun.session in frame.get("content", ""))
        await begun.finished()
        assert "<script>alert" not in lines["content"]
        assert "&lt;script&gt;alert" in lines["content"], "it is the title"
        await begun.say("E uma Bimby", "m2")
        await until(told, lambda frame: frame.get("type") == "inbox" and frame != lines)
    assert await inbox_server.actions(begun.session) == ["events"]
    page = operator.ask("GET", f"/inbox/s/{begun.session}").text
    assert "<script>alert" not in page
    assert "<img src=x" not in page


async def test_a_conversation_that_changed_after_it_was_read_is_unread(
    inbox_server: Office, talk: Talk
) -> None:
    operator = await inbox_server.operator("Clara")

    def is_unread() -> bool:
        line = operator.ask("GET", "/inbox").text.partition(f'id="line-{talk.session}"')[2].partition(">")[0]
        return 'class="unread"' in line

    assert is_unread()
    operator.ask("GET", f"/inbox/s/{talk.session}")
    assert not is_unread()
    await talk.say("E mais uma coisa", "m2")
    await talk.finished()
    assert is_unread()


async def test_the_list_is_searched_in_titles_and_words(inbox_server: Office, talk: Talk) -> None:
    operator = await inbox_server.operator("Dora")
    await talk.say("Um Trabant raro", "m2")
    await talk.finished()
    found = operator.ask("GET", "/inbox?q=trabant").text
    assert f'id="line-{talk.session}"' in found
    assert f'id="line-{talk.session}"' not in operator.ask("GET", "/inbox?q=trabant+dirigible").text
    async with frames(operator, q="trabant") as told:
        lines = await until(told, lambda frame: frame.get("type") == "inbox")
        assert lines["content"].count("<li>") == 1


@pytest.mark.once
async def test_an_operator_of_another_app_finds_no_conversation(inbox_server: Office, talk: Talk) -> None:
    stranger = await inbox_server.operator("Eva", "admin", app="shop")
    path = f"/inbox/s/{talk.session}"
    for method, what in (
        ("GET", ""),
        ("GET", "/older"),
        ("GET", "/blobs/blb_x"),
        ("POST", "/join"),
        ("POST", "/leave"),
        ("POST", "/messages"),
    ):
        body = b"{}" if method == "POST" else None
        assert stranger.ask(method, path + what, body, JSON).status == 404, what
    assert stranger.ask("GET", f"/inbox/events?session={talk.session}").status == 404
    assert talk.session not in stranger.ask("GET", "/inbox").text
    assert talk.session not in stranger.ask("GET", "/inbox/audit").text
    assert await inbox_server.actions(talk.session) == []


@pytest.mark.once
async def test_requests_without_a_sign_in_or_from_other_origins_are_refused(
    inbox_server: Office, talk: Talk
) -> None:
    path = f"/inbox/s/{talk.session}"
    nobody = Operator(inbox_server.served)
    assert nobody.ask("GET", path).status == 303
    assert nobody.ask("GET", "/inbox/audit").status == 303
    assert nobody.ask("GET", f"/inbox/events?session={talk.session}").status == 401
    assert nobody.ask("POST", f"{path}/join", b"").status == 401
    operator = await inbox_server.operator("Flor")
    for origin in ("https://shop.example", "https://evil.example", "null", ""):
        for what in ("join", "leave", "messages"):
            answer = operator.ask("POST", f"{path}/{what}", b"{}", {**JSON, "Origin": origin})
            assert answer.status == 403, (origin, what)
    assert await inbox_server.actions(talk.session) == []


@pytest.mark.once
async def test_a_disabled_account_is_sent_away_from_its_streams(inbox_server: Office, talk: Talk) -> None:
    operator = await inbox_server.operator("Gil")
    async with frames(operator, talk.session) as told:
        await until(told, lambda frame: frame.get("type") == "snapshot")
        operator.form("/inbox/sign-out")
        closed = await until(told, lambda frame: frame.get("type") == "close")
        assert closed["code"] == 4401


@pytest.mark.once
async def test_a_conversation_that_is_deleted_while_it_is_read_ends_its_stream(
    inbox_server: Office, visitor: Visitor
) -> None:
    operator = await inbox_server.operator("Hana")
    begun = await visitor.open()
    await begun.say("olá", "m1")
    await begun.finished()
    async with frames(operator, begun.session) as told:
        await until(told, lambda frame: frame.get("type") == "snapshot")
        assert visitor.request("DELETE", f"/v1/sessions/{begun.session}").status == 204
        closed = await until(told, lambda frame: frame.get("type") == "close")
        assert closed["code"] == 4404
        assert [frame async for frame in told] == []
    assert "stream failed" not in inbox_server.served.log_text()
    assert operator.ask("GET", f"/inbox/s/{begun.session}").status == 404


@pytest.mark.once
async def test_an_admin_reads_the_record_and_an_agent_does_not(inbox_server: Office, talk: Talk) -> None:
    agent = await inbox_server.operator("Hugo")
    agent.ask("GET", f"/inbox/s/{talk.session}")
    assert agent.ask("GET", "/inbox/audit").status == 404
    assert "/inbox/audit" not in agent.ask("GET", "/inbox").text
    admin = await inbox_server.operator("Iris", "admin")
    record = admin.ask("GET", "/inbox/audit").text
    for each in ("Hugo", talk.session, "messages", "sign_in", "audit"):
        assert each in record, each


@pytest.mark.once
async def test_a_picture_is_asked_for_by_the_operators_address(
    inbox_server: Office, talk: Talk, visitor: Visitor
) -> None:
    sent = visitor.request(
        "POST", f"/v1/sessions/{talk.session}/files", png(), headers={"content-type": "image/png"}
    ).body
    content = [{"type": "image", "blob_id": sent["blob_id"]}]
    await talk.send({"type": "message", "id": "m3", "content": content})
    await talk.finished((await talk.until(lambda frame: frame.get("id") == "m3"))["run_id"])
    operator = await inbox_server.operator("Joel")
    page = operator.ask("GET", f"/inbox/s/{talk.session}").text
    address = f"/inbox/s/{talk.session}/blobs/{sent['blob_id']}"
    assert address in page
    assert f"/v1/sessions/{talk.session}/blobs" not in page
    shown = operator.ask("HEAD", address)
    assert (shown.status, shown.headers.getheader("content-type")) == (200, "image/jpeg")


@pytest.mark.once
async def test_a_bad_message_is_refused_with_its_code(inbox_server: Office, talk: Talk) -> None:
    operator = await inbox_server.operator("Lia")
    for body, status in (({"content": " \n"}, 422), ({"content": "a" * 8_001}, 413), ({"more": 1}, 400)):
        assert say(operator, talk.session, **body).status == status
    assert operator.ask("GET", "/inbox/s/ses_none").status == 404
    assert operator.ask("GET", "/inbox/s/nothing").status == 404
    assert operator.ask("GET", "/inbox/nothing").status == 404


@pytest.mark.once
async def test_a_visitor_who_asks_for_a_person_is_listed_first_and_informed(
    inbox_server: Office, talk: Talk, visitor: Visitor
) -> None:
    operator = await inbox_server.operator("Mara")
    async with frames(operator) as told:
        await until(told, lambda frame: frame.get("type") == "inbox")
        await talk.say("quero falar com uma pessoa", "m2")
        lines = await until(told, lambda frame: "data-calls" in frame.get("content", ""))
        first = lines["content"].partition("<li>")[2].partition("</li>")[0]
        assert talk.session in first
        assert "Asks for a person" in first
    await talk.finished()
    said = " ".join(str(each.get("content")) for each in talk.transcript.messages)
    assert "A equipa recebeu o seu pedido" in said
    assert operator.ask("POST", f"/inbox/s/{talk.session}/join", b"").status == 204
    page = operator.ask("GET", "/inbox").text
    assert "data-calls" not in page.partition(f'id="line-{talk.session}"')[2].partition(">")[0]


@pytest.mark.once
async def test_a_note_for_the_agents_is_read_by_no_visitor(
    inbox_server: Office, talk: Talk, visitor: Visitor
) -> None:
    operator = await inbox_server.operator("Nina")
    answer = say(operator, talk.session, content="Offer him ten euros more.", whisper=True)
    assert answer.status == 200
    assert "<q>Offer him ten euros more.</q>" in json.loads(answer.text)["row"]
    await talk.finished(json.loads(answer.text)["run_id"])
    await talk.say("Então?", "m2")
    await talk.finished()
    assert "ten euros" not in json.dumps(talk.frames)
    assert "ten euros" not in str(visitor.request("GET", f"/v1/sessions/{talk.session}/messages").body)
    assert b"ten euros" not in visitor.request("GET", f"/s/{talk.session}").body
    assert await inbox_server.actions(talk.session) == ["whisper"]
    colleague = await inbox_server.operator("Rui")
    for reader in (operator, colleague):
        page = reader.ask("GET", f"/inbox/s/{talk.session}").text
        note = page.index("<q>Offer him ten euros more.</q>")
        assert 'class="row row-operator whispered"' in page
        assert "Nina" in page[note - 100 : note]
        assert note < page.index("Então?")
        rows = json.loads(reader.ask("GET", f"/inbox/s/{talk.session}/older").text)["rows"]
        assert rows.count("Offer him ten euros more.") == 1
