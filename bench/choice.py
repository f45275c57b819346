"""What of the bench runs: names of scenarios and of servers, told on the command line in any order."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """What runs, each in the bench's own order."""

    scenarios: list[str]
    servers: list[str]


def chosen(names: Sequence[str], *, scenarios: Sequence[str], servers: Sequence[str]) -> Choice:
    """Read the names; of the kind that is not named, all run."""
    unknown = [each for each in names if each not in (*scenarios, *servers)]
    if unknown:
        known = f"scenarios: {' '.join(scenarios)}; servers: {' '.join(servers)}"
        raise SystemExit(f"What is {' '.join(unknown)}? There are {known}")
    return Choice(
        [each for each in scenarios if each in names] or list(scenarios),
        [each for each in servers if each in names] or list(servers),
    )
