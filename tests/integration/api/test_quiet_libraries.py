"""The log at DEBUG with the demo model: our own loggers write, and no library's, whatever it handles."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from server import log
from tests.integration.mcp.conftest import SCRIPT
from tests.integration.mcp.test_over_http import listens
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_images import Pictures
from tests.integration.requests.test_models import CONTRACTS
from tests.parts.images import png
from tests.parts.ports import free_port
from tests.parts.process import kill_group, start
from tests.parts.receiver import receiving
from tests.parts.searching import searching
from tests.parts.server import Served, served
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

WORDS = ("plugh", "Maria", "Adventure", "xyzzy")
VALUE, SEEN = CONTRACTS["value_estimation"], CONTRACTS["c2c_descriptor"]
APPS = """
[demo.mcp.shop]
services = ["submission"]
private = true
url = "{url}"

[demo.mcp.shop.tools.forecast]
effect = "read"
"""


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    """Yield the settings of an app with an MCP server by HTTP, which listens."""
    port = free_port()
    child = start(list(map(str, [sys.executable, SCRIPT, tmp_path, port])), log=tmp_path / "log")
    try:
        await until_async(lambda: listens(port), what="the MCP server", seconds=120)
        (tmp_path / "apps.toml").write_text(APPS.format(url=f"http://127.0.0.1:{port}/mcp?for=xyzzy"))
        yield {"LOOPWIRE_APPS": str(tmp_path / "apps.toml")}
    finally:
        kill_group(child)
        child.wait(60)


@pytest.fixture
async def pictures() -> AsyncIterator[Pictures]:
    """Yield a server of pictures that tells a secret in its headers."""
    made = Pictures()
    server = await asyncio.start_server(made.take, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()


def offered(caller: RestCaller) -> bool:
    """Return whether the tool of the MCP server stands among those of the services."""
    return "shop_forecast" in json.dumps(caller.request("GET", "/v1/services").body)


def estimation() -> dict[str, Any]:
    """Return a request that searches for words of its item."""
    asked = json.loads(json.dumps(VALUE.example))
    asked["agent_specific"]["loopos_item"]["item"]["data"]["name"] = "iPhone 12 plugh Maria Adventure"
    return dict(asked)


async def use_every_library(running: Served, picture: str, callback: str) -> None:
    """Search the web, fetch a picture, list the tools of an MCP server; the answer goes to a callback."""
    caller = RestCaller(running)

    async def is_offered() -> bool:
        return await asyncio.to_thread(offered, caller)

    await until_async(is_offered, what="the tool of the MCP server", seconds=60)
    found = await asyncio.to_thread(caller.request, "POST", VALUE.path, estimation())
    assert found.status == 200, found.body
    asked = {"images": [picture], "agent_specific": {"product_name": "plugh"}, "callback_url": callback}
    taken = await asyncio.to_thread(caller.request, "POST", SEEN.path, asked)
    assert taken.status == 202, taken.body


async def test_no_library_writes_at_debug_and_no_word_of_an_item_or_header_of_others_is_there(
    shop: dict[str, str], pictures: Pictures
) -> None:
    async with receiving() as receiver, searching() as engine:
        engine.headers = {"set-cookie": "sid=xyzzy"}
        engine.body = {"results": [{"url": "https://plugh.example/1", "title": "plugh"}]}
        at = pictures.put("/chair?of=Maria", png(), head="set-cookie: sid=xyzzy\r\n")
        environment = {
            **shop,
            "LOOPWIRE_DEMO_DELAY_MS": "0",
            "LOOPWIRE_LOG_LEVEL": "DEBUG",
            "LOOPWIRE_SEARCH_URL": engine.url,
            "LOOPWIRE_CALLBACK_HOSTS": f"{pictures.host},{receiver.host}",
        }
        with served(environment) as running:
            await use_every_library(running, at, receiver.url)
            await until_async(lambda: receiver.came, what="the callback")
            assert engine.asked and "plugh" in engine.asked[0]["q"] and pictures.asked
            running.stop()
            whole = running.log_text()
    lines = [json.loads(each) for each in whole.splitlines() if each.startswith("{")]
    assert {each["logger"].partition(".")[0] for each in lines} == {"server"}
    assert "DEBUG" in {each["level"] for each in lines}
    assert [word for word in WORDS if word in whole] == []


@pytest.mark.parametrize(("level", "ours"), [("DEBUG", True), ("INFO", False)])
def test_a_library_that_sets_its_own_level_writes_only_warnings(
    monkeypatch: pytest.MonkeyPatch, level: str, ours: bool
) -> None:
    root, library = logging.getLogger(), logging.getLogger("plugh.library")
    own = logging.getLogger(log.OURS)
    before = (root.level, own.level, list(root.handlers))
    stream = StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    try:
        log.setup(level)
        library.setLevel(logging.DEBUG)
        library.debug("its words")
        library.info("its words")
        library.warning("its warning")
        logging.getLogger("server.plugh").debug("our words")
    finally:
        root.handlers[:] = before[2]
        root.setLevel(before[0])
        own.setLevel(before[1])
        library.setLevel(logging.NOTSET)
    assert "its words" not in stream.getvalue() and "its warning" in stream.getvalue()
    assert ("our words" in stream.getvalue()) is ours
