"""The page of the API: every program on it runs unchanged and prints the service's answer."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html import unescape

import pytest

from server.api.openapi.snippets import snippets
from server.services import services
from tests.integration.requests.conftest import RestCaller
from tests.parts.agui_client import NODE
from tests.parts.missing import skip_missing
from tests.parts.sampled import later
from tests.parts.server import ROOT, Served

pytestmark = pytest.mark.once

CONTRACTS = {name: each.contract for name, each in services().items() if each.contract is not None}
FIRST, *OTHERS = CONTRACTS


def command(language: str, program: str) -> list[str]:
    """Return the command that runs a program of this language."""
    if language == "curl":
        if shutil.which("curl") is None:
            skip_missing("curl", "apt-get install curl")
        return ["sh", "-c", program]
    runs = {"python": [sys.executable, "-c"], "javascript": [str(NODE), "--input-type=module", "-e"]}
    return [*runs[language], program]


@pytest.mark.parametrize("language", ["curl", "python", "javascript"])
@pytest.mark.parametrize("name", [FIRST, *map(later, OTHERS)])
def test_a_program_of_the_page_prints_the_answer(loopwire: Served, name: str, language: str) -> None:
    contract = CONTRACTS[name]
    program = snippets(contract, loopwire.url, keyed=False)[language]
    told = subprocess.run(
        command(language, program), capture_output=True, text=True, check=True, timeout=120
    ).stdout
    contract.response.model_validate(json.loads(told))


def test_the_command_of_the_readme_prints_an_answer(loopwire: Served) -> None:
    (program,) = re.findall(r"^curl [^`]+", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert "http://127.0.0.1:8000/" in program
    here = program.replace("http://127.0.0.1:8000", loopwire.url)
    told = subprocess.run(
        command("curl", here), capture_output=True, text=True, check=True, timeout=120
    ).stdout
    CONTRACTS["value_estimation"].response.model_validate(json.loads(told))


def test_the_page_of_the_socket_shows_each_frame_with_its_fields_and_example(caller: RestCaller) -> None:
    page = caller.request("GET", "/docs/socket", headers={"accept-language": "en"}).body.decode()
    document = caller.request("GET", "/docs/asyncapi.json").body
    defined = caller.request("GET", "/docs/schema.json").body["$defs"]
    for name, message in document["channels"]["socket"]["messages"].items():
        assert f'id="{name}"' in page
        shown = json.dumps(message["examples"][0]["payload"], ensure_ascii=False, indent=2)
        assert shown in unescape(page)
        assert all(f"<code>{each}</code>" in page for each in defined[name]["properties"])
    assert 'href="/docs"' in page
    assert 'href="/docs/socket"' in caller.request("GET", "/docs").body.decode()
    assert caller.request("GET", "/docs/nothing").status == 404


def test_the_page_shows_each_service_and_the_document_is_served(caller: RestCaller) -> None:
    page = caller.request("GET", "/docs", headers={"accept-language": "en"}).body.decode()
    document = caller.request("GET", "/openapi.json").body
    for contract in CONTRACTS.values():
        assert f"<code>{contract.path}</code>" in page
        assert contract.path in document["paths"]
    assert document["openapi"] == "3.1.0"
