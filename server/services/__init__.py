"""Services, found by being there: every module of this package with an attribute `service`."""

import sys
from collections.abc import Iterable, Mapping

from server.agents import Service, web_search
from server.agents.service import find_services
from server.apps import App, AppsError
from server.mcp_servers import McpServer, mcp_scope, model_name, named_tools

__all__ = ["Service", "require_known", "services"]


def services() -> dict[str, Service]:
    """Return all services by name. The call does nothing but import them."""
    return find_services(sys.modules[__name__])


def require_known(
    apps: Mapping[str, App], known: Mapping[str, Service], *, model_search: bool = False
) -> None:
    """Refuse an app that names what does not exist: an approval for such a tool would never be asked for.

    With `model_search` the model's server runs `web_search`, and tells of a call when it was made.

    Raises AppsError, a sentence with the names that there are.
    """
    for name, app in apps.items():
        for service in (app.service, *app.services, *app.requests_per_service, *app.service_answers):
            if service not in known:
                raise AppsError(f"App {name!r}: there is no service {service!r}; {_there_are(known)}.")
    registered = [tool for service in known.values() for tool in service.tools().values()]
    tools = {each.name for each in registered}
    scopes = {scope for each in registered for scope in each.scopes}
    for name, app in apps.items():
        _require_tools_of_servers(name, app, known)
        reachable = scopes.union(map(mcp_scope, app.mcp))
        for scope in app.tool_scopes:
            if scope not in reachable:
                raise AppsError(
                    f"App {name!r}: tool_scopes: no tool has the scope {scope!r}; {_there_are(reachable)}."
                )
        callable_here = tools.union(tool for tool, _, _ in named_tools(app.mcp))
        for tool in app.approvals:
            if tool not in callable_here:
                raise AppsError(
                    f"App {name!r}: approvals: there is no tool {tool!r}; {_there_are(callable_here)}."
                )
        if model_search and web_search.name in app.approvals:
            raise AppsError(
                f"App {name!r}: approvals: the model's server calls {web_search.name!r} without asking;"
                " name a search server in LOOPWIRE_SEARCH_URL, or set LOOPWIRE_MODEL_SEARCH=0."
            )


def _require_tools_of_servers(app_name: str, app: App, known: Mapping[str, Service]) -> None:
    """Refuse MCP servers of services that do not exist, and tools that a service cannot have beside its own."""
    for name, server in app.mcp.items():
        place = f"App {app_name!r}: mcp.{name}"
        for each in server.services:
            if each not in known:
                raise AppsError(f"{place}: there is no service {each!r}; {_there_are(known)}.")
            _require_free_names(place, name, server, known[each])
            if known[each].contract is not None:
                _require_no_stop(place, server, known[each])


def _require_free_names(place: str, name: str, server: McpServer, service: Service) -> None:
    called = {model_name(name, tool): tool for tool in server.tools}
    for taken in service.names_taken(called):
        raise AppsError(
            f"{place}.tools.{called[taken]}: service {service.name!r} has a tool or a handoff {taken!r}; "
            "rename the server."
        )


def _require_no_stop(place: str, server: McpServer, service: Service) -> None:
    """Raise AppsError for a tool that waits for a person: the caller of a request waits for its answer meanwhile."""
    for tool, its in server.tools.items():
        if its.asks or its.effect == "once":
            raise AppsError(
                f"{place}.tools.{tool}: service {service.name!r} answers requests, where nobody can be asked; "
                'it needs effect = "read", or "idempotent" and approval = false.'
            )


def _there_are(names: Iterable[str]) -> str:
    return f"there are {', '.join(sorted(names))}"
