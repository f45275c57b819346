"""The rates of requests with keys: of each app and each of its users, counted by all instances together."""

from collections.abc import Mapping

from server.apps import App
from server.bus.shared_counts import Limited, SharedCounts
from server.endpoints.rates import Allowance

REFUSAL = "Too many requests of this app or its user. Wait a moment."


_Counted = tuple[str, str, tuple[int, float]]
"""A limit's name, its key, and how many in how many seconds."""


class AppRates:
    """Counts requests of apps and of their users."""

    def __init__(self, counts: SharedCounts, apps: Mapping[str, App]) -> None:
        self._counts = counts
        self._apps = apps

    async def spend(self, app: str, user: str | None) -> list[Allowance]:
        """Count a request of an app, or of the user whose principal is given; returns what is left."""
        own = self._apps[app]
        limits = [("app", f"app:{app}", each) for each in own.requests]
        if user is not None:
            limits += self._of_user(app, user)
        return await self._count(limits)

    async def spend_of_user(self, app: str, user: str) -> list[Allowance]:
        """Count a request that a user makes from a page: one user uses up nothing of the app's own."""
        return await self._count(self._of_user(app, user))

    def _of_user(self, app: str, user: str) -> list[_Counted]:
        return [("user", f"user:{user}", each) for each in self._apps[app].requests_per_user]

    async def _count(self, limits: list[_Counted]) -> list[Allowance]:
        counted = await self._counts.add(
            [Limited(key, seconds, limit) for _, key, (limit, seconds) in limits]
        )
        return [
            Allowance(name, limit, int(seconds), limit - each.count, max(1, round(each.ends_in_s)))
            for (name, _, (limit, seconds)), each in zip(limits, counted, strict=True)
        ]
