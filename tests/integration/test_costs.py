"""The cost of a run: its app, the operator's log and the metrics have it, and no visitor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.integration.api.test_app_keys import Program
from tests.integration.api.test_request_log import lines
from tests.integration.test_metrics import Watched
from tests.integration.ws.visitor import Visitor
from tests.modelserver import ModelServer, Plan, Scripted, Text, Usage
from tests.parts.app_keys import new_key
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.server import Backend, apart, served
from tests.parts.wait import until

PRICES = '["test-model"]\ninput = 2.0\ncached_input = 0.5\noutput = 8.0\ncurrency = "EUR"\n'
ASKED = {"prompt": "Which?", "options": ["A", "B"], "item_context": "An item."}
GOOD = json.dumps({"decision": "B", "reasoning": "It fits."})
SPENT = Usage(input=1000, output=10, cached=400)
COST = (600 * 2.0 + 400 * 0.5 + 10 * 8.0) / 1e6


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    """Yield a model server that answers two requests, and says what they cost."""
    answers = [Plan([Text(GOOD)], usage=SPENT) for _ in range(2)]
    async with ModelServer(Scripted(answers), port=free_port(), api_key=KEY) as server:
        yield server


@pytest.mark.once
async def test_an_app_the_log_and_the_metrics_know_the_cost_and_a_visitor_does_not(
    backend: Backend, model: ModelServer, tmp_path: Path
) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    port = free_port()
    settings = {
        "OPENAI_BASE_URL": model.base_url,
        "OPENAI_API_KEY": KEY,
        "LOOPWIRE_MODEL": "test-model-2026-01-31",
        "LOOPWIRE_PRICES": str(tmp_path / "prices.toml"),
        "LOOPWIRE_METRICS_PORT": str(port),
    }
    with apart(backend) as own, served({**settings, **own.environment}) as running:
        key = await asyncio.to_thread(new_key, running, own.environment, "demo")
        app, visitor = Program(running, key=key, user="ana"), Visitor(running)

        def ask() -> None:
            visitor.request("GET", "/v1/sessions")
            for each in (app, visitor):
                assert each.request("POST", "/loopos_ai_decision", ASKED).status == 200

        await asyncio.to_thread(ask)
        (told,) = (await asyncio.to_thread(app.request, "GET", "/v1/sessions")).body["sessions"]
        assert told["cost"] == {"amounts": {"EUR": pytest.approx(COST)}, "unpriced_runs": 0}
        one = await asyncio.to_thread(app.request, "GET", f"/v1/sessions/{told['id']}")
        assert one.body["cost"] == told["cost"]

        (seen,) = (await asyncio.to_thread(visitor.request, "GET", "/v1/sessions")).body["sessions"]
        alone = await asyncio.to_thread(visitor.request, "GET", f"/v1/sessions/{seen['id']}")
        said = await asyncio.to_thread(visitor.request, "GET", f"/v1/sessions/{seen['id']}/messages")
        for body in (seen, alone.body, said.body):
            assert "cost" not in json.dumps(body).lower()

        until(lambda: len(lines(running, "run ended")) == 2, what="the lines of the runs")
        for line in lines(running, "run ended"):
            assert (line["model"], line["currency"]) == ("test-model-2026-01-31", "EUR")
            assert line["cost"] == pytest.approx(COST)
        samples = await asyncio.to_thread(Watched(running, port).scrape)
        assert samples["loopwire_cost_total", "EUR", "test-model-2026-01-31", "decision"] == pytest.approx(
            2 * COST
        )
