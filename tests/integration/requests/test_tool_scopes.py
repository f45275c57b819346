"""The scopes of an app's tools: listed by GET /v1/services, and checked for a call that waited for an approval."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.requests.chat_client import body_of
from tests.integration.requests.conftest import RestCaller
from tests.parts.server import Servers

READY = ("quero vender um iPhone 12 preto de 128 gb", "sim", "Sim, criar o artigo")


def tools_of(caller: RestCaller, service: str) -> set[str]:
    """Return the tools that are told of a service."""
    told = caller.request("GET", "/v1/services").body["services"]
    return {tool["name"] for each in told if each["name"] == service for tool in each["tools"]}


@pytest.mark.once
def test_a_call_that_waits_is_not_carried_out_once_the_app_excludes_what_it_reaches(
    serve_each: Servers, tmp_path: Path
) -> None:
    apps = tmp_path / "apps.toml"
    apps.write_text('[demo]\napprovals = ["create_item"]\n')
    own = {"LOOPWIRE_APPS": str(apps), "LOOPWIRE_DEMO_DELAY_MS": "0"}
    caller = RestCaller(serve_each(own))
    assert {"create_item", "get_catalog"} <= tools_of(caller, "submission")
    for text in READY:
        answer = caller.request("POST", "/chat", body_of(text, "waits"))
    assert "Confirmar" in str(answer.body)
    caller.served.stop()
    apps.write_text('[demo]\napprovals = ["create_item"]\ntool_scopes = ["catalog:read", "items:read"]\n')
    address, caller = caller.address, RestCaller(serve_each(own, data_dir=caller.served.data_dir))
    caller.address = address
    assert "create_item" not in tools_of(caller, "submission") >= {"get_catalog"}
    answer = caller.request("POST", "/chat", body_of("Confirmar", "waits"))
    job = caller.request("GET", f"/v1/jobs/{answer.headers['x-loopwire-run']}?session_id=waits").body
    calls = [(each["name"], each["status"]) for each in job["steps"] if each["type"] == "tool"]
    assert ("create_item", "failed") in calls and ("create_item", "done") not in calls
    assert "LW-" not in str(answer.body)
