"""The checks notices what it is there for: a checker that blames nothing proves nothing."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from websockets import Subprotocol
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as serving
from websockets.http11 import Request

from tests.chaos.frame_checks import FrameChecks
from tests.chaos.tab import Browser, Tab
from tests.parts.wait import until_async


@pytest.fixture
def checks() -> FrameChecks:
    """Return one who has seen nothing yet."""
    return FrameChecks()


def tab_at(checks: FrameChecks, seq: int | None, epoch: str = "e.1") -> Tab:
    """Return a tab that stands somewhere in a session."""
    browser = Browser("http://127.0.0.1:1", "10.0.0.1", checks)
    return Tab(browser, "chat", "pt", Random(1), session="ses_a", seq=seq, epoch=epoch)


def frame(seq: int, delta: str = "a", **more: Any) -> dict[str, Any]:
    """Return a durable frame."""
    return {
        "seq": seq,
        "event": {"type": "TEXT_MESSAGE_CONTENT", "messageId": "msg_a", "delta": delta},
        **more,
    }


def end(seq: int, run_id: str = "run_a") -> dict[str, Any]:
    """The end of a run."""
    return {"seq": seq, "event": {"type": "RUN_FINISHED", "threadId": "ses_a", "runId": run_id}}


def test_the_witness_accepts_frames_in_order(checks: FrameChecks) -> None:
    checks.took(tab_at(checks, 4), frame(5))
    checks.took(tab_at(checks, 4), frame(7, **{"from": 5}))
    assert checks.violations == []


@pytest.mark.parametrize(
    ("stands", "came", "says"),
    [
        (4, frame(6), "events 5..5 are missing"),
        (4, frame(4), "came again"),
        (4, frame(6, **{"from": 4}), "came again"),
        (4, frame(9, **{"from": 7}), "events 5..6 are missing"),
        (None, frame(1), "before any snapshot"),
    ],
)
def test_the_witness_reports_a_missing_and_a_repeated_event(
    checks: FrameChecks, stands: int | None, came: dict[str, Any], says: str
) -> None:
    checks.mark("strike something")
    checks.took(tab_at(checks, stands), came)
    (blamed,) = checks.violations
    assert says in blamed
    assert "strike something" in blamed


def test_the_witness_reports_sockets_that_get_different_events(checks: FrameChecks) -> None:
    checks.took(tab_at(checks, 4), frame(5, "a"))
    checks.took(tab_at(checks, 4, "e.2"), frame(5, "b"))
    assert checks.violations == []
    checks.took(tab_at(checks, 4), frame(5, "b"))
    assert "not what another socket was told" in checks.violations[0]


def test_the_witness_reports_a_run_that_ends_twice(checks: FrameChecks) -> None:
    checks.took(tab_at(checks, 4), end(5))
    checks.took(tab_at(checks, 4), end(5))
    checks.took(tab_at(checks, 5), end(6, "run_b"))
    assert checks.violations == []
    checks.took(tab_at(checks, 6), end(7))
    assert "ended more than once" in checks.violations[0]


async def test_a_reloaded_tab_ignores_the_frames_of_the_socket_before_its_reload(checks: FrameChecks) -> None:
    tab = tab_at(checks, 4)
    tab.token = "t"

    def reload(_connection: ServerConnection, _request: Request) -> None:
        tab.forget()

    async def serve(socket: ServerConnection) -> None:
        await socket.recv()
        welcome = {"type": "welcome", "resumed": True, "resume_token": "t"}
        for each in (welcome, frame(5)):
            await socket.send(json.dumps(each))
        await socket.wait_closed()

    spoken = [Subprotocol("loopwire.v1")]
    async with serving(serve, "127.0.0.1", 0, subprotocols=spoken, process_request=reload) as server:
        tab.browser.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        tab.tasks.spawn(tab._visit(), name="visit")
        await until_async(lambda: tab.page and not tab.tasks)
    assert tab.seq is None and checks.violations == []
