"""Value estimation with a search on the web, through a model behind HTTP: references are pages that were found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from server.demo import DemoModel
from server.loopos.requests.sources import NO_SOURCES
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_models import CONTRACTS, behind
from tests.modelserver import Call, ModelRequest, ModelServer, Scripted, Searched, Text
from tests.modelserver.sdk_model import brain_from_model
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.sampled import later
from tests.parts.searching import searching
from tests.parts.server import Servers

pytestmark = pytest.mark.once

CONTRACT = CONTRACTS["value_estimation"]
FOUND, OTHER = "https://www.olx.pt/d/anuncio/iphone-12-IDabc.html", "https://www.custojusto.pt/porto/1"
INVENTED = "https://www.olx.pt/d/anuncio/never-found"


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    """Yield a model server that says what a test gives it."""
    async with ModelServer(Scripted(), port=free_port(), api_key=KEY) as server:
        yield server


def estimation(*references: str) -> str:
    """Return an answer that names these sources, and one in its text that nobody has found."""
    values = {
        f"{name}_{end}": value
        for name in ("value_out", "recycling_value", "repair_cost")
        for end, value in (("min", 1), ("average", 2), ("max", 3))
    }
    told = {"reasoning": f"As on {INVENTED}.", "description": "A phone.", "references": references}
    return json.dumps({**values, **told})


async def ask(caller: RestCaller) -> dict[str, Any]:
    """Ask for the estimation of the documented example."""
    answer = await asyncio.to_thread(caller.request, "POST", CONTRACT.path, CONTRACT.example)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.body
    return found


@pytest.mark.parametrize("dialect", ["responses", later("chat")])
async def test_only_pages_that_the_search_server_found_are_references(
    serve_each: Servers, model: ModelServer, dialect: str
) -> None:
    async with searching() as engine:
        caller = behind(serve_each, model, dialect, more={"LOOPWIRE_SEARCH_URL": engine.url})
        engine.body = {"results": [{"url": FOUND, "title": "150 EUR"}, {"url": OTHER}]}

        def answer(request: ModelRequest) -> Text:
            (output,) = request.outputs_since_user
            assert json.loads(output["output"])["results"][0]["title"] == "150 EUR"
            return Text(estimation(f"{FOUND}?utm_source=openai#p", INVENTED, "javascript:alert(1)", FOUND))

        model.brain = script = Scripted([Call("web_search", {"query": "iPhone 12 usado"}), answer])
        told = await ask(caller)
        script.assert_complete()
        assert (told["references"], told["reasoning"]) == ([FOUND], "As on .")
        assert engine.asked[0]["q"] == "iPhone 12 usado"

        model.brain = brain_from_model(DemoModel(delay=0))
        assert (await ask(caller))["references"] == [FOUND, OTHER]
        assert engine.asked[1]["q"].startswith("Apple iPhone 12")

        engine.status = 500
        calls = [Call("web_search", {"query": str(n)}) for n in range(4)]
        model.brain = script = Scripted([*calls, estimation(FOUND)])
        told = await ask(caller)
        read = json.loads(script.requests[-1].outputs_since_user[-1]["output"])
        assert read["error"] == "search_unavailable"
        assert told["references"] == [] and told["reasoning"].endswith(NO_SOURCES["en"])


async def test_the_search_of_the_models_own_server_is_believed_as_far_as_it_says_what_it_read(
    serve_each: Servers, model: ModelServer
) -> None:
    caller = behind(serve_each, model, "responses", more={"LOOPWIRE_MODEL_SEARCH": "1"})
    model.brain = script = Scripted([[Searched("iPhone 12", (FOUND,)), Text(estimation(FOUND, INVENTED))]])
    told = await ask(caller)
    assert (told["references"], told["reasoning"]) == ([FOUND], "As on .")
    asked = script.requests[0].body
    assert [each["type"] for each in asked["tools"]] == ["web_search"]
    assert "web_search_call.action.sources" in asked["include"]


@pytest.mark.parametrize("dialect", [later("responses"), "chat"])
async def test_an_answer_without_a_search_says_so_and_has_no_reference(
    serve_each: Servers, model: ModelServer, dialect: str
) -> None:
    caller = behind(serve_each, model, dialect)
    model.brain = script = Scripted([estimation(INVENTED)])
    told = await ask(caller)
    assert told["references"] == [] and told["reasoning"] == f"As on . {NO_SOURCES['en']}"
    assert not script.requests[0].body.get("tools")
