"""The figures of all rounds as one Markdown table: medians, the ratios of each round, and what noise there was."""

from collections.abc import Sequence
from statistics import median

from bench.scenarios import Figures

Round = dict[str, Figures]
"""What each server needed in one round, by the server's name."""


SERVERS = ("floor", "plain", "loopwire")


def table(rounds: Sequence[Round]) -> str:
    """Write the table; a ratio is the median of the rounds' own ratios."""
    servers = [each for each in SERVERS if each in rounds[0]]
    compared = [each for each in servers[1:] if "floor" in servers]
    names = list(dict.fromkeys(name for each in servers for name in rounds[0][each].values))
    head = ["figure", *servers, *(f"{each} / floor" for each in compared), "Valkey apart"]
    lines = [_row(head), _row(["---"] * len(head))]
    for name in names:
        cells = [_spread(_values(rounds, server, name)) for server in servers]
        ratios = [_ratio(rounds, server, name) for server in compared]
        apart = [
            figures.apart[name] for each in rounds for figures in each.values() if figures.apart.get(name)
        ]
        lines.append(_row([name, *cells, *ratios, _spread(apart)]))
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _values(rounds: Sequence[Round], server: str, name: str) -> list[float]:
    return [each[server].values[name] for each in rounds if name in each[server].values]


def _ratio(rounds: Sequence[Round], server: str, name: str) -> str:
    pairs = zip(_values(rounds, server, name), _values(rounds, "floor", name), strict=False)
    found = [value / floor for value, floor in pairs if floor]
    return f"{_number(median(found))} x" if found else "-"


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
