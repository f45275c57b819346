"""The metrics of a process: on a port of their own, about what happened, and all that the dashboard asks for."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.routing import Mount

from server.metrics import route_of
from tests.integration.requests.conftest import RestCaller
from tests.integration.ws.inside import inside
from tests.integration.ws.visitor import Visitor
from tests.parts.ports import free_port
from tests.parts.routes import all_routes
from tests.parts.server import ROOT, Backend, Served, apart, served
from tests.parts.wait import until_async

DASHBOARD = ROOT / "docs" / "grafana.json"
ASKED = {"prompt": "Which?", "options": ["one", "two"], "item_context": "a lamp"}


@dataclass
class Watched:
    """A server with a port for metrics."""

    served: Served
    port: int

    def scrape(self) -> dict[tuple[str, ...], float]:
        """Read all samples, by their name and the values of their labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=20) as answer:
            text = answer.read().decode()
        return {
            (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }


@pytest.fixture(scope="module")
def watched(backend: Backend) -> Iterator[Watched]:
    """Yield one on each backend, with a database of its own."""
    port = free_port()
    settings = {"LOOPWIRE_DEMO_DELAY_MS": "0", "LOOPWIRE_METRICS_PORT": str(port)}
    with apart(backend) as own, served({**settings, **own.environment}) as running:
        yield Watched(running, port)


@pytest.mark.once
async def test_requests_runs_and_sockets_are_counted(watched: Watched) -> None:
    caller = RestCaller(watched.served)
    for _ in range(3):
        assert caller.request("POST", "/loopos_ai_decision", ASKED).status == 200
    assert caller.request("GET", "/nowhere/at/all").status == 404
    visitor = Visitor(watched.served)
    await visitor.open()
    await visitor.open()

    async def counted() -> dict[tuple[str, ...], float] | None:
        found = await asyncio.to_thread(watched.scrape)
        return found if found.get(("loopwire_sockets",)) == len(visitor.sockets) else None

    samples = await until_async(counted, what="the sockets to be counted")
    assert samples is not None
    assert samples["loopwire_requests_total", "POST", "/loopos_ai_{name}", "200"] == 3
    assert samples["loopwire_requests_total", "GET", "other", "404"] == 1
    assert samples["loopwire_request_seconds_count", "/loopos_ai_{name}"] == 3
    assert samples["loopwire_runs_total", "", "success", "decision"] == 3
    assert samples["loopwire_run_seconds_count", "decision"] == 3
    assert samples["loopwire_database_up",] == 1
    assert samples["loopwire_runs_queued",] == 0
    await visitor.aclose()


def test_the_metrics_are_not_on_the_port_of_the_page(watched: Watched) -> None:
    assert RestCaller(watched.served).request("GET", "/metrics").status == 404


def test_the_metrics_have_all_that_the_dashboard_queries(watched: Watched) -> None:
    RestCaller(watched.served).request("POST", "/loopos_ai_decision", ASKED)
    with urllib.request.urlopen(f"http://127.0.0.1:{watched.port}/metrics", timeout=20) as answer:
        text = answer.read().decode()
    there = set(re.findall(r"^# TYPE (\w+)", text, re.M)) | set(re.findall(r"^(\w+)", text, re.M))
    asked = re.findall(r"loopwire_\w+", " ".join(_queries(DASHBOARD)))
    assert asked
    suffixes = re.compile(r"_(bucket|total)$")
    assert {suffixes.sub("", each) for each in asked} <= {suffixes.sub("", each) for each in there}
    labels = {
        each
        for group in re.findall(r"by \(([^)]*)\)", " ".join(_queries(DASHBOARD)))
        for each in group.split(", ")
    }
    assert labels <= set(re.findall(r"[{,](\w+)=", text)) | {"class", "result"}


def _queries(path: Path) -> list[str]:
    board = json.loads(path.read_text())
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/v1/sessions/ses_1/events", "/v1/sessions/{name}/events"),
        ("/v1/sessions/ses_1/log", "/v1/sessions/{name}/log"),
        ("/v1/sessions/ses_1/blobs/blb_1", "/v1/sessions/{name}/blobs/{name}"),
        ("/static/css/app.css", "/static/{name}"),
        ("/loopos_ai_translator", "/loopos_ai_{name}"),
        ("/docs/socket", "/docs/socket"),
        ("/docs/asyncapi.json", "/docs/{name}"),
        ("/", "/"),
        ("/v1/sessions/a/b/c", "other"),
        ("/wp-login.php", "other"),
        ("/v1/sessions\n", "other"),
    ],
)
def test_a_path_counts_as_one_of_few_routes(path: str, route: str) -> None:
    assert route_of(path) == route


async def test_each_route_of_the_application_has_a_label_of_its_own(tmp_path: Path) -> None:
    async with inside(tmp_path) as here:
        routes = await all_routes(here.application)
    paths = [f"{each.path}/x" if isinstance(each, Mount) else each.path for each in routes]
    unnamed = {each for each in paths if route_of(re.sub(r"\{[^}]+\}", "x", each)) == "other"}
    assert unnamed == {"/{path:path}"}, "what is nowhere has none"
