"""MCP programs that list too much, print no messages, start slowly or do not exit: the offered tools, and their end."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from server.agents.run.tool_calls import AnsweredFailure, ToolFailure
from server.agents.tools.remote import MATERIAL, RemoteTool, make_tool
from server.limits import Limits
from server.mcp import connection
from server.tasks import Tasks
from tests.integration.mcp.conftest import SCRIPT, Shop, program, shop_with
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

ODD = SCRIPT.with_name("odd_mcp_server.py")


def odd(folder: Path, mode: str, *tools: str) -> dict[str, Any]:
    """Return the table of a server that does one thing wrong."""
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


async def test_misbehaving_servers_leave_the_tools_of_others_usable(tmp_path: Path) -> None:
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
        answer = await tools(shop)["garbage_find"].call({}, "ana")
        assert answer == {"result": "", "left_out": 1}
        with pytest.raises(ToolFailure, match="cannot be reached now"):
            await tools(shop)["silent_find"].call({}, "ana")
        made = make_tool(tools(shop)["schemas_find"])
        assert made.description.startswith("Find.[31mxx") and made.description.endswith(MATERIAL)
        assert len(made.description) < 1_100


async def test_a_list_without_an_end_is_read_for_twenty_pages(tmp_path: Path) -> None:
    async with shop_with(tmp_path, shop=odd(tmp_path, "endless list", "other3", "find")) as shop:
        await until_async(lambda: ready(shop) == ["shop_other3"], what="what was found", seconds=60)
        assert len(shop.lines("pages")) == 20


async def test_a_result_of_too_many_values_costs_its_call_alone(tmp_path: Path) -> None:
    async with shop_with(tmp_path, shop=odd(tmp_path, "numbers", "find")) as shop:
        await until_async(lambda: ready(shop) == ["shop_find"], what="the server", seconds=60)
        find = tools(shop)["shop_find"]
        with pytest.raises(AnsweredFailure, match="too large"):
            await find.call({"many": 50_000}, "ana")
        answer = await find.call({"many": 5_000}, "ana")
        assert answer["result"].startswith('{"0": 0, "1": 1')


async def test_an_answer_of_too_many_parts_is_refused_before_each_is_checked(tmp_path: Path) -> None:
    """Nine thousand that fit no model took 60 to 100 ms of the event loop, in one turn."""
    answers: list[tuple[dict[str, Any], str]] = [
        ({"content": [0] * 9_000}, "too large"),
        ({"content": [{"type": "text", "text": "", "annotations": {"audience": [0] * 9_000}}]}, "too large"),
        ({"content": [0] * 1_000}, "no answer that can be read"),
    ]
    async with shop_with(tmp_path, shop=odd(tmp_path, "elements", "find")) as shop:
        await until_async(lambda: ready(shop) == ["shop_find"], what="the server", seconds=60)
        find = tools(shop)["shop_find"]
        for at, (answer, refusal) in enumerate(answers):
            with pytest.raises(AnsweredFailure, match=refusal):
                await find.call({"answer": answer}, f"vis_{at}")
        texts = [{"type": "text", "text": f"{each}"} for each in range(600)]
        found = await find.call({"answer": {"content": texts}}, "ana")
        assert found["result"].split("\n") == [f"{each}" for each in range(600)]


async def test_a_tool_that_is_described_otherwise_is_out_until_the_process_starts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connection, "LIST_AGAIN_S", 0.01)
    async with shop_with(tmp_path, shop=odd(tmp_path, "changing list", "find", "keep")) as shop:
        await until_async(lambda: len(ready(shop)) == 2, what="the server", seconds=60)
        await tools(shop)["shop_find"].call({}, "ana")
        await until_async(lambda: ready(shop) == ["shop_keep"], what="the other description")
        assert "shop describes its tool find otherwise than before" in caplog.text
        assert "call every other tool" not in caplog.text
        with pytest.raises(ToolFailure, match="not what it was"):
            await tools(shop)["shop_find"].call({}, "ana")
        await tools(shop)["shop_keep"].call({}, "ana")
        await until_async(lambda: len(shop.lines("pages")) == 3, what="the first description again")
        await tools(shop)["shop_keep"].call({}, "ana")
        assert ready(shop) == ["shop_keep"]


@pytest.mark.parametrize(("limits", "most"), [(Limits(), 4), (Limits(mcp_calls_per_visitor=2), 2)])
async def test_calls_of_one_person_leave_a_server_to_the_others(
    tmp_path: Path, limits: Limits, most: int
) -> None:
    async with (
        shop_with(tmp_path, limits=limits, shop=odd(tmp_path, "holding", "hold", "find")) as shop,
        held() as tasks,
    ):
        await until_async(lambda: len(ready(shop)) == 2, what="the server", seconds=60)
        for _ in range(connection.AT_ONCE):
            tasks.spawn(tools(shop)["shop_hold"].call({}, "ana"), name="ana")
        await until_async(lambda: len(shop.lines("held")) == most, what="the calls of ana")
        assert await tools(shop)["shop_find"].call({}, "rui") == {"result": "", "left_out": 1}
        assert len(shop.lines("held")) == most


@asynccontextmanager
async def held() -> AsyncIterator[Tasks]:
    """Calls that nobody answers, and that end with the test."""
    tasks = Tasks()
    try:
        yield tasks
    finally:
        await tasks.aclose()


def alive(pid: int) -> bool:
    """Return whether a process runs."""
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
    await until_async(lambda: not any(map(alive, pids)), what="the end of both")
