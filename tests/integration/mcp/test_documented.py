"""The example of docs/apps.md as it is written: a program's two tools in the service *chat* of a served Loopwire."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from server import apps
from server.services import require_known, services
from tests.integration.test_doctor import run
from tests.integration.ws.visitor import Talk, Visitor
from tests.modelserver import Call, ModelServer, Scripted
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.server import ROOT, Served, Servers
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

PAGE = (ROOT / "docs" / "apps.md").read_text(encoding="utf-8").partition("## MCP servers\n")[2]
ODD = "<img src=x onerror=alert(1)>"


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    """Yield a model server that says what a test gives it."""
    async with ModelServer(Scripted(), port=free_port(), api_key=KEY) as server:
        yield server


@pytest.fixture
def written(tmp_path: Path) -> dict[str, str]:
    """Return the settings of the example, whose two files lie in a folder of their own."""
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    (table,) = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
    (tmp_path / "weather.py").write_text(program)
    (tmp_path / "apps.toml").write_text(table.replace('"weather.py"', f'"{tmp_path}/weather.py"'))
    require_known(apps.load(tmp_path / "apps.toml"), services())
    return {"LOOPWIRE_APPS": str(tmp_path / "apps.toml"), "WEATHER_OFFICE": "porto"}


def behind(model: ModelServer) -> dict[str, str]:
    """Return the settings of the model."""
    return {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": KEY, "LOOPWIRE_MODEL": "test-model"}


def programs(served: Served, folder: Path) -> list[psutil.Process]:
    """Return the weather programs of a server that live, with their supervisors."""
    return [
        each
        for each in psutil.process_iter(["cmdline", "status"])
        if f"{folder}/weather.py" in (each.info["cmdline"] or ()) and each.info["status"] != "zombie"
    ]


def tools(visitor: Visitor) -> dict[str, Any]:
    """Return the tools of the servers, as the API tells them."""
    told = visitor.request("GET", "/v1/services").body["services"]
    return {
        f"{each['name']}.{tool['name']}": tool for each in told for tool in each["tools"] if "server" in tool
    }


def html(talk: Talk) -> str:
    """Return every fragment that came."""
    return "".join(each.get("content", "") for frame in talk.frames for each in frame.get("batch", [frame]))


@pytest.fixture
async def visitors() -> AsyncIterator[Callable[[Served], Visitor]]:
    """Yield a factory of visitors whose sockets end with the test."""
    made: list[Visitor] = []

    def make(served: Served) -> Visitor:
        made.append(Visitor(served))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()


@pytest.mark.conformance
async def test_the_example_works_as_it_is_written(
    serve_each: Servers,
    visitors: Callable[[Served], Visitor],
    model: ModelServer,
    written: dict[str, str],
    tmp_path: Path,
) -> None:
    served = serve_each({**written, **behind(model)})
    visitor = visitors(served)
    found = tools(visitor)
    assert set(found) == {"chat.weather_forecast", "chat.weather_report"}
    assert {(each["server"], each["effect"]) for each in found.values()} == {
        ("weather", "read"),
        ("weather", "once"),
    }
    await until_async(
        lambda: tools(visitor)["chat.weather_forecast"]["description"].startswith("What weather"),
        what="the list",
        seconds=120,
    )
    model.brain = script = Scripted(
        [
            [Call("weather_forecast", {"city": ODD})],
            "Rain.",
            [Call("weather_report", {"city": ODD, "text": "a"})],
        ]
    )
    talk = await visitor.open(html=True)
    await talk.say("weather?", "m1")
    await talk.finished()
    rain = f"Tomorrow in {ODD}: rain, 14 degrees."
    assert json.loads(script.requests[1].outputs_since_user[0]["output"]) == {"result": rain}
    (result,) = [each for each in talk.transcript.messages if each["role"] == "tool"]
    assert json.loads(result["content"]) == {"result": rain}
    await talk.say("report it", "m2")
    await talk.finished()
    assert ODD not in html(talk) and "&lt;img" in html(talk)

    block = next(each["content"] for each in talk.transcript.messages if each["role"] == "activity")
    assert [each["label"] for each in block["pairs"]] == ["city", "text"]
    script.extend(["Reported."])
    entry = {"interrupt_id": block["interrupt_id"], "status": "resolved", "payload": {"approved": True}}
    await talk.send({"type": "resume", "id": "r1", "entries": [entry]})
    await talk.until(lambda frame: frame.get("id") == "r1")
    await talk.event("RUN_FINISHED")
    read = json.loads(script.requests[-1].outputs_since_user[-1]["output"])
    assert read == {"result": f"Taken for {ODD}, with the key of porto."}
    assert "porto" not in json.dumps(talk.frames)
    taken = {"type": "message", "id": "m3", "content": [{"type": "text", "text": "x"}]}
    page = {"name": "weather_forecast", "description": "", "parameters": {"type": "object", "properties": {}}}
    script.extend(["Heard."])
    await talk.send({**taken, "tools": [page]})
    ack = await talk.until(lambda frame: frame.get("id") == "m3")
    assert (ack["type"], ack["ignored_tools"]) == ("ack", ["weather_forecast"])
    await talk.event("RUN_FINISHED")

    assert len(programs(served, tmp_path)) == 2
    os.kill(served.process.pid, signal.SIGKILL)
    await until_async(lambda: not programs(served, tmp_path), what="the end of the programs", seconds=60)


async def test_the_doctor_names_the_tools_and_what_is_wrong_with_a_server(
    written: dict[str, str], tmp_path: Path
) -> None:
    code, text = await run("doctor", tmp_path, **written)
    assert code == 0 and "ok    mcp       demo.weather: forecast, report" in text

    file = tmp_path / "apps.toml"
    wrong = file.read_text() + "[demo.mcp.weather.tools.missing]\n"
    file.write_text(f'{wrong}[demo.mcp.gone]\nservices = ["chat"]\ncommand = "no-such-program-here"\n'
                    'env = ["NOT_SET_ANYWHERE"]\n[demo.mcp.gone.tools.a]\n')  # fmt: skip
    code, text = await run("doctor", tmp_path, **written)
    assert code == 1
    assert "FAIL  mcp       demo.weather: it has no tool missing that can be offered" in text
    assert "FAIL  mcp       demo.gone: App 'demo': mcp.gone: the environment has no NOT_SET_ANYWHERE." in text
