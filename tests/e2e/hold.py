"""A wire between a page and its server that a test can hold: the server's frames arrive when it is released."""

from __future__ import annotations

from collections.abc import Callable

from playwright.async_api import WebSocketRoute


class Hold:
    """From the first frame that `at` recognises, nothing more arrives until it is let go."""

    def __init__(self) -> None:
        """Hold nothing."""
        self.at: Callable[[str], bool] | None = None
        self._kept: list[tuple[WebSocketRoute, str | bytes]] = []

    def wire(self, route: WebSocketRoute) -> None:
        """Stand between a page and its server."""
        server = route.connect_to_server()
        server.on_message(lambda text: self._told(route, text))

    def everything(self) -> None:
        """Hold whatever comes next."""
        self.at = lambda _: True

    def let_go(self) -> None:
        """Pass on what was kept."""
        self.at = None
        kept, self._kept = self._kept, []
        for route, text in kept:
            route.send(text)

    def forget(self) -> None:
        """Lose what was kept, as with a page that is left."""
        self.at = None
        self._kept.clear()

    def _told(self, route: WebSocketRoute, text: str | bytes) -> None:
        if self._kept or (self.at is not None and self.at(str(text))):
            self._kept.append((route, text))
        else:
            route.send(text)
