"""Callbacks over a real store to a real receiver: at least once, signed, and never where they may not go."""

from __future__ import annotations

import asyncio
import base64
import datetime
import hmac
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from server.apps import App
from server.callbacks import CallbackSender, Guard, Secrets, Sender
from server.callbacks import sender as sender_module
from server.callbacks.callback_sender import POSTS_OF_STRANGERS
from server.callbacks.fair_sender import POSTS_PER_ORDERER, POSTS_PER_RECEIVER
from server.callbacks.sender import AT_ONCE, SCHEDULE
from server.errors import RateLimited, Unavailable
from server.store import Callback, Finish, Store
from tests.integration.runs.instances import open_store
from tests.parts.command import command
from tests.parts.receiver import Receiver, receiving
from tests.parts.sampled import later
from tests.parts.wait import PATIENCE_S, until_async

OLD, NEW = (base64.b64encode(bytes([each]) * 32).decode() for each in (1, 2))
APPS = {"demo": App(callback_secret=(f"whsec_{NEW}", f"whsec_{OLD}"))}


@pytest.fixture
async def store(database_url: str, tmp_path: Path) -> AsyncIterator[Store]:
    """Yield an open store of each kind."""
    async with open_store(database_url, tmp_path) as opened:
        yield opened


@asynccontextmanager
async def sending(store: Store, receiver: Receiver, **options: Any) -> AsyncIterator[Sender]:
    """Yield a sender that may post to the receiver and does not wait long."""
    options = {"schedule": (0.01, 0.01, 0.01), "poll_s": 0.05, **options}
    sender = CallbackSender(
        store.callbacks, Secrets(APPS, b"s" * 32), Guard([receiver.host]), owner="sender", **options
    )
    sender.start()
    try:
        yield sender
    finally:
        await sender.aclose()


async def end(store: Store, url: str, text: str = "Olá!", *, principal: str = "vis_1") -> str:
    """Return a run of a new session that ends; gives the session."""
    values = {"app": "demo", "principal": principal, "service": "chat", "language": "pt"}
    session = await store.sessions.create(**values, callback_url=url)
    await store.runs.submit(
        session_id=session.id,
        principal=principal,
        client_id="c1",
        content=[{"type": "text", "text": "olá"}],
        language="pt",
    )
    claim = await store.runs.claim("me", 10)
    assert claim is not None
    message = {"id": f"{claim.run.id}.1", "role": "assistant", "content": text}
    finish = Finish(
        outcome="success", code=None, messages=[message], state={"draft": 1, "_own": 2}, items=[], agent="a"
    )
    await store.runs.finish(claim.run.id, claim.run.fence, finish)
    return session.id


async def settled(store: Store, session: str) -> tuple[str, int, int | None]:
    """State, attempts and last answer of the session's callback, once nothing waits any more."""

    async def over() -> bool:
        return (await store.callbacks.states(session))[0][1] != "waiting"

    await until_async(over, what="the callback to be settled")
    return (await store.callbacks.states(session))[0][1:]


def genuine(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """Verify as a receiver does, by Standard Webhooks."""
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    made = base64.b64encode(hmac.digest(base64.b64decode(secret), content, "sha256")).decode()
    return f"v1,{made}" in headers["webhook-signature"].split(" ")


async def test_a_failure_is_tried_again_under_the_same_id_with_both_signatures(store: Store) -> None:
    async with receiving(answers=[500, 200]) as receiver, sending(store, receiver, demo=True):
        session = await end(store, receiver.url)
        assert await settled(store, session) == ("delivered", 2, 200)
    assert len(set(receiver.ids)) == 1
    for headers, body in receiver.came:
        assert genuine(headers, body, OLD)
        assert genuine(headers, body, NEW)
        assert not genuine(headers, body + b" ", NEW)
    assert receiver.came[0][0][":request"] == "POST /hook?shop=1 HTTP/1.1"
    assert receiver.came[0][0]["host"] == receiver.host
    assert receiver.came[0][0]["x-loopwire-session"] == session
    assert receiver.came[0][0]["x-loopwire-demo"] == "true"
    assert receiver.came[0][0]["x-loopwire-run"] == receiver.bodies[0]["data"]["run_id"]
    assert receiver.came[0][1] == receiver.came[1][1]
    assert receiver.bodies[0]["data"]["state"] == {"draft": 1}


@pytest.mark.once
async def test_a_receiver_that_does_not_answer_in_time_gets_the_callback_again(store: Store) -> None:
    async with receiving(answers=[None, 200]) as receiver, sending(store, receiver, timeout_s=0.5):
        state, attempts, status = await settled(store, await end(store, receiver.url))
        assert (state, status) == ("delivered", 200)
        assert attempts == len(receiver.came)
        assert attempts >= 2, "a slow machine may need more"


@pytest.mark.once
async def test_a_redirect_is_a_failure_and_not_followed(store: Store) -> None:
    async with receiving() as inside, receiving(answers=[302, 204], location=inside.url) as receiver:
        async with sending(store, receiver):
            assert await settled(store, await end(store, receiver.url)) == ("delivered", 2, 204)
        assert inside.came == []


@pytest.mark.once
async def test_an_answer_of_410_ends_the_callbacks_of_the_session(store: Store) -> None:
    async with receiving(answers=[410]) as receiver, sending(store, receiver):
        session = await end(store, receiver.url)
        assert await settled(store, session) == ("gone", 1, 410)
        assert (await store.sessions.load(session)).callback_url is None


@pytest.mark.conformance
@pytest.mark.once
async def test_a_body_without_an_end_is_not_read(store: Store) -> None:
    async with receiving(body_bytes=1_000_000_000) as receiver, sending(store, receiver):
        assert await settled(store, await end(store, receiver.url)) == ("delivered", 1, 200)
        assert receiver.sent < 100_000_000


@pytest.mark.once
async def test_a_callback_is_given_up_after_its_last_attempt(store: Store) -> None:
    async with receiving(answers=[503]) as receiver, sending(store, receiver):
        assert await settled(store, await end(store, receiver.url)) == ("failed", 4, 503)
    assert len(receiver.came) == 4


@pytest.mark.once
async def test_a_callback_that_was_given_up_is_sent_again_by_the_replay_command(
    store: Store, database_url: str, tmp_path: Path
) -> None:
    own = {"DATABASE_URL": database_url} if database_url.startswith("postgres") else {}
    async with receiving(answers=[503, 503, 503, 503, 200]) as receiver, sending(store, receiver):
        session = await end(store, receiver.url)
        assert await settled(store, session) == ("failed", 4, 503)
        id = (await store.callbacks.states(session))[0][0]
        code, lines = await asyncio.to_thread(command, tmp_path, own, "callbacks", "list")
        assert code == 0
        assert len(lines) == 1 and lines[0].startswith(f"{id}  demo  {session}  4 attempts  HTTP 503  ")
        code, lines = await asyncio.to_thread(command, tmp_path, own, "callbacks", "replay", id)
        assert (code, lines[0]) == (0, id)

        async def is_delivered() -> bool:
            return (await store.callbacks.states(session))[0][1:] == ("delivered", 1, 200)

        await until_async(is_delivered, what="the callback to be delivered after all")
        code, lines = await asyncio.to_thread(command, tmp_path, own, "callbacks", "replay", id, "cbk_none")
        assert (code, lines) == (1, [f"Not given up, or not there: {', '.join(sorted([id, 'cbk_none']))}."])
    assert len(set(receiver.ids)) == 1


@pytest.mark.once
async def test_an_unreachable_receiver_counts_as_a_failure(store: Store) -> None:
    async with receiving() as receiver:
        pass
    async with sending(store, receiver):
        assert await settled(store, await end(store, receiver.url)) == ("failed", 4, None)


@pytest.mark.once
async def test_two_senders_post_each_once(store: Store) -> None:
    async with receiving() as receiver, sending(store, receiver), sending(store, receiver):
        sessions = [await end(store, receiver.url) for _ in range(12)]
        for session in sessions:
            assert (await settled(store, session))[:2] == ("delivered", 1)
    assert sorted(each["data"]["session_id"] for each in receiver.bodies) == sorted(sessions)


@pytest.mark.once
async def test_a_sender_delivers_more_callbacks_than_it_posts_at_once(store: Store) -> None:
    async with receiving(answers=[500, *[200] * 3 * AT_ONCE]) as receiver, sending(store, receiver):
        sessions = [await end(store, receiver.url) for _ in range(2 * AT_ONCE)]
        for session in sessions:
            assert (await settled(store, session))[0] == "delivered"


@pytest.mark.once
async def test_a_claimed_callback_carries_the_name_of_its_sender(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    owners, claim = set(), store.callbacks.claim

    async def claiming(owner: str, *others: Any) -> Callback | None:
        owners.add(owner)
        return await claim(owner, *others)

    monkeypatch.setattr(store.callbacks, "claim", claiming)
    async with receiving() as receiver, sending(store, receiver):
        assert (await settled(store, await end(store, receiver.url)))[0] == "delivered"
    assert owners == {"sender"}


@pytest.mark.once
async def test_a_callback_claimed_by_a_leaving_sender_is_released(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender_module, "LEAVE_S", PATIENCE_S)
    claim, committed, answered = store.callbacks.claim, asyncio.Event(), asyncio.Event()

    async def late(owner: str, *others: Any) -> Callback | None:
        found = await claim(owner, *others)
        committed.set()
        await answered.wait()
        return found

    async with receiving() as receiver, asyncio.TaskGroup() as group:
        await end(store, receiver.url)
        monkeypatch.setattr(store.callbacks, "claim", late)
        async with sending(store, receiver) as sender:
            await committed.wait()
            going = group.create_task(sender.aclose())
            await until_async(lambda: not sender.claiming, what="nothing to be claimed any more")
            answered.set()
            await going
        assert receiver.came == []
    found = await claim("another", 30)
    assert found is not None, "nobody may have it before its lease ends"
    assert found.attempt == 1


@pytest.mark.once
async def test_an_address_that_became_private_is_not_called(store: Store) -> None:
    async with receiving() as receiver:
        session = await end(store, receiver.url)
        async with receiving() as another, sending(store, another):  # The operator named another one.
            assert await settled(store, session) == ("failed", 4, None)
        assert receiver.came == []


@pytest.mark.parametrize("written", ["once", later("in many ways")])
async def test_a_slow_receiver_holds_up_nobody_else(store: Store, written: str) -> None:
    async with AsyncExitStack() as stack:
        slow = await stack.enter_async_context(receiving(answers=[None]))
        quick = await stack.enter_async_context(receiving())
        sender = CallbackSender(
            store.callbacks, Secrets(APPS, b""), Guard([slow.host, quick.host]), owner="one", poll_s=0.05
        )
        for each in range(2 * AT_ONCE):
            zeros = "0" * each if written == "in many ways" else ""
            await end(store, f"http://127.0.0.1:{zeros}{slow.port}/hook", principal=f"usr_{each}")
        sender.start()
        stack.push_async_callback(sender.aclose)
        await until_async(lambda: len(slow.came) == POSTS_PER_RECEIVER, what="the slow one to be asked")
        for _ in range(AT_ONCE):
            assert (await settled(store, await end(store, quick.url)))[0] == "delivered"
        assert len(slow.came) == POSTS_PER_RECEIVER < AT_ONCE, "its first posts are under way"


@pytest.mark.once
@pytest.mark.parametrize(
    ("principals", "posted", "other"),
    [
        (["usr_1"], POSTS_PER_ORDERER, "usr_2"),
        later(["vis_1"], POSTS_PER_ORDERER, "vis_2"),
        later([f"vis_{each}" for each in range(AT_ONCE)], POSTS_OF_STRANGERS, "usr_1"),
        ([f"api_{each}" for each in range(AT_ONCE)], POSTS_OF_STRANGERS, "app_1"),
    ],
)
async def test_who_names_many_slow_hosts_holds_up_nobody_else(
    store: Store, principals: list[str], posted: int, other: str
) -> None:
    async with AsyncExitStack() as stack:
        slow = [await stack.enter_async_context(receiving(answers=[None])) for _ in range(AT_ONCE)]
        quick = await stack.enter_async_context(receiving())
        guard = Guard([each.host for each in (*slow, quick)])
        sender = CallbackSender(store.callbacks, Secrets(APPS, b""), guard, owner="one", poll_s=0.05)
        for place, each in enumerate(slow):
            await end(store, each.url, principal=principals[place % len(principals)])
        sender.start()
        stack.push_async_callback(sender.aclose)
        await until_async(lambda: came(slow) == posted, what="the slow ones to be asked")
        for _ in range(AT_ONCE):
            assert (await settled(store, await end(store, quick.url, principal=other)))[0] == "delivered"
        assert came(slow) == posted < AT_ONCE, "the first posts are under way"


def came(receivers: list[Receiver]) -> int:
    """Return how many posts all of them got."""
    return sum(len(each.came) for each in receivers)


@pytest.mark.once
async def test_a_name_that_cannot_be_looked_up_now_costs_no_attempt(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender_module, "PUT_BACK_S", 0.01)
    refusals, callers = [Unavailable(), RateLimited(), Unavailable()], []

    async def resolve(host: str, caller: str) -> list[str]:
        callers.append(caller)
        if refusals:
            raise refusals.pop()
        raise OSError

    sender = CallbackSender(
        store.callbacks,
        Secrets(APPS, b""),
        Guard(resolve=resolve),
        owner="one",
        schedule=(0.01,),
        poll_s=0.05,
    )
    sender.start()
    try:
        session = await end(store, "https://shop.example/hook")
        assert await settled(store, session) == ("failed", 2, None)
    finally:
        await sender.aclose()
    assert callers == ["shop.example"] * 5


@pytest.mark.once
async def test_the_tls_certificate_of_a_receiver_is_verified(store: Store, tmp_path: Path) -> None:
    serving, trusting = certificates(tmp_path)
    async with receiving(serving) as receiver:
        async with sending(store, receiver, tls=trusting):
            assert (await settled(store, await end(store, receiver.url)))[0] == "delivered"
        async with sending(store, receiver):  # The system's authorities do not know it.
            assert (await settled(store, await end(store, receiver.url)))[0] == "failed"


@pytest.mark.once
def test_the_schedule_is_ten_attempts_in_three_days() -> None:
    assert len(SCHEDULE) == 9
    assert 3 * 24 * 3600 < sum(SCHEDULE) < 4 * 24 * 3600


def certificates(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return a certificate for 127.0.0.1: who serves with it, and who trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopwire test")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    file = folder / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(file)
    return serving, ssl.create_default_context(cafile=str(file))
