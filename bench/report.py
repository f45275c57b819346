"""The figures of all rounds as one Markdown table: medians with their noise, the rounds' own ratios, the goals."""

from collections.abc import Sequence
from statistics import median

from bench.figures import FIGURES, Figure, Figures, Goal

SERVERS = ("floor", "plain", "loopwire")

Round = dict[str, Figures]
"""What each server needed in one round, by the server's name."""


def table(rounds: Sequence[Round]) -> str:
    """Write the table; a ratio is the median of the rounds' own ratios."""
    servers = [each for each in SERVERS if each in rounds[0]]
    compared = [each for each in servers if each != "floor" and "floor" in servers]
    head = ["figure", *servers, *(f"{each} / floor" for each in compared), "Valkey apart", "goal"]
    lines = [_row(head), _row(["---"] * len(head))]
    for figure in FIGURES:
        if any(_values(rounds, server, figure) for server in servers):
            cells = [_cell(rounds, server, figure) for server in servers]
            ratios = [_times(_ratio(rounds, server, figure)) for server in compared]
            goals = "; ".join(_verdict(*each) for each in judged(rounds, figure)) or "-"
            lines.append(_row([figure.name, *cells, *ratios, _spread(_apart(rounds, figure)), goals]))
    return "\n".join(lines)


def summary(rounds: Sequence[Round]) -> str:
    """Count the goals that are met."""
    found = [each for figure in FIGURES for each in judged(rounds, figure)]
    met = sum(1 for goal, value, _ in found if value is not None and goal.met(value))
    return f"Goals met: {met} of {len(found)}."


def judged(rounds: Sequence[Round], figure: Figure) -> list[tuple[Goal, float | None, str]]:
    """Hold Loopwire's medians against the figure's goals; None where there is nothing to compare with."""
    own, apart = _values(rounds, "loopwire", figure), _apart(rounds, figure)
    found: list[tuple[Goal, float | None, str]] = []
    if figure.goal and own:
        value = _ratio(rounds, "loopwire", figure) if figure.goal.of_floor else median(own)
        found.append((figure.goal, value, ""))
    if figure.apart and apart:
        found.append((figure.apart, median(apart), "Valkey "))
    return found


def _verdict(goal: Goal, value: float | None, whose: str) -> str:
    if value is None:
        return f"{whose}{goal}: no floor to compare with"
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


def _ratio(rounds: Sequence[Round], server: str, figure: Figure) -> float | None:
    pairs = [
        (each[server].values.get(figure), each["floor"].values.get(figure))
        for each in rounds
        if "floor" in each
    ]
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
