"""Prepared teams: the values that the SDK would compute for every run, and the SDK's private name that they use."""

import inspect
import sys
from types import SimpleNamespace

import pytest
from agents import Agent, ModelSettings
from agents.models import get_default_model_settings

from server.agents.context import RunContext
from server.agents.model.providers import OneModel
from server.agents.run.history import RunSession
from server.agents.run.prepared_team import IDENTITY, SIGNING, keep_signature, prepare_team, remember
from server.services import services
from tests.unit.agents.teams import ScriptedModel

PROVIDER = OneModel(ScriptedModel([]), "gpt-5.6-luna")


def test_the_sdk_signs_an_agent_of_a_team_once_and_strangers_every_time() -> None:
    identity = sys.modules[IDENTITY]
    team = prepare_team(services()["chat"].agents(), PROVIDER, PROVIDER.name)
    signed = getattr(identity, SIGNING)
    assert all(signed(agent) is signed(agent) for agent in team.values())
    assert len({signed(agent) for agent in team.values()}) == len(team)
    stranger: Agent[RunContext] = Agent(name="stranger")
    first = signed(stranger)
    stranger.handoff_description = "Changed."
    assert signed(stranger) != first
    prepare_team(services()["chat"].agents(), PROVIDER, PROVIDER.name)
    assert getattr(identity, SIGNING) is signed, "wrapped once, however many teams there are"


def test_the_sdk_reads_the_prepared_text_of_each_agent() -> None:
    """The contract: were it another function some day, runs would silently be slow again."""
    identity = sys.modules[IDENTITY]
    team = prepare_team(services()["chat"].agents(), PROVIDER, PROVIDER.name)
    read: list[str] = []

    class Watched(dict[str, object]):
        def get(self, key: str, default: object = None) -> object:
            read.append(key)
            return super().get(key, default)

    for agent in team.values():
        agent.__dict__ = Watched(vars(agent))
    root = next(iter(team.values()))
    assert set(identity._build_agent_identity_map(root)) == set(team)
    assert len(read) >= len(team)


def test_a_team_is_not_prepared_when_the_sdk_lacks_the_private_name() -> None:
    team = services()["chat"].agents()
    assert not remember(team, SimpleNamespace())
    assert not remember(team, None)


@pytest.mark.parametrize("name", ["gpt-5.6-luna", "demo"])
def test_an_agent_has_its_own_settings_or_those_of_the_runs_model(name: str) -> None:
    own = ModelSettings(temperature=0.1)
    team: dict[str, Agent[RunContext]] = {
        "plain": Agent(name="plain"),
        "named": Agent(name="named", model="gpt-4.1"),
        "own": Agent(name="own", model_settings=own),
        "bound": Agent(name="bound", model=ScriptedModel([])),
    }
    prepare_team(team, PROVIDER, name)
    defaults = get_default_model_settings(name)
    assert [team[each].model_settings for each in ("plain", "named", "bound")] == [defaults] * 3
    assert team["own"].model_settings == own


def test_a_signature_that_is_kept_says_the_same() -> None:
    def function(first: int, second: str = "") -> None: ...

    before = inspect.signature(function)
    assert inspect.signature(keep_signature(function)) == before
    assert list(inspect.signature(RunSession("ses_1").get_items).parameters) == ["limit"]
