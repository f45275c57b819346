"""Services, found by being there: every module of this package with an attribute `service`."""

import sys
from collections.abc import Iterable, Mapping

from server.agents import Service, web_search
from server.agents.service import find_services
from server.apps import App, AppsError

__all__ = ["Service", "require_known", "services"]


def services() -> dict[str, Service]:
    """All services by name; importing them is all it does."""
    return find_services(sys.modules[__name__])


def require_known(
    apps: Mapping[str, App], known: Mapping[str, Service], *, model_search: bool = False
) -> None:
    """Refuse an app that names what does not exist: an approval for such a tool would never be asked for.

    With `model_search` the model's server runs `web_search`, and tells of a call when it was made.

    Raises AppsError, a sentence with the names that there are.
    """
    for name, app in apps.items():
        for service in (app.service, *app.services):
            if service not in known:
                raise AppsError(f"App {name!r}: there is no service {service!r}; {_there_are(known)}.")
    tools = {tool for service in known.values() for tool in service.tools()}
    for name, app in apps.items():
        for tool in app.approvals:
            if tool not in tools:
                raise AppsError(f"App {name!r}: approvals: there is no tool {tool!r}; {_there_are(tools)}.")
        if model_search and web_search.name in app.approvals:
            raise AppsError(
                f"App {name!r}: approvals: the model's server calls {web_search.name!r} without asking;"
                " name a search server in LOOPWIRE_SEARCH_URL, or set LOOPWIRE_MODEL_SEARCH=0."
            )


def _there_are(names: Iterable[str]) -> str:
    return f"there are {', '.join(sorted(names))}"
