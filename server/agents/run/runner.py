"""The runner: one run through the Agents SDK, from its input to a result; a failure is a result too."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from agents import ModelSettings

from server.agents.context import NO_RULES, Conversations, ToolRules
from server.agents.model.failures import code_of
from server.agents.model.providers import Provider, ask_for_summaries, model_settings
from server.agents.run.call_log import log_calls
from server.agents.run.driver import RunDriver
from server.agents.run.prepared_team import prepare_team
from server.agents.run.structured_output import read_outputs
from server.agents.run.trace_spans import follow, trace_run
from server.agents.run.types import Outlet, Result, RunInput, Stop
from server.agents.service import Service, Team
from server.agents.text_readers import TextReaders
from server.agents.tools.registry import HANDOFF_PREFIX, RegisteredTool, register_tools
from server.agents.tools.remote import RemoteTools, Toolbox
from server.agents.tools.web_search import WebSearch
from server.errors import EmptyAnswer, Fenced, Limit, Unavailable
from server.pacing import run_in_steps
from server.prices import Prices
from server.store import Run
from server.tasks import Tasks
from server.tracing import OFF, Tracer
from server.tracing.trace_context import TraceContext

__all__ = ["AgentRunner", "Outlet", "Result", "RunInput"]

log = logging.getLogger(__name__)


class AgentRunner:
    """Has the agents answer the inputs of runs. One for the process; it keeps nothing of a run."""

    def __init__(
        self,
        provider: Provider,
        services: Mapping[str, Service],
        *,
        conversations: Conversations,
        resources: Mapping[type, Any] | None = None,
        settings: ModelSettings | None = None,
        rules: Mapping[str, ToolRules] | None = None,
        search: WebSearch | None = None,
        remote: RemoteTools | None = None,
        prices: Prices | None = None,
        tracer: Tracer = OFF,
    ) -> None:
        """Ask this provider's model; `resources` are what services name in their `deps`, by type.

        Without `prices` every cost is unknown, but for that of the demo model.

        `rules` are those of each app for tools; `remote` has the tools of its MCP servers. Raises ServicesError when a
        resource is missing.
        """
        self.provider = provider
        self._conversations = conversations
        self._settings = settings or model_settings()
        self._tracer = tracer
        self._prices = prices or Prices({})
        self._rules = rules or {}
        if tracer.on:
            follow()
        self._search = search or WebSearch()
        self._remote = Toolbox(remote)
        readers = TextReaders(model=not provider.demo, traces=tracer.wants_content)
        own = {TextReaders: readers, **self._search.resources()}
        self._resources = {each.name: {**each.pick(resources or {}), **own} for each in services.values()}
        self._teams: dict[str, Team] = {name: self._team(service) for name, service in services.items()}
        self._tools = {name: register_tools(name, team) for name, team in self._teams.items()}

    def tools(self, app: str, service: str) -> Mapping[str, RegisteredTool]:
        """Return the tools that the agents of a service may use in this installation and app, by name."""
        rules, known = self._rules.get(app, NO_RULES), self._known_tools(app, service)
        return {name: each for name, each in known.items() if rules.allow(each.scopes)}

    def _known_tools(self, app: str, service: str) -> Mapping[str, RegisteredTool]:
        own, agents = self._tools.get(service, {}), tuple(self._teams.get(service, ()))
        return {**own, **self._remote.registry_of(app, service, agents)}

    def taken_names(self, app: str, service: str, names: Iterable[str]) -> set[str]:
        """Return those of these names that the agents of a service know, or would take for a handoff's: no page may
        bring a tool of such a name."""
        known = self._known_tools(app, service)
        return {each for each in names if each in known or each.startswith(HANDOFF_PREFIX)}

    def _team(self, service: Service) -> Team:
        team = service.team()
        self._search.fit(team)
        read_outputs(team)
        prepare_team(team, self.provider, self.provider.name)
        self._search.ask_for_sources(team)
        if self.provider.shows_reasoning(service):
            ask_for_summaries(team)
        return team

    def context_of(self, run: Run) -> TraceContext | None:
        """Return the parent span of a request on behalf of this attempt of a run."""
        return self._tracer.context_of(run.id, run.attempt, run.trace_context)

    async def run(self, run_input: RunInput, outlet: Outlet) -> Result:
        """Answer the input of a run. Trouble of model, tools and limits is a result.

        Raises Fenced, and Unavailable when the outlet cannot store what the run has come to: then another attempt is
        needed, as the end could not be stored either.
        """
        with log_calls(run_input), trace_run(self._tracer, run_input) as trace:
            result = await self._run_to_answer(run_input, outlet)
            result = replace(result, usage=self._prices.with_cost(result.usage))
            if trace is not None:
                trace.note_end(result)
            return result

    async def _run_to_answer(self, run_input: RunInput, outlet: Outlet) -> Result:
        team = self._teams.get(run_input.service.name) or self._team(run_input.service)
        self._teams[run_input.service.name] = team
        driver = RunDriver(
            run_input,
            outlet,
            team,
            self.provider,
            self._settings,
            self._resources.get(run_input.service.name, {}),
            self._conversations,
            self._rules.get(run_input.session.app, NO_RULES),
            partial(self._remote.tools_for, run_input.session.app, run_input.service.name),
        )
        if outlet.cancelled.is_set():
            return driver.result("cancelled", None)
        try:
            return await self._until_stopped(driver, run_input.deadline_s, outlet.cancelled)
        finally:
            outlet.note_cost(self._prices.with_cost(driver.run_usage.usage(self.provider.name)))
            driver.emitter.close()

    async def _until_stopped(self, driver: RunDriver, deadline_s: float, cancelled: Stop) -> Result:
        """Run to the end, to the deadline or to the stop, whichever comes first."""
        tasks = Tasks()
        try:
            work = tasks.spawn(run_in_steps(_run_to_fault(driver)), name="agents")
            waited: set[asyncio.Future[Any]] = {work, cancelled.waiter()}
            await asyncio.wait(waited, timeout=deadline_s, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                driver.emitter.close()
                work.cancel()
                await asyncio.wait({work})
            if work.cancelled():
                stopped = cancelled.is_set()
                return driver.result("cancelled" if stopped else "error", None if stopped else Limit.code)
            return self._finish(driver, work.result())
        finally:
            await tasks.aclose()

    @staticmethod
    def _finish(driver: RunDriver, fault: BaseException | None) -> Result:
        if fault is None and driver.waiting.open:
            return driver.result("interrupt", None)
        if fault is None and driver.emitter.answered:
            return driver.result("success", None)
        fault = fault or EmptyAnswer()
        if isinstance(fault, Fenced | Unavailable):
            raise fault
        return driver.result("error", code_of(fault, answering=driver.turn_text.answering))


async def _run_to_fault(driver: RunDriver) -> BaseException | None:
    """Run the driver and return what ended it: the first fault, not what the SDK made of it."""
    try:
        await driver.run()
    except asyncio.CancelledError:
        raise
    except Exception as error:
        # Tools, the SDK and the model client raise any class; the runner decides what the run ends with.
        return driver.emitter.fault or error
    return driver.emitter.fault
