"""The side of a backend: services for its users, their conversations, and callbacks that are really signed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

import loopwire
from loopwire import Block, Posted, Refused, RunEnded, Text
from server.services import services
from tests.integration.sdk.people import OPENING, agent_words, read, words
from tests.parts.app_keys import new_key
from tests.parts.receiver import receiving
from tests.parts.server import Served, served
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

SECRET = "whsec_" + "c2VjcmV0IG9mIHRoaXJ0eS10d28gYnl0ZXMhISEhISE="
APPS = f'[demo]\ncallback_secret = "{SECRET}"\n'
TRANSLATION = services()["translator"].contract.example


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the settings of a server with an app that signs its callbacks."""
    file: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    file.write_text(APPS)
    roomy = {"LOOPWIRE_LIMIT_MESSAGES_PER_SESSION": "1000/1m"}
    return {"LOOPWIRE_DEMO_DELAY_MS": "0", "LOOPWIRE_APPS": str(file), **roomy}


@pytest.fixture(scope="module")
def shop(environment: dict[str, str]) -> Iterator[Served]:
    """That server."""
    with served(environment) as running:
        yield running


@pytest.fixture(scope="module")
def key(shop: Served, environment: dict[str, str]) -> str:
    """Return a key of its app."""
    return new_key(shop, environment, "demo")


async def test_a_request_is_answered_and_the_same_id_is_the_same_request(shop: Served, key: str) -> None:
    async with loopwire.service(shop.url, key, user="ana") as door:
        answer = await door.request("translator", TRANSLATION, id="r1")
        assert answer.demo and answer.data
        again = await door.request("translator", TRANSLATION, id="r1")
        assert (again.run_id, again.data) == (answer.run_id, answer.data)
        job = await door.job(answer.run_id)
        assert (job.status, job.result, job.session_id) == ("done", answer.data, answer.session_id)
        assert (job.progress, [(each["type"], each["status"]) for each in job.steps]) == (
            1,
            [("agent", "done")],
        )
        with pytest.raises(Refused) as refused:
            await door.job(answer.run_id, user="rui")
        assert (refused.value.status, refused.value.code) == (404, "not_found")
        with pytest.raises(Refused) as refused:
            await door.request("translator", {})
        assert refused.value.status == 422
        assert "body." in refused.value.message


async def test_each_user_has_conversations_of_their_own(shop: Served, key: str) -> None:
    async with loopwire.service(shop.url, key) as door:
        async with door.connect(user="josé", service="submission", alias="order 17") as chat:
            await (await chat.send(OPENING))
            messages, session = chat.messages, chat.session
        async with door.connect(user="josé", service="submission", alias="order 17") as chat:
            assert chat.session == session
        assert [each["id"] async for each in door.conversations(user="josé")] == [session]
        assert [each async for each in door.history(str(session), user="josé")] == messages[::-1]
        assert [each async for each in door.conversations(user="eva")] == []
        with pytest.raises(Refused) as refused:
            _ = [each async for each in door.history(str(session), user="eva")]
        assert refused.value.code == "not_found"


async def test_a_wrong_key_is_refused(shop: Served) -> None:
    async with loopwire.service(shop.url, "lwk_nothing") as door:
        with pytest.raises(Refused) as refused:
            await door.request("translator", TRANSLATION)
        assert (refused.value.code, refused.value.status) == ("unauthorized", 401)


async def test_a_job_is_waited_for_and_its_callback_is_believed_once(
    environment: dict[str, str],
) -> None:
    posted: list[Posted] = []
    came = asyncio.Event()

    @loopwire.callback(SECRET)
    async def hear(told: Posted) -> None:
        posted.append(told)

    async with receiving(heard=came.set) as receiver:
        with served({**environment, "LOOPWIRE_CALLBACK_HOSTS": receiver.host}) as running:
            async with loopwire.service(running.url, new_key(running, environment, "demo")) as door:
                job = await door.start("translator", TRANSLATION, callback_url=receiver.url, user="ana")
                assert (job.status, (await door.job(job)).user) == ("queued", "ana")
                done = await door.wait(job)
                assert (done.status, done.code) == ("done", None)
                assert done.result
                async with asyncio.timeout(60):
                    await came.wait()
        ((headers, body),) = receiver.came
    assert [await hear.take(headers, body) for _ in range(2)] == [204, 204]
    assert await hear.take(headers, body + b" ") == 400
    assert [each.body for each in posted] == [done.result]


@pytest.mark.conformance
async def test_the_end_of_a_conversation_s_run_is_posted_and_believed(environment: dict[str, str]) -> None:
    async with receiving() as receiver:
        allowed = {**environment, "LOOPWIRE_CALLBACK_HOSTS": receiver.host}
        with served(allowed) as running:
            key = new_key(running, allowed, "demo")
            async with loopwire.service(running.url, key, user="ana") as door:
                session = await door.begin("submission", callback_url=receiver.url, alias="order 17")
                async with door.connect(session=session) as chat:
                    run = await chat.send(OPENING)
                    await run
                    await until_async(lambda: receiver.came)
        headers, body = receiver.came[0]
        ended = loopwire.verify(headers, body, SECRET)
        assert isinstance(ended, RunEnded)
        assert (ended.run_id, ended.session_id, ended.outcome) == (run.id, session, "success")
        assert ended.messages[0]["content"] == OPENING


async def test_an_operator_writes_takes_over_and_gives_back(
    shop: Served, environment: dict[str, str]
) -> None:
    """The visitor hears it all, also what no message of theirs began."""
    operator = new_key(shop, environment, "demo", "operator")
    async with (
        loopwire.service(shop.url, operator) as door,
        loopwire.connect(shop.url, service="submission", language="en") as chat,
    ):
        heard = chat.listen()
        session = str(chat.session)
        written = await door.write(session, "Bring it on Monday.", name="Ana", id="w1")
        assert await anext(heard) == Text("Bring it on Monday.", written.message_id, "Ana", operator=True)
        assert (await door.write(session, "Bring it on Monday.", name="Ana", id="w1")).dup
        await door.take_over(session, "Ana")
        joined = await anext(heard)
        assert isinstance(joined, Block)
        assert (joined.kind, joined.status, joined.content["name"]) == ("operator", "joined", "Ana")
        run = await chat.send("Are you there?")
        assert await read(run) == []
        assert (await run).outcome == "success"
        assert session in [each["id"] async for each in door.app_conversations()]
        assert [each async for each in door.app_conversations("nobody")] == []
        newest = await anext(door.history(session))
        assert newest["role"] == "user"
        await door.give_back(session)
        left = await anext(heard)
        assert isinstance(left, Block) and left.status == "left"
        assert words(await read(await chat.send(OPENING)))


async def test_tickets_of_the_shops_own_server_open_a_whole_conversation(shop: Served, key: str) -> None:
    """As a phone does it: it has neither cookie nor key, and its tickets come from the shop's own server."""
    minted: list[str | None] = []
    async with loopwire.service(shop.url, key, user="app") as door:

        async def mint(session: str | None) -> dict[str, str]:
            minted.append(session)
            async with door.connect(session=session, service="submission") as chat:
                ticket, known = await chat._session.access.ticket(chat.session)
                return {"ticket": ticket, "session_id": known}

        async with loopwire.connect(shop.url, token=mint) as chat:
            result = await (await chat.send(OPENING))
            assert result.text == agent_words(chat.messages) != ""
            assert [each["id"] async for each in chat.history()] == [each["id"] for each in chat.messages][
                ::-1
            ]
            chat._session.access.bearer = "stale.token"
            assert [each async for each in chat.history()][-1]["role"] == "user"
            assert chat.visitor is None
        async with loopwire.connect(shop.url, token=mint, session=chat.session) as again:
            run = again.follow(str(chat.run and chat.run.id))
            assert (await run).text == result.text
            for number in range(30):
                await (await again.send("no", id=f"later{number}"))
            session = again.session
        async with loopwire.connect(shop.url, token=mint, session=session) as late:
            assert run.id not in [each["metadata"]["loopwire"]["run_id"] for each in late.messages]
            told = await late.follow(run.id)
            assert (told.status, told.outcome, told.text) == ("finished", None, result.text)
    assert minted == [None, *[session] * 3]
