"""An operator in a conversation that a caller has by AG-UI's own client: the events that the caller gets, and when."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.protocol.events import ours
from tests.integration.agui.caller import Caller, told
from tests.integration.api.test_app_keys import Program
from tests.parts.app_keys import new_key
from tests.parts.server import Backend, Served

pytestmark = pytest.mark.once


async def test_a_caller_gets_what_a_person_said_with_its_next_run_and_no_answer_while_one_has_joined(
    loopwire: Served, backend: Backend, caller: Callable[..., Caller]
) -> None:
    seller = caller(loopwire)
    await seller.begin()
    session = seller.session(await seller.say("Polly Magic"))
    operator = Program(loopwire, key=new_key(loopwire, backend.environment, "demo", "operator"))
    path = f"/v1/sessions/{session}"
    answer = {"id": "o1", "name": "Ana", "content": "Sim, no **sábado**."}
    assert operator.request("PUT", f"{path}/operator", {"name": "Ana"}).status == 200
    silent = await seller.say("Posso entregá-lo na loja?")
    assert (silent.error, silent.outcome, silent.text()) == (None, "success", "")
    assert ours(silent.events[0])["kind"] == "note"
    assert operator.request("POST", f"{path}/messages", answer).status == 200
    assert operator.request("DELETE", f"{path}/operator").status == 204
    answered = await seller.say("Obrigado")
    assert (answered.error, answered.outcome) == (None, "success")
    assert answered.text()
    assert [told(each) for each in answered.messages] == seller.stored(session)
    (person,) = [each for each in answered.messages if each.get("name") == "Ana"]
    assert (person["role"], person["content"], ours(person)["operator"]) == (
        "assistant",
        answer["content"],
        True,
    )
    assert [each["content"] for each in answered.messages if each.get("activityType") == "operator"] == [
        {"status": "joined", "name": "Ana"},
        {"status": "left", "name": "Ana"},
    ]
