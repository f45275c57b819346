"""The LoopOS Cores of a process: the embedded one, and those over HTTP that apps have; which one a conversation has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from server.apps import DEMO, App
from server.errors import CoreNotAllowed, CoreUnavailable, NotFound
from server.loopos.core import Core
from server.web_addresses import base_address

CORE_KEY = "loopos_core"
"""The key in a session's context with the name of its Core, unless that is the app's own."""

OWN = ""
"""The name of an app's own Core."""


def item_path(item_id: str, app: str, context: Mapping[str, Any]) -> str:
    """Return the path of an item's page.

    A browser that opens a page says of which app it is only by the address: it names the app, unless that is `demo`,
    and the Core of the item's conversation, unless that is the app's own.
    """
    named = {"app": app if app != DEMO else "", "core": context.get(CORE_KEY, OWN)}
    query = urlencode({key: value for key, value in named.items() if value})
    return f"/items/{quote(item_id)}" + (f"?{query}" if query else "")


class RemoteCore(Core, Protocol):
    """A Core with connections to close."""

    async def aclose(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True)
class Cores:
    """Finds the Core of an app or of a conversation. It never calls an address that no operator configured."""

    embedded: Core
    apps: Mapping[str, App] = field(default_factory=dict)
    remote: Mapping[tuple[str, str], RemoteCore] = field(default_factory=dict)
    """Those over HTTP, by app and name."""

    def of(self, app: str, name: str = OWN) -> Core:
        """Return the Core of this name of an app. Raises CoreUnavailable where the app has it no more."""
        found = self.remote.get((app, name))
        if found is not None:
            return found
        if name != OWN:
            raise CoreUnavailable("This conversation's LoopOS Core is not among its app's any more.")
        return self.embedded

    def of_request(self, app: str, name: str) -> Core:
        """Return the Core that a request names, whose words are anybody's. Raises NotFound for one the app has not."""
        if name != OWN and (app, name) not in self.remote:
            raise NotFound
        return self.of(app, name)

    def of_session(self, app: str, context: Mapping[str, Any]) -> Core:
        """Return the Core of a conversation, by what was stored when it began. Raises CoreUnavailable."""
        return self.of(app, str(context.get(CORE_KEY, OWN)))

    def name_of(self, app: str, address: str) -> str:
        """Return the name of the Core that a caller names by its address.

        An app whose own Core is the embedded one takes any address for that, since LoopOS's clients always send one.
        Raises CoreNotAllowed for another address where the app has its own Core over HTTP.
        """
        known = self.apps[app].cores if app in self.apps else {}
        try:
            wanted = base_address(address)
        except ValueError:
            wanted = ""
        name = next((name for name, each in known.items() if each.base_url == wanted), None)
        if name is None and OWN in known:
            raise CoreNotAllowed
        return name or OWN

    async def aclose(self) -> None:
        """Close the connections."""
        for each in self.remote.values():
            await each.aclose()
