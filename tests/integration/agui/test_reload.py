"""A caller that returns with only the id of its thread."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from server.protocol.events import ours
from server.store import Run
from tests.integration.agui.caller import body_of, events_in
from tests.integration.ws.inside import inside
from tests.parts.agui_client import Json


@pytest.mark.conformance
@pytest.mark.once
async def test_a_run_that_ends_while_its_caller_comes_back_is_told(
    tmp_path: Path, parts: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with inside(tmp_path, capacity=1, **parts) as here:

        async def run(number: int, *said: tuple[str, str]) -> list[Json]:
            body = body_of("thread", f"run-{number}", *said)
            answer = await asyncio.to_thread(here.visitor.request, "POST", "/agui/submission", body)
            return events_in(answer.body)

        await run(1, ("m1", "Polly Magic"))
        second: list[Json] = []
        asked = here.ready.parts.store.runs.running

        async def after_another(session_id: str) -> Run | None:
            monkeypatch.undo()
            second.extend(await run(2, ("m2", "sim")))
            return await asked(session_id)

        monkeypatch.setattr(here.ready.parts.store.runs, "running", after_another)
        again = await run(3)
        assert ours(again[0])["run_id"] == ours(second[0])["run_id"]
        assert [each["type"] for each in again].count("RUN_FINISHED") == 1
