"""The OpenAPI document against a running server: each operation once, and the requests of a fuzzer of the document."""

from __future__ import annotations

import json
import os
import re
import subprocess
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route

from server.api.openapi.document import openapi_document
from server.services import services
from tests.integration.api.test_app_keys import Program
from tests.integration.requests.conftest import RestCaller
from tests.integration.ws.inside import inside
from tests.integration.ws.visitor import Answer, Visitor
from tests.parts.app_keys import new_key
from tests.parts.images import png
from tests.parts.missing import skip_missing
from tests.parts.server import ROOMY, ROOT, Backend, Served, Servers
from tests.parts.wait import until

pytestmark = pytest.mark.once

SCHEMATHESIS = ROOT / ".tools" / "schemathesis" / "bin" / "schemathesis"
SEED = 7
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
)
DOCUMENT = openapi_document(services())
SENTENCE = "quero vender um iPhone 12 preto de 128 gb"


class Documented:
    """Asks one server, and holds each answer against the server's own document."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.document: dict[str, Any] = visitor.request("GET", "/openapi.json").body
        self.tried: set[str] = set()

    def ask(
        self, name: str, body: Any = None, *, headers: dict[str, str] | None = None, **path: str
    ) -> Answer:
        """Make a request of an operation by its name, and require that the answer is one of those that it has."""
        template, method = self._place(name)
        query = path.pop("query", "")
        address = re.sub(r"\{(\w+)\}", lambda found: path[found[1]], template)
        answer = self.visitor.request(method.upper(), address + query, body, headers=headers)
        self.tried.add(name)
        self.require_documented(name, answer)
        return answer

    def require_documented(self, name: str, answer: Answer) -> None:
        """Require that an answer's status, media type and body are those of the document."""
        template, method = self._place(name)
        responses = self.document["paths"][template][method]["responses"]
        told = responses.get(str(answer.status), responses.get("default"))
        assert told is not None, f"{name} answered {answer.status}"
        if "content" not in told:
            assert answer.body in (b"", None), name
            return
        media_type = answer.headers.get_content_type()
        found = told["content"].get(media_type) or told["content"].get("*/*")
        assert found is not None, f"{name} answered {media_type}"
        if media_type == "application/json":
            schema = {**found["schema"], "components": self.document["components"]}
            Draft202012Validator(schema).validate(answer.body)

    def names(self) -> set[str]:
        """The names of all operations but those of services, which have tests of their own."""
        operations = (each for methods in self.document["paths"].values() for each in methods.values())
        return {each["operationId"] for each in operations if "services" not in each["tags"]}

    def _place(self, name: str) -> tuple[str, str]:
        return next(
            (path, method)
            for path, methods in self.document["paths"].items()
            for method, each in methods.items()
            if each["operationId"] == name
        )


def test_each_operation_answers_as_the_document_says(
    loopwire: Served, caller: RestCaller, backend: Backend
) -> None:
    visitor = caller.stranger()
    api = Documented(visitor)
    for name in ("health", "healthz", "readyz", "list_services"):
        assert api.ask(name).status == 200
    ticket = api.ask("issue_ticket", {"language": "pt"}).body
    session = ticket["session_id"]
    picture = api.ask(
        "upload_picture", png(), headers={"content-type": "image/png", "origin": loopwire.url}, id=session
    )
    assert picture.status == 201
    assert api.ask("read_blob", id=session, blob=picture.body["blob_id"]).status == 200
    said = {"type": "message", "id": "m1", "content": [{"type": "text", "text": SENTENCE}]}
    here = {"origin": loopwire.url}
    assert api.ask("send_command", said, headers=here, id=session).status == 200
    assert api.ask("send_command", {"type": "nothing"}, headers=here, id=session).status == 400
    until(lambda: api.ask("read_session", id=session).body["status"] == "waiting", what="the answer")
    assert len(api.ask("read_messages", query="?limit=1", id=session).body["messages"]) == 1
    assert api.ask("list_sessions").body["sessions"][0]["id"] == session
    assert api.ask("begin_session", {"service": "chat"}).status == 201
    assert api.ask("begin_session", {"service": 1}).status == 400
    assert api.ask("change_session", {"title": "Um telemóvel"}, id=session).body["title"] == "Um telemóvel"
    _stream(api, loopwire, visitor, session)
    decision = {"prompt": "Which?", "options": ["A", "B"], "item_context": "An item."}
    run = visitor.request("POST", "/loopos_ai_decision", decision).headers["x-loopwire-run"]
    assert api.ask("read_job", id=run).body["status"] == "done"
    assert api.ask("read_item", id=_item(api, visitor)).status == 200
    key = new_key(loopwire, backend.environment, "demo", "operator")
    _operate(api, Program(loopwire, key=key), session)
    _respond(api, Program(loopwire, key=new_key(loopwire, backend.environment, "demo")))
    _push(api)
    _run_agents(api, caller.stranger())
    _identify(api, Program(loopwire, key=new_key(loopwire, backend.environment, "demo")))
    assert api.ask("delete_session", id=session).status == 204
    assert api.ask("read_session", id=session).status == 404
    assert api.ask("leave", headers=here).status == 204
    assert api.tried == api.names()


def _push(api: Documented) -> None:
    """Ask a server without a contact for push services."""
    address = {"endpoint": "https://push.example/1"}
    assert api.ask("read_push_key").body == {"key": None}
    assert api.ask("subscribe_to_push", {**address, "keys": {"p256dh": "", "auth": ""}}).status == 404
    assert api.ask("unsubscribe_from_push", address).status == 404


def _run_agents(api: Documented, stranger: Visitor) -> None:
    """Ask as AG-UI's clients do."""
    stranger.ticket()
    visitor, api.visitor = api.visitor, stranger
    assert api.ask("read_agent_capabilities", service="submission").status == 200
    assert api.ask("read_agent_capabilities", service="nothing").status == 404
    said = {"threadId": "t1", "runId": "r1", "messages": [{"id": "m1", "role": "user", "content": SENTENCE}]}
    here = {"origin": stranger.served.url}
    assert api.ask("run_agent", said, headers=here, service="submission").status == 200
    assert api.ask("run_agent", {"threadId": 1}, headers=here, service="submission").status == 400
    assert api.ask("cancel_agent_run", {"threadId": "t1"}, headers=here, service="submission").status == 200
    api.visitor = visitor


def _identify(api: Documented, program: Program) -> None:
    """Sign out, which everybody may, and revoke with a key."""
    assert api.ask("identify", {"token": None}).body["user"] is None
    assert api.ask("identify", {"token": "x"}).status == 404, "the demo has no identities"
    assert api.ask("revoke_identities", {"user": "ana"}).status == 401
    visitor, api.visitor = api.visitor, program
    assert api.ask("revoke_identities", {"user": "ana"}).status == 204
    api.visitor = visitor


def _stream(api: Documented, served: Served, visitor: Visitor, session: str) -> None:
    """Open a stream without a ticket, which is refused, and with one, whose head is all that is read."""
    assert api.ask("stream_events", id=session).status == 401
    ticket = visitor.ticket(session_id=session)["ticket"]
    connection = HTTPConnection(served.url.removeprefix("http://"), timeout=60)
    headers = {"authorization": f"Bearer {ticket}", "origin": served.url}
    connection.request("GET", f"/v1/sessions/{session}/events", headers=headers)
    response = connection.getresponse()
    api.require_documented("stream_events", Answer(response.status, response.headers, None))
    assert response.status == 200
    connection.close()
    assert api.ask("read_log", id=session).status == 401
    bearer = {"authorization": f"Bearer {visitor.ticket(session_id=session)['ticket']}"}
    assert api.ask("read_log", id=session, query="?offset=-1", headers=bearer).status == 200


def _operate(api: Documented, operator: Program, session: str) -> None:
    """Do as an operator what operators may, and be refused without their key."""
    said = {"id": "o1", "content": "Bom dia.", "name": "Ana"}
    assert api.ask("list_operated_sessions").status == 401
    visitor, api.visitor = api.visitor, operator
    listed = api.ask("list_operated_sessions", query="?q=telem%C3%B3vel").body
    assert session in [each["id"] for each in listed["sessions"]]
    assert api.ask("send_operator_message", said, id=session).body["id"] == "o1"
    assert api.ask("send_operator_message", {**said, "content": "Boa tarde."}, id=session).status == 409
    assert api.ask("join_as_operator", {"name": "Ana"}, id=session).body["operator"]["name"] == "Ana"
    assert api.ask("leave_as_operator", id=session).status == 204
    api.visitor = visitor


def _respond(api: Documented, program: Program) -> None:
    """Ask as OpenAI's clients do, and be refused without a key."""
    said = {"model": "submission", "input": SENTENCE}
    assert api.ask("create_response", said).status == 401
    visitor, api.visitor = api.visitor, program
    names = [each["id"] for each in api.ask("list_models").body["data"]]
    assert api.ask("read_model", model=names[0]).body["id"] == names[0]
    made = api.ask("create_response", said).body
    assert api.ask("read_response", id=made["id"]).body["output"] == made["output"]
    assert api.ask("cancel_response", id=made["id"]).body["status"] == "completed"
    assert api.ask("read_response", id="resp_none").status == 404
    api.visitor = visitor


def _item(api: Documented, visitor: Visitor) -> str:
    """Make an item by `/chat`, and return its id."""
    bases = {"loopos_core_base_url": "https://a.example/", "loopos_submission_base_url": "https://b.example/"}
    for text in (SENTENCE, "sim", "Sim, criar o artigo"):
        body = {"messages": [{"role": "user", "text": text}], "session_id": "item", **bases}
        answer = visitor.request("POST", "/chat", body)
        api.require_documented("chat_message", answer)
    session = answer.headers["x-loopwire-session"]
    state = visitor.request("GET", f"/v1/sessions/{session}").body["state"]
    return str(state["item_id"])


@pytest.mark.conformance
@pytest.mark.timeout(900)
def test_requests_of_a_fuzzer_cause_no_fault_of_the_server(serve_each: Servers, tmp_path: Path) -> None:
    if not SCHEMATHESIS.exists():
        skip_missing("schemathesis", "make .tools/schemathesis/.installed")
    roomy = {**ROOMY, "LOOPWIRE_LIMIT_REQUESTS_PER_ADDRESS": "100000/1m", "LOOPWIRE_DEMO_DELAY_MS": "0"}
    served = serve_each(roomy | {"LOOPWIRE_LIMIT_TICKETS_PER_VISITOR": "100000/1m"})
    # A visitor who leaves sees none of its conversations any more: that is tried last, by another visitor.
    assert tried_by_fuzzer(served, tmp_path, "--exclude-path", "/v1/visitor") > 1_000
    # No other operation follows from it, so there are no chains of operations to try.
    alone = ("--include-path", "/v1/visitor", "--phases", "examples,coverage,fuzzing")
    assert tried_by_fuzzer(served, tmp_path, *alone) > 0
    assert "Traceback" not in served.log_text()


def tried_by_fuzzer(served: Served, folder: Path, *paths: str) -> int:
    """Let schemathesis try some paths as a visitor of its own; return how many requests it made."""
    visitor = Visitor(served)
    visitor.ticket()
    ran = subprocess.run(
        [
            *(SCHEMATHESIS, "run", f"{served.url}/openapi.json", "--seed", str(SEED)),
            *("--checks", ",".join(CHECKS), "--max-examples", "25", "--request-timeout", "60"),
            *("--header", f"Cookie: {visitor.cookie}", "--header", f"Origin: {served.url}"),
            *(*paths, "--no-color", "--continue-on-failure"),
        ],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-8_000:] + ran.stderr
    return int(re.findall(r"(\d+) generated", ran.stdout)[0])


def test_the_document_is_served_as_it_is_stored(caller: RestCaller) -> None:
    stored = json.loads((ROOT / "docs" / "protocol" / "openapi.json").read_text())
    assert caller.request("GET", "/openapi.json").body == stored


async def test_every_route_that_is_no_page_stands_in_the_document(tmp_path: Path) -> None:
    async with inside(tmp_path) as here:
        routes = here.web.routes(here.ready.parts)
    documented = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    served = {
        (method, each.path_format)
        for each in routes
        if isinstance(each, Route) and not _is_page(each)
        for method in (each.methods or set()) - {"HEAD"}
    }
    assert len(served) > 30
    assert served - documented == set()


def _is_page(route: Route) -> bool:
    """Return whether a route answers people: these endpoints stand in `server.http`."""
    return str(route.endpoint.__module__).startswith("server.http.")
