"""The service of docs/services.md behaves as written: found, priced, asked for, booked once."""

import dataclasses
import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.agents.service import Service, find_services
from server.agents.tools.ask import ask_user
from server.demo import DemoModel
from tests.unit.agents.outlet import Play
from tests.unit.agents.teams import ScriptedModel, assistant_message, function_call

PAGE = Path(__file__).parents[3] / "docs" / "services.md"


@pytest.fixture
def repairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """Yield the page's file, in a package of services."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    package = tmp_path / "written_services"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "repairs.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    (service,) = find_services(importlib.import_module("written_services")).values()
    yield service
    for name in [each for each in sys.modules if each.startswith("written_services")]:
        del sys.modules[name]


async def test_an_estimate_shows_what_it_says_and_is_remembered(repairs: Service) -> None:
    asked = function_call("estimate_repair", {"part": "screen"}, call_id="c1")
    out = await Play(repairs, ScriptedModel([[asked], [assistant_message("89 €.")]])).say("broken screen")
    (progress,) = [each["content"] for each in out.of("ACTIVITY_SNAPSHOT")]
    assert progress["label"] == "Asking the workshop"
    (result,) = out.of("TOOL_CALL_RESULT")
    assert json.loads(result["content"]) == {"price": 89}
    assert out.of("STATE_DELTA")[0]["delta"][0]["path"] == "/part"
    assert out.text() == "89 €."


async def test_an_unknown_part_is_reported_to_the_model_and_not_to_the_person(repairs: Service) -> None:
    model = ScriptedModel(
        [
            [function_call("estimate_repair", {"part": "camera"}, call_id="c1")],
            [assistant_message("Not that one.")],
        ]
    )
    out = await Play(repairs, model).say("broken camera")
    assert "unknown_part" in str(model.calls[1].input)
    assert "There is a price" not in str(out.events)


async def test_a_booking_waits_for_a_yes(repairs: Service) -> None:
    play = Play(repairs, ScriptedModel([[function_call("book_repair", {"part": "screen"}, call_id="c1")]]))
    await play.say("book it")
    assert play.result is not None and play.result.outcome == "interrupt"
    (asked,) = play.result.interrupts
    assert asked.message == "Book the repair of the screen for 89 €?"
    assert "booked" not in play.result.state


async def test_the_demo_model_says_that_it_does_not_know_it(repairs: Service) -> None:
    asking = dataclasses.replace(repairs.agents()[repairs.start], tools=[ask_user])
    for service in (repairs, dataclasses.replace(repairs, agents=lambda: {asking.name: asking})):
        out = await Play(service, DemoModel(delay=0)).say("my screen is broken")
        assert "OPENAI_API_KEY" in out.text()
