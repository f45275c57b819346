"""The conformance kit: our own server passes, and one that drops, doubles or changes a single event does not."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterator

import pytest

from tests.integration.sdk.cutting import cutting
from tests.parts.sampled import later
from tests.parts.server import ROOT, Served, clean_environment, served
from tests.parts.wait import PATIENCE_S

pytestmark = pytest.mark.once

KIT = ROOT / "sdk/python/src/loopwire/conformance"


@pytest.fixture(scope="module")
def judged() -> Iterator[Served]:
    """Yield a server whose answers take a moment, so that a client can leave in the middle of one."""
    with served({"LOOPWIRE_DEMO_DELAY_MS": "5"}) as running:
        yield running


async def kit(*arguments: str) -> tuple[int, list[str]]:
    """Run the kit as its users do; return its code and the lines that it printed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "loopwire.conformance", *arguments),
        stdout=PIPE,
        env={**clean_environment(), "PYTHONPATH": str(ROOT / "sdk/python/src")},
    )
    out, _ = await asyncio.wait_for(process.communicate(), 4 * PATIENCE_S)
    return int(process.returncode or 0), out.decode().splitlines()


async def test_our_server_passes_every_check(judged: Served) -> None:
    code, (*lines, count) = await kit(judged.url)
    assert [each for each in lines if not each.startswith("ok ")] == []
    assert (code, count) == (0, f"{len(lines)} checks, {len(lines)} passed, 0 failed")
    assert len(lines) >= 12 + len(list((KIT / "transcripts").glob("*.json")))


class Meddling:
    """Changes the second frame with a text of an agent, and no other one."""

    def __init__(self, how: str) -> None:
        self._how = how
        self._seen = 0

    def __call__(self, frame: bytes) -> bytes:
        """Give what a client gets in place of a frame."""
        if b'"event":{"type":"TEXT_MESSAGE_CONTENT"' not in frame:
            return frame
        self._seen += 1
        if self._seen != 2:
            return frame
        changed = frame.replace(b'"seq":', b'"sep":')
        return {"dropped": b"", "doubled": frame + frame, "renamed": changed}[self._how]


@pytest.mark.parametrize(
    ("how", "fault"),
    [
        ("dropped", "is missing before event"),
        later("doubled", "was sent twice"),
        later("renamed", "ServerFrame"),
    ],
)
async def test_one_wrong_event_fails_the_server(judged: Served, how: str, fault: str) -> None:
    async with cutting(judged.url) as way:
        way.change = Meddling(how)
        code, (line, count) = await kit(way.url, "--only", "numbered without a hole", "--seconds", "20")
    assert line.startswith("FAILED")
    assert fault in line
    assert (code, count) == (1, "1 checks, 0 passed, 1 failed")


@pytest.mark.conformance
async def test_a_server_that_is_not_there_fails() -> None:
    code, lines = await kit("http://127.0.0.1:9", "--only", "a hello")
    assert (code, lines[-1]) == (1, "1 checks, 0 passed, 1 failed")


def test_the_kit_has_the_schema_of_the_wire() -> None:
    published = (ROOT / "docs/protocol/schema.json").read_text()
    assert (KIT / "schema.json").read_text() == published, "run: python -m server.protocol.schema"
