"""SQLite locked or its disk full: nothing is acknowledged that is not stored, and it comes back alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.degradation.outage_checks import ask, health, insist, intact
from tests.parts.server import served
from tests.parts.wait import until, until_async

HELLO = "Olá, o que é que posso vender aqui e como funciona?"

# Holds the one lock of writers, as a backup tool or a shell left open would.
LOCKER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
"""


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Yield another process holds the lock."""
    argv, pipe = [sys.executable, "-c", LOCKER, str(database)], subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe) as holder:
        assert holder.stdout.readline() == b"locked\n"
        try:
            yield
        finally:
            holder.stdin.close()
            holder.wait(60)


async def test_a_locked_file_refuses_what_it_cannot_store_and_takes_it_once_afterwards(visit):
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0"}) as loopwire:
        visitor = visit(loopwire)
        talk = await visitor.open()
        with locked(loopwire.data_dir / "loopwire.db"):
            refused = await talk.say(HELLO, "c1")
            assert (refused["type"], refused["code"], refused["retry"]) == ("error", "unavailable", True)
            assert refused["retry_after"] > 0
            assert await health(visitor, database=False, ready=False, redis=True) == 503
            page = await ask(visitor, "GET", f"/v1/sessions/{talk.session}/messages")
            assert page.status == 200, "what is stored can be read"
            sending = asyncio.ensure_future(insist(talk, HELLO, "c1"))
            await until_async(lambda: refusals(talk) >= 2, what="the second refusal")
        answers = await sending
        assert answers[-1]["type"] == "ack"
        assert (await talk.say(HELLO, "c1"))["dup"] is True
        await talk.finished()
        await intact(visitor, talk, HELLO)
        assert await health(visitor, database=True, ready=True) == 200
        assert "Traceback" not in loopwire.log_text()


def refusals(talk):
    """Return how many frames were answered with an error so far."""
    return sum(each.get("type") == "error" for each in talk.frames)


@pytest.mark.conformance
async def test_an_answer_that_loses_its_lease_to_a_lock_is_taken_up_again(visit):
    own = {"LOOPWIRE_DEMO_DELAY_MS": "100", "LOOPWIRE_LEASE_SECONDS": "3"}
    with served(own) as loopwire:
        visitor = visit(loopwire)
        talk = await visitor.open()
        await insist(talk, HELLO, "c1")
        await talk.event("TEXT_MESSAGE_CONTENT")
        with locked(loopwire.data_dir / "loopwire.db"):
            until(lambda: "not renewed in time" in loopwire.log_text(), what="the lease to be lost")
        await talk.finished()
        await intact(visitor, talk, HELLO)


def filled(disk: Path) -> Path:
    """Take what is left of the disk, and return what holds it."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return ballast
    return ballast


async def test_a_full_disk_refuses_messages_and_takes_them_when_there_is_room(visit, disk):
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0"}, data_dir=disk / "data") as loopwire:
        visitor = visit(loopwire)
        talk = await visitor.open()
        await insist(talk, HELLO, "c1")
        await talk.finished()
        ballast = filled(disk)
        first = await ask(visitor, "GET", "/readyz")
        assert (first.status, first.body["database"], first.body["disk"]) == (503, False, "low")
        texts, refused = [HELLO], None
        while refused is None:  # The file of the write-ahead log has room for some more.
            text = f"Polly Magic {len(texts)}"
            answer = await talk.say(text, f"f{len(texts)}")
            refused = text if answer["type"] == "error" else None
            texts.append(text)
            assert len(texts) < 15, "the disk is not full"
            if refused is None:
                await talk.finished()
        assert answer["code"] == "unavailable"
        assert await health(visitor, disk="low", database=False) == 503
        assert (await ask(visitor, "GET", "/")).status == 200
        ballast.unlink()
        assert await health(visitor, database=True, ready=True) == 200
        await insist(talk, texts[-1], f"f{len(texts) - 1}")
        await talk.finished()
        await intact(visitor, talk, *texts)
        database = loopwire.data_dir / "loopwire.db"
        assert loopwire.stop() == 0
        checked = subprocess.run(
            [sys.executable, "-c", CHECK, str(database)], capture_output=True, text=True, check=True
        )
        assert checked.stdout.strip() == "ok"


CHECK = (
    "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchone()[0])"
)
