"""Pushes over a real store to a real push service: encrypted, proven, and only to visitors who are not there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from server.bus.log.entries import BusDown
from server.callbacks import Guard, PushAccess, PushSender, Secrets
from server.callbacks.fair_sender import POSTS_PER_ORDERER
from server.callbacks.push_encryption import base64url_bytes, base64url_text
from server.callbacks.push_sender import POSTS_PER_SERVICE, topic_of
from server.callbacks.sender import AT_ONCE
from server.metrics import REGISTRY
from server.store import OperatorChange, Store
from tests.integration.callbacks.test_sending import came, certificates
from tests.integration.runs.instances import open_store
from tests.parts.push_receiver import Browser
from tests.parts.receiver import Receiver, receiving
from tests.parts.sampled import later
from tests.parts.subscriptions import endpoints_of
from tests.parts.wait import until_async

CONTACT = "mailto:ops@shop.example"
SECRETS = Secrets({}, b"s" * 32)


@pytest.fixture
async def store(database_url: str, tmp_path: Path) -> AsyncIterator[Store]:
    """Yield an open store of each kind."""
    async with open_store(database_url, tmp_path) as opened:
        yield opened


@dataclass
class Here:
    """The visitors who are there; without Redis nobody knows."""

    visitors: set[str] = field(default_factory=set)
    down: bool = False

    async def __call__(self, principal: str) -> bool:
        """Answer as the bus does."""
        if self.down:
            raise BusDown
        return principal in self.visitors


@asynccontextmanager
async def pushing(
    store: Store, guard: Guard, here: Here | None = None, **options: Any
) -> AsyncIterator[PushSender]:
    """Yield a sender at work that does not wait long."""
    options = {"schedule": (0.01, 0.01, 0.01), "poll_s": 0.05, **options}
    sender = PushSender(
        store.pushes, SECRETS, guard, owner="sender", contact=CONTACT, is_here=here or Here(), **options
    )
    sender.start()
    try:
        yield sender
    finally:
        await sender.aclose()


async def subscribed(store: Store, browser: Browser, endpoint: str, principal: str = "vis_1") -> None:
    keys = base64url_text(browser.point), base64url_text(browser.auth)
    await store.push_subscriptions.put("demo", principal, endpoint, *keys)


async def written(
    store: Store, name: str | None = "Ana", language: str = "pt", principal: str = "vis_1"
) -> str:
    """Let an operator write in a new conversation; return its id."""
    values = {"app": "demo", "principal": principal, "service": "chat", "language": language}
    session = await store.sessions.create(**values)
    await store.runs.submit(
        session_id=session.id,
        principal=principal,
        client_id="o1",
        content=[{"type": "text", "text": "O preço é segredo."}],
        language=language,
        operator=OperatorChange("say", "key_a", name),
    )
    return session.id


async def settled(store: Store, session: str) -> tuple[str, int, int | None]:
    """Return state, attempts and last answer of a conversation's push, once none waits."""

    async def over() -> bool:
        return "waiting" not in [each[1] for each in await store.pushes.states(session)]

    await until_async(over, what="the push to be settled")
    return (await store.pushes.states(session))[0][1:]


def read(browser: Browser, receiver: Receiver, place: int = -1) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(browser.read(receiver.came[place][1]))
    return told


@pytest.mark.once
async def test_the_browser_reads_who_wrote_and_the_push_service_nothing(store: Store) -> None:
    browser = Browser.new()
    async with receiving(answers=[201]) as receiver, pushing(store, Guard([receiver.host])):
        await subscribed(store, browser, receiver.url)
        session = await written(store)
        assert await settled(store, session) == ("delivered", 1, 201)
    told = read(browser, receiver)
    message = told.pop("message")
    assert message.startswith("msg_")
    assert told == {"title": "Loopwire", "body": "Ana escreveu-lhe.", "session": session}
    headers, body = receiver.came[0]
    assert b"Ana" not in body
    assert headers["content-encoding"] == "aes128gcm"
    assert (headers["ttl"], headers["urgency"]) == ("86400", "high")
    assert headers["topic"] == topic_of(session)
    assert len(headers["topic"]) == 32
    token, key = headers["authorization"].removeprefix("vapid t=").split(", k=")
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), base64url_bytes(key))
    audience = f"http://{receiver.host}"
    assert jwt.decode(token, public, ["ES256"], audience=audience)["sub"] == CONTACT
    assert PushAccess.of(SECRETS, Guard()).public_key == key, "a page subscribes with the key of the proof"


@pytest.mark.once
async def test_the_notification_is_in_the_language_of_the_conversation(store: Store) -> None:
    browser = Browser.new()
    async with receiving() as receiver, pushing(store, Guard([receiver.host])):
        await subscribed(store, browser, receiver.url)
        await settled(store, await written(store, name=None, language="de"))
    assert read(browser, receiver)["body"] == "Ein Mensch hat Ihnen geschrieben."


async def test_a_push_is_sent_over_tls_to_each_browser_of_the_visitor(store: Store, tmp_path: Path) -> None:
    serving, trusting = certificates(tmp_path)
    phone, laptop = Browser.new(), Browser.new()
    async with (
        receiving(tls=serving) as one,
        receiving(tls=serving) as two,
        pushing(store, Guard([one.host, two.host]), tls=trusting),
    ):
        await subscribed(store, phone, one.url)
        await subscribed(store, laptop, two.url)
        session = await written(store)
        assert await settled(store, session) == ("delivered", 1, 200)
    assert read(phone, one) == read(laptop, two)
    assert (len(one.came), len(two.came)) == (1, 1)


def needless() -> float:
    """Return how many pushes were not needed."""
    return REGISTRY.get_sample_value("loopwire_pushes_total", {"result": "needless"}) or 0


@pytest.mark.once
async def test_a_visitor_who_is_there_gets_no_push(store: Store) -> None:
    before = needless()
    async with receiving() as receiver, pushing(store, Guard([receiver.host]), Here({"vis_1"})):
        await subscribed(store, Browser.new(), receiver.url)
        assert await settled(store, await written(store)) == ("gone", 1, None)
        assert receiver.came == []
    assert needless() == before + 1


@pytest.mark.once
async def test_a_visitor_who_has_come_back_gets_no_second_attempt(store: Store) -> None:
    here = Here()
    async with receiving(answers=[500], heard=lambda: here.visitors.add("vis_1")) as receiver:
        async with pushing(store, Guard([receiver.host]), here):
            await subscribed(store, Browser.new(), receiver.url)
            assert (await settled(store, await written(store)))[:2] == ("gone", 2)
        assert len(receiver.came) == 1


@pytest.mark.once
async def test_a_push_is_sent_when_redis_is_away(store: Store) -> None:
    async with receiving() as receiver, pushing(store, Guard([receiver.host]), Here({"vis_1"}, down=True)):
        await subscribed(store, Browser.new(), receiver.url)
        assert (await settled(store, await written(store)))[0] == "delivered"


@pytest.mark.once
@pytest.mark.parametrize("status", [later(404), 410])
async def test_an_address_that_is_gone_is_removed(store: Store, status: int) -> None:
    async with receiving(answers=[status]) as receiver, pushing(store, Guard([receiver.host])):
        await subscribed(store, Browser.new(), receiver.url)
        session = await written(store)

        async def removed() -> bool:
            return not await endpoints_of(store, "demo", "vis_1")

        await until_async(removed, what="the subscription to be removed")
        assert await store.pushes.states(session) == []
        await written(store)
        assert len(receiver.came) == 1


@pytest.mark.once
async def test_a_failing_push_is_retried_under_the_same_topic_and_given_up(store: Store) -> None:
    browser = Browser.new()
    async with receiving(answers=[503]) as receiver, pushing(store, Guard([receiver.host])):
        await subscribed(store, browser, receiver.url)
        assert await settled(store, await written(store)) == ("failed", 4, 503)
        assert await endpoints_of(store, "demo", "vis_1") == [receiver.url]
    assert len({headers["topic"] for headers, _ in receiver.came}) == 1
    assert len({read(browser, receiver, place)["message"] for place in range(4)}) == 1


@pytest.mark.once
async def test_a_push_committed_before_a_kill_is_sent_by_the_next_process(store: Store) -> None:
    async with receiving() as receiver:
        await subscribed(store, Browser.new(), receiver.url)
        session = await written(store)
        assert await store.pushes.claim("killed", -1) is not None
        async with pushing(store, Guard([receiver.host])):
            assert await settled(store, session) == ("delivered", 2, 200)
        assert len(receiver.came) == 1


@pytest.mark.once
@pytest.mark.parametrize(
    ("visitors", "hosts", "posted"),
    [(1, AT_ONCE, POSTS_PER_ORDERER), (AT_ONCE, 1, POSTS_PER_SERVICE)],
    ids=["one visitor with many slow hosts", "many visitors with one slow host"],
)
async def test_a_slow_push_service_holds_up_nobody_else(
    store: Store, visitors: int, hosts: int, posted: int
) -> None:
    async with AsyncExitStack() as stack:
        slow = [await stack.enter_async_context(receiving(answers=[None])) for _ in range(hosts)]
        quick = await stack.enter_async_context(receiving())
        for at in range(AT_ONCE):
            endpoint = f"{slow[at % hosts].url}/{at}"
            await subscribed(store, Browser.new(), endpoint, f"vis_{at % visitors}")
        for at in range(visitors):
            await written(store, principal=f"vis_{at}")
        await stack.enter_async_context(pushing(store, Guard([each.host for each in (*slow, quick)])))
        await until_async(lambda: came(slow) == posted, what="the slow ones to be asked")
        await subscribed(store, Browser.new(), quick.url, "vis_other")
        for _ in range(AT_ONCE):
            session = await written(store, principal="vis_other")
            assert (await settled(store, session))[0] == "delivered"
        assert came(slow) == posted < AT_ONCE, "the first posts are under way"


@pytest.mark.once
async def test_a_push_waits_for_the_share_of_its_service(store: Store) -> None:
    async with receiving() as receiver, pushing(store, Guard([receiver.host])):
        for at in range(2 * AT_ONCE):
            await subscribed(store, Browser.new(), f"{receiver.url}/{at}", f"vis_{at}")
        sessions = [await written(store, principal=f"vis_{at}") for at in range(2 * AT_ONCE)]
        assert {await settled(store, each) for each in sessions} == {("delivered", 1, 200)}


@pytest.mark.once
async def test_an_address_that_is_not_allowed_is_never_called(store: Store) -> None:
    async with receiving() as receiver, pushing(store, Guard()):
        await subscribed(store, Browser.new(), receiver.url)
        assert await settled(store, await written(store)) == ("failed", 4, None)
        assert receiver.came == []
