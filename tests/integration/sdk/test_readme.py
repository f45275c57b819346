"""The examples of the client's README, run as they stand there at a real server."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import AsyncRequestFactory
from django.views.decorators.csrf import csrf_exempt
from flask import Flask
from flask import request as flask_request
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

import loopwire
from server.callbacks.signing import signature_headers
from tests.integration.sdk.people import OPENING, pressed, read
from tests.parts.agui_client import NODE
from tests.parts.app_keys import new_key
from tests.parts.server import ROOT, Served, clean_environment, served

pytestmark = pytest.mark.once

PAGE = (ROOT / "sdk/python/README.md").read_text()
LOCAL = "http://127.0.0.1:8000"
BODY = b'{"answer": 1}'


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the settings of a server whose app asks before an item is made."""
    file: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    file.write_text('[demo]\napprovals = ["create_item"]\n')
    return {"LOOPWIRE_DEMO_DELAY_MS": "0", "LOOPWIRE_APPS": str(file)}


@pytest.fixture(scope="module")
def asking(environment: dict[str, str]) -> Iterator[Served]:
    """That server."""
    with served(environment) as running:
        yield running


def example(words: str) -> str:
    """Return the one example with these words."""
    (found,) = [each for each in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if words in each]
    return str(found)


async def run_example(words: str, url: str = LOCAL, **known: Any) -> dict[str, Any]:
    """Run an example that awaits something, with these names; return what it defined."""
    code = example(words).replace(LOCAL, url)
    body = textwrap.indent(code, "    ")
    names = {**known, "loopwire": loopwire}
    exec(f"async def example():\n{body}\n    return locals()", names)
    made: dict[str, Any] = await names["example"]()
    return made


def run_program(code: str, url: str) -> str:
    """Run an example that is a program, and return what it printed."""
    environment = {**clean_environment(), "PYTHONPATH": str(ROOT / "sdk/python/src")}
    argv = [sys.executable, "-W", "error", "-c", code.replace(LOCAL, url)]
    done = subprocess.run(argv, capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_example_of_the_first_page_prints_the_answer(asking: Served) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert "iPhone 12" in run_program(program.replace("https://chat.example", LOCAL), asking.url)


def test_the_javascript_of_the_first_page_prints_the_answer_in_node_and_ends(asking: Served) -> None:
    (program,) = re.findall(r"```js\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    module = (ROOT / "sdk/js/index.js").as_uri()
    code = program.replace("https://chat.example/static/sdk/index.js", module)
    argv = [NODE, "--input-type=module", "-e", code.replace("https://chat.example", asking.url)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert any("iPhone 12" in line for line in done.stdout.splitlines())


@pytest.mark.conformance
def test_the_first_example_is_a_program(asking: Served) -> None:
    shown = run_program(example("asyncio.run(main())"), asking.url)
    assert "[get_catalog]" in shown
    assert shown.endswith("success\n")


@pytest.mark.conformance
def test_the_example_without_await_is_a_program(asking: Served) -> None:
    shown = run_program("import loopwire\n" + example("loopwire.sync.connect"), asking.url)
    assert "Polly Magic" in shown
    assert shown.endswith("success\n")


async def test_a_block_is_answered_and_an_ask_goes_on(
    asking: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    async with loopwire.connect(asking.url, service="submission", language="en") as chat:
        parts = await read(await chat.send(OPENING))
        block = next(each for each in reversed(parts) if isinstance(each, loopwire.Block))
        await run_example("block.answer(block.choices[0])", chat=chat, block=block)
    async with loopwire.connect(asking.url, service="submission", language="en") as chat:
        parts = await read(await chat.send(OPENING))
        while True:
            block = next(each for each in reversed(parts) if isinstance(each, loopwire.Block))
            run = await chat.send(pressed(block))
            if (await run).asks:
                break
            parts = await read(run)
        await run_example("case loopwire.Ask", chat=chat, run=run)
        assert (await run).outcome == "success"
    assert capsys.readouterr().out == ""


async def test_the_example_of_a_tool_offers_its_function(asking: Served) -> None:
    made = await run_example("async def opening_hours", asking.url)
    (offered,) = made["chat"]._session.tools.declarations()
    assert offered == {
        "name": "opening_hours",
        "description": "When the shop of a city is open.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
    await made["chat"].aclose()


async def test_a_backend_asks_a_service(
    asking: Served, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    await run_example("loopwire.service", asking.url, key=new_key(asking, environment, "demo"))
    shown = capsys.readouterr().out
    assert "run_" in shown
    assert "user" in shown.split()


KEY = b"k" * 32


def receiver(*, plain: bool) -> dict[str, Any]:
    """Return the names that the example of a callback defines; `plain` makes its function one without await."""
    code = example("@loopwire.callback").replace("whsec_…", f"whsec_{b64encode(KEY).decode()}")
    names: dict[str, Any] = {"loopwire": loopwire}
    exec(code.replace("async def", "def") if plain else code, names)
    return names


def signed(seconds: int = 0) -> dict[str, str]:
    """Return the headers of a callback that the server signed so many seconds ago."""
    return signature_headers([KEY], "cbk_1", int(time.time()) - seconds, BODY)


async def test_a_callback_is_taken_in_starlette(capsys: pytest.CaptureFixture[str]) -> None:
    names = {**receiver(plain=False), "Response": Response}
    exec(example("status_code="), names)
    app = Starlette(routes=[Route("/hook", names["hook"], methods=["POST"])])
    headers = signed()
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        statuses = [
            (await client.post("/hook", content=body, headers=headers)).status_code
            for body in (BODY, BODY, BODY + b" ")
        ]
        late = await client.post("/hook", content=BODY, headers=signed(seconds=400))
    assert (statuses, late.status_code) == ([204, 204, 400], 400)
    assert capsys.readouterr().out == "cbk_1\n"


async def test_a_callback_is_taken_in_django(capsys: pytest.CaptureFixture[str]) -> None:
    if not settings.configured:
        settings.configure()
    names = {**receiver(plain=False), "HttpResponse": HttpResponse, "csrf_exempt": csrf_exempt}
    exec(example("@csrf_exempt"), names)
    requests, headers = AsyncRequestFactory(), signed()
    statuses = []
    for body in (BODY, BODY, BODY + b" "):
        request = requests.post("/hook", body, content_type="application/json", headers=headers)
        statuses.append((await names["hook"](request)).status_code)
    assert statuses == [204, 204, 400]
    assert capsys.readouterr().out == "cbk_1\n"


def test_a_callback_is_taken_in_flask(capsys: pytest.CaptureFixture[str]) -> None:
    app = Flask("shop")
    exec(example("@app.post"), {**receiver(plain=True), "app": app, "request": flask_request})
    client, headers = app.test_client(), signed()
    statuses = [
        client.post("/hook", data=body, headers=headers).status_code for body in (BODY, BODY, BODY + b" ")
    ]
    assert statuses == [204, 204, 400]
    assert capsys.readouterr().out == "cbk_1\n"
