"""The services are found by being there, and everything they show has words in both languages."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.agents.context import RunContext
from server.agents.tools import declaration_of
from server.apps import App
from server.demo.role_choice import KNOWN
from server.errors import CannotStart
from server.services import require_known, services
from server.services.submission import STEP_OF, STEPS, options_reason, status, why_back

WORDS = Path(__file__).parents[3] / "web" / "words"
LANGUAGES = ("pt", "en")


def _words(language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((WORDS / f"{language}.json").read_text(encoding="utf-8"))
    return found


def test_submission_and_chat_are_found() -> None:
    assert set(services()) >= {"submission", "chat"}


@pytest.mark.parametrize("name", ["submission", "chat"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_agents_tools_and_steps_have_words(name: str, language: str) -> None:
    service, words = services()[name], _words(language)
    team = service.agents()
    wanted = {f"agent.{agent}" for agent in team} | set(service.steps)
    for agent in team.values():
        wanted |= {
            f"tool.{tool.name}.{state}" for tool in agent.tools for state in ("running", "done", "failed")
        }
    assert wanted <= set(words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tool_that_an_app_may_ask_about_has_its_question(language: str) -> None:
    words = _words(language)
    agents = [agent for service in services().values() for agent in service.agents().values()]
    for tool in {tool.name for agent in agents for tool in agent.tools if declaration_of(tool).waits is None}:
        assert words.get(f"approval.tool.{tool}", tool).endswith("?"), tool


def test_the_team_starts_where_the_service_says_and_handoffs_stay_in_it() -> None:
    for service in services().values():
        team = service.agents()
        assert service.start in team
        for agent in team.values():
            assert all(handoff.agent_name in team for handoff in agent.handoffs)


def test_only_creating_the_item_happens_once() -> None:
    team = services()["submission"].agents()
    once = [
        tool.name for agent in team.values() for tool in agent.tools if declaration_of(tool).effect == "once"
    ]
    assert once == ["create_item"]


def test_the_demo_model_knows_the_tools_of_every_service() -> None:
    """A tool that it does not know it takes for the page's."""
    tools = {
        tool.name for service in services().values() for a in service.agents().values() for tool in a.tools
    }
    assert tools == KNOWN


def test_every_agent_of_the_submission_has_a_step() -> None:
    assert set(STEP_OF) == set(services()["submission"].agents())
    assert sorted(STEP_OF.values()) == list(range(len(STEPS)))


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({}, (None, "")),
        ({"_private": {"open": {"id": "blk_1"}}}, (None, "waiting")),
        ({"product": "iPhone 12", "product_id": 1001}, ("iPhone 12", "waiting")),
        ({"product": "iPhone 12", "status": "draft"}, ("iPhone 12", "waiting")),
        ({"product": "iPhone 12", "status": "complete"}, ("iPhone 12", "done")),
        (
            {"product": "iPhone 12", "status": "complete", "_private": {"open": {"id": "blk_1"}}},
            ("iPhone 12", "waiting"),
        ),
        ({"product": "iPhone 12", "status": "refused"}, ("iPhone 12", "")),
    ],
)
def test_title_and_line_come_from_the_state(
    state: dict[str, object], expected: tuple[str | None, str]
) -> None:
    assert status(state) == expected


@pytest.mark.parametrize(
    ("app", "sentence"),
    [
        (
            {"approvals": ("create_itm",)},
            r"App 'shop': approvals: there is no tool 'create_itm'; .*create_item",
        ),
        ({"approvals": ("transfer_to_chat",)}, "there is no tool 'transfer_to_chat'"),
        (
            {"tool_scopes": ("item:write",)},
            r"App 'shop': tool_scopes: no tool has the scope 'item:write'; there are .*items:write",
        ),
        (
            {"service": "chatt"},
            "App 'shop': there is no service 'chatt'; there are brands_generator, c2c_descriptor",
        ),
        (
            {"service_answers": {"chatt": {}}},
            "App 'shop': there is no service 'chatt'; there are brands_generator, c2c_descriptor",
        ),
    ],
)
def test_an_app_that_names_what_does_not_exist_is_refused_with_what_there_is(
    app: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(CannotStart, match=sentence):
        require_known({"shop": App(**app)}, services())


def test_an_approval_that_the_models_server_would_not_wait_for_is_refused() -> None:
    apps = {"shop": App(approvals=("web_search",))}
    require_known(apps, services())
    with pytest.raises(CannotStart, match="calls 'web_search' without asking; name a search server"):
        require_known(apps, services(), model_search=True)


def test_an_app_may_name_any_tool_of_any_service() -> None:
    require_known({"shop": App(service="chat", approvals=("create_item", "list_my_items"))}, services())


def test_an_app_may_name_any_scope_and_those_of_its_own_servers() -> None:
    own = {"stock": {"services": ["chat"], "command": "true", "tools": {"look": {"effect": "read"}}}}
    app = {"tool_scopes": ("items:write", "web", "mcp:stock")}
    require_known({"shop": App.model_validate({**app, "mcp": own})}, services())
    with pytest.raises(CannotStart, match="no tool has the scope 'mcp:stock'"):
        require_known({"shop": App(**app)}, services())


def test_every_tool_that_works_with_the_core_says_what_it_reaches() -> None:
    registered = {name: each for service in services().values() for name, each in service.tools().items()}
    assert {name for name, each in registered.items() if not each.scopes} == {"ask_user", "call_person"}
    writes = {name for name, each in registered.items() if any(":write" in scope for scope in each.scopes)}
    assert writes == {"create_item", "change_item", "validate_protocol_answer"}


def run_in(state: dict[str, Any]) -> RunContext:
    """Return a run in this state, of which nothing else is asked."""
    nowhere: Any = None
    return RunContext(
        session_id="ses_1", run_id="run_1", principal="vis_1", app="demo", service="submission", language="en",
        conversations=nowhere, emitter=nowhere, state=state,
    )  # fmt: skip


@pytest.mark.parametrize(("left", "reason"), [(0, "not confirmed"), (1, "an option is missing")])
def test_the_way_back_from_registration_says_what_happened(left: int, reason: str) -> None:
    assert why_back(run_in({"product_id": 1, "options_left": left})) == reason


def test_a_product_without_options_has_none_that_were_chosen() -> None:
    assert options_reason(run_in({"product_id": 1})) == "no options to choose"
    assert options_reason(run_in({"product_id": 1, "options": {"Colour": "Black"}})) == "options chosen"
