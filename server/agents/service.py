"""A service is a team of agents with its first agent, its steps and its limits. One file each."""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any

from agents import Agent, Handoff, RunContextWrapper, handoff

from server.agents.context import RunContext
from server.agents.contract import RequestContract
from server.agents.tools.registry import HANDOFF_PREFIX, RegisteredTool, handoff_names, register_tools
from server.errors import CannotStart

Team = dict[str, Agent[RunContext]]


@dataclass(frozen=True)
class RunLimits:
    """The limits of one run, or of a chain of resumed runs; beyond them the run ends with code `limit`."""

    model_calls: int = 10
    tool_calls: int = 20
    tokens: int = 300_000
    """Read and written, as the model's server counts them; no further call is made once they are spent."""
    seconds: float = 120.0
    tool_failures: int = 3
    """Failures in a row, over all tools, that end the run with code `tool_failed`; those of one answer count once."""
    parallel_tools: int = 5
    history_items: int = 200
    approval_s: float = 3600.0
    """Seconds that a person may take to allow a call."""
    form_s: float = 86_400.0
    """Seconds that a person may take to fill in a form."""
    page_tool_s: float = 300.0
    """Seconds that the sender's page may take for a tool of its own."""


Reason = str | Callable[[RunContext], str]


def hands_over(
    to: Agent[RunContext],
    *,
    reason: Reason = "",
    when: Callable[[RunContext], bool] | None = None,
    then: Callable[[RunContext], None] | None = None,
    description: str | None = None,
) -> Handoff[RunContext, Agent[RunContext]]:
    """Return a handoff `transfer_to_<agent>` that the model only sees while `when` holds.

    `reason` is shown in the conversation; `then` runs when it happens and may change the state.
    """

    def note_handoff(context: RunContextWrapper[RunContext]) -> None:
        if then is not None:
            then(context.context)

    def is_open(context: RunContextWrapper[Any], agent: Any) -> bool:
        return when is None or when(context.context)

    made = handoff(
        to,
        tool_name_override=f"{HANDOFF_PREFIX}{to.name}",
        tool_description_override=description,
        on_handoff=note_handoff,
        is_enabled=is_open,
    )
    made.reason = reason  # type: ignore[attr-defined]  # read by the runner when it shows the handoff
    return made


def handoffs_to(from_agent: Agent[RunContext], to_agent: Agent[RunContext]) -> dict[str, Reason]:
    """Return the tools by which one agent hands over to another, each with the reason that `hands_over` declared."""
    found: dict[str, Reason] = {}
    for candidate in from_agent.handoffs:
        if not isinstance(candidate, Handoff):
            if candidate is to_agent:
                found[Handoff.default_tool_name(candidate)] = ""
        elif candidate.agent_name == to_agent.name:
            found[candidate.tool_name] = getattr(candidate, "reason", "")
    return found


def no_status(state: dict[str, Any]) -> tuple[str | None, str]:
    """Return the status of a service that has none: no title of its own, no line."""
    return None, ""


@dataclass(frozen=True)
class Service:
    """One kind of conversation. `agents` builds the whole team (handoffs between them included) once."""

    name: str
    start: str
    agents: Callable[[], Team]
    steps: tuple[str, ...] = ()
    step_of: dict[str, int] = field(default_factory=dict)
    limits: RunLimits = field(default_factory=RunLimits)
    status: Callable[[dict[str, Any]], tuple[str | None, str]] = no_status
    deps: tuple[type, ...] = ()
    """The types of what its tools work with; a tool gets each by `RunContext.resource`."""
    client_tools: bool = True
    """Whether messages may bring tools of the sender's page."""
    contract: RequestContract | None = None
    """The request and response over REST; a service without a contract takes messages."""
    shows_reasoning: bool | None = None
    """Whether people see the summaries that a model writes of its reasoning; None is what the settings say."""

    def team(self) -> Team:
        """Build the team. Raises ServicesError when no agent of it can begin, or when a service that answers requests
        shows reasoning, ToolsError when a name means two tools.
        """
        if self.shows_reasoning and self.contract is not None:
            raise ServicesError(
                f"Service {self.name!r} answers requests, whose fields may be private: it cannot show reasoning."
            )
        team = self.agents()
        if self.start not in team:
            names = ", ".join(sorted(team)) or "none"
            raise ServicesError(
                f"Service {self.name!r}: its start {self.start!r} is no agent of its team; there are {names}."
            )
        register_tools(self.name, team)
        return team

    def pick(self, resources: Mapping[type, Any]) -> Mapping[type, Any]:
        """Return those of the resources that it named. Raises ServicesError when the server has none of a type."""
        if missing := [each.__name__ for each in self.deps if each not in resources]:
            raise ServicesError(
                f"Service {self.name!r} needs {', '.join(missing)}, which the server does not have."
            )
        return {each: resources[each] for each in self.deps}

    def tools(self) -> dict[str, RegisteredTool]:
        """Return the tools of its agents by name, for which it builds the team the first time."""
        return dict(self._tools)

    @cached_property
    def _tools(self) -> dict[str, RegisteredTool]:
        return register_tools(self.name, self.team())

    def names_taken(self, wanted: Iterable[str]) -> list[str]:
        """Return those of the wanted names of tools that its models know already, or would take for a handoff."""
        team = self.team()
        taken = {*register_tools(self.name, team), *handoff_names(team)}
        return [each for each in wanted if each in taken or each.startswith(HANDOFF_PREFIX)]


class ServicesError(CannotStart):
    """The services cannot be used; the message names the module or service and says why."""


def find_services(package: ModuleType) -> dict[str, Service]:
    """Return the services of a package by name: one of each module, in its attribute `service`.

    A module whose name begins with an underscore holds no service. Raises ServicesError.
    """
    services: dict[str, Service] = {}
    places: dict[str, str] = {}
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        service = getattr(module, "service", None)
        if not isinstance(service, Service):
            raise ServicesError(
                f"Module {module.__name__} has no service: its attribute `service` must be a Service."
                " A module that holds none has a name that begins with an underscore."
            )
        if service.name in services:
            first = places[service.name]
            raise ServicesError(
                f"Modules {first} and {module.__name__} have services of one name, {service.name!r}."
            )
        services[service.name], places[service.name] = service, module.__name__
    return services
