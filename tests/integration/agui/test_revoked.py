"""The end of a revoked principal's answers, with the signal and without it; their runs go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from server.rooms.revocation_watch import RevocationWatch
from server.store import Session
from tests.integration.agui.caller import Caller, body_of, events_in
from tests.integration.ws.inside import Inside, inside
from tests.parts.agui_client import Json
from tests.parts.sampled import later

pytestmark = pytest.mark.once


@dataclass
class Reader:
    """A reader of the answer of a run that no process executes."""

    here: Inside
    caller: Caller
    session: Session
    answer: Any

    async def rest(self) -> list[Json]:
        """Return what still comes, to its end."""
        return events_in(await asyncio.to_thread(self.answer.read))

    async def runs(self) -> int:
        """Count the runs that wait."""
        return len(await self.here.ready.parts.store.runs.queue(self.session.id))


@asynccontextmanager
async def reading(folder: Path, parts: dict[str, str]) -> AsyncIterator[Reader]:
    """Serve over these parts, and ask for a run."""
    async with inside(folder, **parts) as here:
        caller = Caller(here.visitor.served)
        await asyncio.to_thread(caller.request, "GET", "/v1/sessions")
        answer = await asyncio.to_thread(caller.opened, body_of("thread", "run", ("m1", "olá")))
        listed = await asyncio.to_thread(caller.request, "GET", "/v1/sessions")
        session = await here.ready.parts.store.sessions.load(listed.body["sessions"][0]["id"])
        with answer:
            yield Reader(here, caller, session, answer)


async def test_a_visitor_who_leaves_ends_the_answer_and_not_the_run(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    async with reading(tmp_path, parts) as reader:
        await asyncio.to_thread(reader.caller.request, "DELETE", "/v1/visitor")
        (failed,) = await reader.rest()
        assert (failed["type"], failed["code"]) == ("RUN_ERROR", "unauthorized")
        assert await reader.runs() == 1


@pytest.mark.parametrize(("subject", "code"), [("principal", "unauthorized"), later("id", "not_found")])
async def test_a_revocation_whose_signal_was_lost_is_found_by_polling(
    tmp_path: Path, parts: dict[str, str], subject: str, code: str
) -> None:
    async with reading(tmp_path, parts) as reader:
        parts = reader.here.ready.parts
        ends = [reader.here.web.agui.end_revoked]
        revoking = RevocationWatch(ends, parts.store.revocations, parts.bus, ask_s=0.02)
        revoking.start()
        await parts.store.revocations.revoke(getattr(reader.session, subject))
        (failed,) = await reader.rest()
        assert (failed["type"], failed["code"]) == ("RUN_ERROR", code)
        assert await reader.runs() == 1
        await revoking.aclose()


@pytest.mark.conformance
async def test_a_revocation_of_another_ends_no_answer(tmp_path: Path, parts: dict[str, str]) -> None:
    async with reading(tmp_path, parts) as reader:
        for subject in ("vis_another", "another"):
            reader.here.web.agui.end_revoked(subject)
        await asyncio.to_thread(reader.caller.request, "DELETE", f"/v1/sessions/{reader.session.id}")
        (failed,) = await reader.rest()
        assert failed["code"] == "not_found"  # It had not ended before.
