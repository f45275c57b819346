"""Prepared teams: values that the SDK would compute for every run are computed once.

Agents do not change after their service built them, but the SDK cannot know that. Twice in each run it makes a text
of every agent within reach, with all its settings, to tell agents of one name apart; and it copies the default
settings of models to see whether an agent has settings of its own. Both took longer than all the rest of a short run.
"""

import inspect
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from agents import Agent, Model, ModelProvider, ModelSettings, Tool
from agents.models import get_default_model_settings

from server.agents.context import RunContext
from server.agents.service import Team
from server.agents.tools import declaration_of
from server.agents.tools.remote import is_offered

F = TypeVar("F", bound=Callable[..., Any])

IDENTITY = "agents._run_state_agent_identity"
SIGNING = "_agent_identity_signature"
"""The SDK's private function that makes the text of an agent, and its module, which the SDK itself has imported.
Where they are gone, runs are slower and nothing else."""

_SIGNED = "_loopwire_signature"


def prepare_team(team: Team, provider: ModelProvider, name: str) -> Team:
    """Finish a team whose runs use the provider's model of this name."""
    model, defaults = provider.get_model(name), get_default_model_settings(name)
    for agent in team.values():
        if agent.model_settings == _implied_settings(agent):
            agent.model_settings = defaults
        if "get_all_tools" not in vars(agent):
            vars(agent)["get_all_tools"] = _with_tools_of_run(agent)
        agent.model = model  # The run's model replaces this one, which keeps the SDK from choosing its own.
    remember(team, sys.modules.get(IDENTITY))
    return team


def remember(team: Team, identity: object) -> bool:
    """Make the texts of these agents once; False when the SDK's module has nothing that makes them."""
    sign = getattr(identity, SIGNING, None)
    if sign is None:
        return False
    for agent in team.values():
        vars(agent)[_SIGNED] = sign(agent)
    if not hasattr(sign, "loopwire"):
        setattr(identity, SIGNING, _remembering(sign))
    return True


def _with_tools_of_run(agent: Agent[RunContext]) -> Callable[[Any], Any]:
    """List the tools of the app's MCP servers and of the sender's page too, and none whose scopes the app excludes:
    this belongs to a run, and agents do not change."""
    own = agent.get_all_tools

    async def all_tools(run_context: Any) -> list[Tool]:
        tools = await own(run_context)
        context = run_context.context
        if not isinstance(context, RunContext):
            return tools
        remote = [each for each in context.remote_tools() if is_offered(each, context)]
        if context.rules.scopes:
            return [each for each in (*tools, *remote) if _may_use(context, each)] + [*context.page_tools]
        return [*tools, *remote, *context.page_tools] if remote or context.page_tools else tools

    return all_tools


def _may_use(context: RunContext, tool: Tool) -> bool:
    """Return whether a tool is offered.

    A call of it that waits is carried out, and answered that it may not be made.
    """
    return tool.name in context.awaited or context.may_reach(declaration_of(tool).scopes)


def _implied_settings(agent: Agent[RunContext]) -> ModelSettings:
    """Return the settings that an agent has without any of its own, as the SDK judges that."""
    if isinstance(agent.model, Model):
        return ModelSettings()
    return get_default_model_settings(agent.model)


def _remembering(sign: Callable[[Any], str]) -> Callable[[Any], str]:
    """Sign as the SDK does, but an agent of a settled team once."""

    def sign_once(agent: Any) -> str:
        known: str | None = vars(agent).get(_SIGNED)
        return sign(agent) if known is None else known

    sign_once.loopwire = True  # type: ignore[attr-defined]  # so that it is not wrapped again
    return sign_once


def keep_signature(function: F) -> F:
    """Keep a function's signature with it: the SDK asks for it at every call, and working it out is slow."""
    function.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # PEP 362
    return function
