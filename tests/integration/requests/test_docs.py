"""The page of the API: every program on it runs unchanged and prints the service's answer."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html import unescape
from typing import Any

import pytest

from server.api.openapi.document import openapi_document
from server.api.openapi.documented_requests import DocumentedRequest, RequestDocumentation
from server.languages import LANGUAGES
from server.services import services
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.reference import CHAT_MESSAGE, deviations
from tests.parts.agui_client import NODE
from tests.parts.missing import skip_missing
from tests.parts.sampled import later
from tests.parts.server import ROOT, Served

pytestmark = pytest.mark.once

CONTRACTS = {name: each.contract for name, each in services().items() if each.contract is not None}
CHAT = "chat"
"""The messages of `/chat`, which belong to no contract."""
FIRST, *OTHERS = CONTRACTS
DOCUMENT = openapi_document(services())


def section(name: str, server: str, language: str = "en") -> DocumentedRequest:
    """Return what the page shows of a service, or of `/chat`."""
    described = RequestDocumentation(DOCUMENT, server, language, keyed=False)
    return described.of_chat() if name == CHAT else described.of_service(name, CONTRACTS[name])


def require_answer(name: str, answer: Any) -> None:
    """Require that an answer is one of this service, or of `/chat`."""
    if name != CHAT:
        CONTRACTS[name].response.model_validate(answer)
        return
    assert answer
    assert not [fault for each in answer for fault in deviations(CHAT_MESSAGE, each)]


def command(language: str, program: str) -> list[str]:
    """Return the command that runs a program of this language."""
    if language == "curl":
        if shutil.which("curl") is None:
            skip_missing("curl", "apt-get install curl")
        return ["sh", "-c", program]
    runs = {"python": [sys.executable, "-c"], "javascript": [str(NODE), "--input-type=module", "-e"]}
    return [*runs[language], program]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_programs_of_a_page_post_the_example_of_its_language(language: str) -> None:
    for name in (*CONTRACTS, CHAT):
        shown = section(name, "http://127.0.0.1", language)
        assert shown.example in shown.snippets["python"], name
        assert shown.example in shown.snippets["javascript"], name


@pytest.mark.parametrize("language", ["curl", "python", later("javascript")])
@pytest.mark.parametrize("name", [FIRST, CHAT, *map(later, OTHERS)])
def test_a_program_of_the_page_prints_the_answer(loopwire: Served, name: str, language: str) -> None:
    program = section(name, loopwire.url).snippets[language]
    told = subprocess.run(
        command(language, program), capture_output=True, text=True, check=True, timeout=120
    ).stdout
    require_answer(name, json.loads(told))


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
    for name in (*CONTRACTS, CHAT):
        shown = section(name, caller.served.url)
        assert all(each in unescape(page) for each in shown.snippets.values()), name
        assert all(f"<code>{each.name}</code>" in page for each in (*shown.takes, *shown.gives)), name
    assert document["openapi"] == "3.1.0"


def test_the_meaning_of_a_field_is_in_the_language_of_the_page_where_people_have_a_word_for_it(
    caller: RestCaller,
) -> None:
    pages = {
        each: unescape(caller.request("GET", "/docs", headers={"accept-language": each}).body.decode())
        for each in ("pt", "en")
    }
    assert "A excelente, B bom, C razoável, D mau. ·" in pages["pt"]
    assert "· <span" not in pages["en"]
    assert "/v1/jobs/" in pages["en"]
    assert "lwk_" in pages["en"]


def test_the_programs_of_the_chat_share_no_conversation(caller: RestCaller) -> None:
    """Whoever runs one would go on with the conversation of all others."""
    shown = section(CHAT, caller.served.url, "de")
    assert not [each for each in shown.snippets.values() if "session_id" in each]
    assert {"session_id", "messages[].text", "loopos_core_base_url"} <= {each.name for each in shown.takes}
    assert {each.name for each in shown.gives} == {"[].text", "[].html", "[].role"}
    page = caller.request("GET", "/docs", headers={"accept-language": "de"}).body.decode()
    assert "<code>/chat</code>" in page
    assert shown.body["messages"] == [{"role": "user", "text": "Ich möchte ein iPhone 12 verkaufen"}]
