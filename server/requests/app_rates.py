"""The rates of requests with keys: of each app and each of its users, counted by all instances together."""

from collections.abc import Mapping
from dataclasses import dataclass

from server.apps import App
from server.bus.shared_counts import SharedCounts
from server.errors import RateLimited


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of one limit in its window."""

    name: str
    limit: int
    seconds: int
    left: int
    ends_in_s: int


class AppRates:
    """Counts requests in fixed windows: twice as many may come around the edge of one."""

    def __init__(self, counts: SharedCounts, apps: Mapping[str, App]) -> None:
        self._counts = counts
        self._apps = apps

    async def spend(self, app: str, user: str | None) -> list[Allowance]:
        """Count a request of an app, or of its user whose principal is told; what is left, the least first."""
        own = self._apps[app]
        limits = [("app", f"app:{app}", each) for each in own.requests]
        if user is not None:
            limits += [("user", f"user:{user}", each) for each in own.requests_per_user]
        counted = await self._counts.add([(key, seconds) for _, key, (_, seconds) in limits])
        found = [
            Allowance(name, limit, int(seconds), limit - each.count, max(1, round(each.ends_in_s)))
            for (name, _, (limit, seconds)), each in zip(limits, counted, strict=True)
        ]
        return sorted(found, key=lambda each: each.left)


def require_allowed(left: list[Allowance]) -> None:
    """Raise RateLimited where a limit is passed."""
    passed = [each for each in left if each.left < 0]
    if passed:
        raise RateLimited(
            "Too many requests of this app or its user. Wait a moment.",
            retry_after=max(each.ends_in_s for each in passed),
        )


def rate_headers(left: list[Allowance]) -> dict[str, str]:
    """Write what is left as the headers of draft-ietf-httpapi-ratelimit-headers-10."""
    return {
        "ratelimit-policy": ", ".join(f'"{each.name}";q={each.limit};w={each.seconds}' for each in left),
        "ratelimit": ", ".join(f'"{each.name}";r={max(0, each.left)};t={each.ends_in_s}' for each in left),
    }
