"""The figures of all rounds as one Markdown table: medians, the ratios of each round, and what noise there was."""

from collections.abc import Sequence
from statistics import median

from bench.scenarios import Figures

Round = dict[str, Figures]
"""What each server needed in one round, by the server's name."""


def table(rounds: Sequence[Round]) -> str:
    """Write the table; a ratio is the median of the rounds' own ratios."""
    lines = [
        "| figure | floor | plain | Loopwire | plain / floor | Loopwire / floor | Valkey apart |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in rounds[0]["loopwire"].values:
        cells = [_spread([each[server].values[name] for each in rounds]) for server in SERVERS]
        ratios = [_ratio(rounds, server, name) for server in ("plain", "loopwire")]
        apart = [each["loopwire"].apart[name] for each in rounds if name in each["loopwire"].apart]
        lines.append(f"| {' | '.join([name, *cells, *ratios, _spread(apart) if apart else '-'])} |")
    return "\n".join(lines)


SERVERS = ("floor", "plain", "loopwire")


def _ratio(rounds: Sequence[Round], server: str, name: str) -> str:
    found = [each[server].values[name] / each["floor"].values[name] for each in rounds]
    return f"{_number(median(found))} x"


def _spread(values: Sequence[float]) -> str:
    middle = _number(median(values))
    return middle if len(values) == 1 else f"{middle} [{_number(min(values))}-{_number(max(values))}]"


def _number(value: float) -> str:
    """Three digits that count."""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"
