"""A real server with a scripted model, as `loopwire.testing.serve` starts it for the tests of its users.

The example of the README and the script without await have it started cold; the others come from the nursery.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from loopwire import LoopwireError, Text, Tool, Unreachable, sync
from loopwire.testing import Call, Fail, ScriptError, Step, serve
from tests.integration.sdk.test_readme import example
from tests.parts.forked import command
from tests.parts.server import ROOT, clean_environment
from tests.parts.wait import until_async

pytestmark = pytest.mark.once


async def test_a_conversation_follows_a_script() -> None:
    held = threading.Event()

    def wait(messages: list[dict[str, Any]]) -> str:
        held.wait()
        return f"{len(messages)} messages"

    script: list[Step] = [
        "Good day to you.",
        ["I look. ", Call("search_catalog", query="iPhone 12")],
        lambda messages: f"Found: {messages[-1]['role']}",
        Call("opening_hours", city="Porto"),
        "At ten.",
        Fail(429, "rate_limit_exceeded"),
        Fail(503, retry=True),
        "Here again.",
        wait,
    ]
    async with (
        serve(script, strict=True, command=command(), cwd=ROOT) as server,
        server.connect(service="chat", language="en") as chat,
    ):
        asked: list[str] = []

        @chat.tool
        def opening_hours(city: str) -> str:
            """When a shop is open."""
            asked.append(city)
            return "10:00"

        run = await chat.send("hello")
        assert "".join([each.delta async for each in run if isinstance(each, Text)]) == "Good day to you."
        run = await chat.send("an iPhone")
        assert [each.status async for each in run if isinstance(each, Tool)] == ["running", "done"]
        assert (await run).text == "I look. \n\nFound: tool"
        assert (await (await chat.send("when?"))).text == "At ten."
        assert asked == ["Porto"]
        assert (await (await chat.send("and now?"))).code == "model_busy"
        assert (await (await chat.send("once more"))).text == "Here again."
        run = await chat.send("wait")
        await until_async(lambda: server.left == [])
        await run.stop()
        held.set()
        assert (await run).outcome == "cancelled"
        assert [each.text for each in server.requests[:2]] == ["hello", "an iPhone"]
        assert {"search_catalog", "opening_hours"} <= set(server.requests[1].tools)
        assert server.requests[2].messages[-1]["content"].startswith('{"query": "iPhone 12"')
        assert server.requests[0].messages[0]["role"] == "system"
        assert server.missing == 0
        assert '"model": "scripted"' in server.log


def test_a_script_that_is_exhausted_says_so_without_await(caplog: pytest.LogCaptureFixture) -> None:
    script = [Call("search_catalog", query="iPhone 12")]
    with (
        pytest.raises(
            ScriptError, match=r"1 of 2 requests .* has 1, and the newest message of a user was 'hello'"
        ),
        serve(script, strict=True, settings={"LOOPWIRE_MODEL_API": "chat"}) as server,
    ):
        with server.connect(service="chat") as chat:
            result = chat.send("hello").result(timeout=60)
            assert (result.status, result.code) == ("error", "model_rejected")
        assert (server.missing, server.left) == (1, [])
        assert "messages" in server.requests[0].body
    assert "The script has 1 steps, and this is request 2." in caplog.text
    with pytest.raises(Unreachable), sync.connect(server.url, open_timeout=0.5):
        pass


async def test_a_backend_makes_tickets_with_a_key_of_the_server() -> None:
    async with serve(lambda messages: messages[-1]["content"], command=command(), cwd=ROOT) as server:
        key = (await server.run("keys", "add", "demo")).strip()

        async def mint(session: str | None) -> Any:
            asked = {"session_id": session} if session else {"service": "chat"}
            headers = {"authorization": f"Bearer {key}", "loopwire-user": "ana"}
            async with httpx2.AsyncClient(base_url=server.url, headers=headers) as client:
                return (await client.post("/v1/tickets", json=asked)).json()

        async with server.connect(app="demo", token=mint) as chat:
            assert (await (await chat.send("hello"))).text == "hello"
        with pytest.raises(LoopwireError, match="There is no app 'shop'") as failed:
            await server.run("keys", "add", "shop")
        assert failed.value.code == "command_failed"


@pytest.mark.conformance
def test_the_example_of_the_readme_is_a_file_of_tests(tmp_path: Path) -> None:
    (tmp_path / "test_shop.py").write_text(example("from loopwire.testing import"))
    environment = {**clean_environment(), "PYTHONPATH": f"{ROOT}:{ROOT / 'sdk/python/src'}"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    argv = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*argv, "test_shop.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, "2 passed" in done.stdout) == (0, True), done.stdout + done.stderr
