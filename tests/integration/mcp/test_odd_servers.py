"""Programs that list too much, print what is no message, start slowly or would stay: what is offered, and what ends."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from server.agents.run.tool_calls import ToolFailure
from server.agents.tools.remote import MATERIAL, RemoteTool, make_tool
from tests.integration.mcp.conftest import SCRIPT, Shop, program, shop_with
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

ODD = SCRIPT.with_name("odd_mcp_server.py")


def odd(folder: Path, mode: str, *tools: str) -> dict[str, Any]:
    """The table of a server that does one thing wrong."""
    named = {name: {"effect": "read"} for name in tools or ("find",)}
    return {
        "services": ["test"],
        "command": sys.executable,
        "args": ["-I", "-S", str(ODD), mode, str(folder)],
        "tools": named,
    }


def tools(shop: Shop, service: str = "test") -> dict[str, RemoteTool]:
    """The tools of an app by name."""
    return {each.name: each for each in shop.connections.tools_for("demo", service)}


def ready(shop: Shop) -> list[str]:
    """The names of those that can be called."""
    return [name for name, each in tools(shop).items() if each.is_ready()]


async def test_one_server_that_misbehaves_leaves_the_others_alone(tmp_path: Path) -> None:
    async with shop_with(
        tmp_path,
        huge=odd(tmp_path, "huge list", "other1"),
        silent=odd(tmp_path, "silent"),
        absent={**odd(tmp_path, ""), "command": "no-such-program-here"},
        slow=odd(tmp_path, "slow"),
        garbage=odd(tmp_path, "garbage"),
        schemas=odd(tmp_path, "schemas", "no_type", "no_names", "huge", "deep", "find"),
    ) as shop:
        await until_async(
            lambda: ready(shop) == ["slow_find", "garbage_find", "schemas_find"],
            what="the good ones",
            seconds=60,
        )
        assert tools(shop, "chat") == {} and shop.connections.tools_for("other", "test") == []
        answer = await tools(shop)["garbage_find"].call({})
        assert answer == {"result": "", "left_out": 1}
        with pytest.raises(ToolFailure, match="cannot be reached now"):
            await tools(shop)["silent_find"].call({})
        made = make_tool(tools(shop)["schemas_find"])
        assert made.description.startswith("Find.[31mxx") and made.description.endswith(MATERIAL)
        assert len(made.description) < 1_100


async def test_a_list_without_an_end_is_read_for_twenty_pages(tmp_path: Path) -> None:
    async with shop_with(tmp_path, shop=odd(tmp_path, "endless list", "other3", "find")) as shop:
        await until_async(lambda: ready(shop) == ["shop_other3"], what="what was found", seconds=60)
        assert len(shop.lines("pages")) == 20


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def test_a_program_ends_with_what_it_has_started(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        table = program(tmp_path, tools={"forecast": {"effect": "read"}})
        shop = await stack.enter_async_context(shop_with(tmp_path, shop=table))
        await until_async(shop.is_ready, what="the server", seconds=120)
        pids = [int(each.split()[0]) for each in shop.lines("started")]
        assert len(pids) == 2 and all(map(alive, pids))
    assert not any(map(alive, pids))
