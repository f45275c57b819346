"""The demo model's prices: the caller's hints, else the band of the facts, else a band for things of no known kind."""

from typing import Any

from server.demo.requests.parsed_request import ParsedRequest

UNKNOWN = (10.0, 60.0)
"""Euro, for a thing of no known category."""

MOST = 1_000_000.0
"""Euro: an answer has no higher price, though a band that follows a hint may lie above."""

Span = tuple[float, float, float]
"""Lowest, middle and highest price in euro, ascending."""

HINTS = ("value_out_min", "value_out_average", "value_out_max")


def band(given: ParsedRequest, condition: str) -> Span:
    """Return the band of the facts in a condition, else the one for things of no known kind."""
    known = given.facts.get("price_band") or {}
    found = (known.get("by_condition") or {}).get(condition) or known
    low, high = (float(found["min"]), float(found["max"])) if found else UNKNOWN
    return low, (low + high) / 2, high


def prices(given: ParsedRequest, condition: str, hints: dict[str, Any]) -> Span:
    """Return the hints, in order, and what the band says of those that are missing."""
    known = [None if hints.get(name) is None else float(hints[name]) for name in HINTS]
    low, middle, high = band(given, condition)
    factor = next(
        (_factor(hint, of) for hint, of in zip(known, (low, middle, high), strict=True) if hint), 1.0
    )
    if known[1] is None and ((known[0] or 0) < high and (known[2] is None or known[2] > low)):
        factor = 1.0
    full = [
        of * factor if hint is None else hint for hint, of in zip(known, (low, middle, high), strict=True)
    ]
    if known[1] is None and (known[0] is not None or known[2] is not None):
        full[1] = (full[0] + full[2]) / 2
    low, middle, high = sorted(min(round(each, 2), MOST) for each in full)
    return low, middle, high


def _factor(hint: float, of: float) -> float:
    return hint / of if of else 1.0


def contradict(hints: dict[str, Any]) -> bool:
    """Return whether the hints that are there do not ascend."""
    known = [float(hints[name]) for name in HINTS if hints.get(name) is not None]
    return known != sorted(known)


_FAR = 4
"""A hint below or above the band by so much is far from it."""
_WIDEST = 20
"""So many times the lowest hint the highest may be."""


def are_far(given: ParsedRequest, condition: str, hints: dict[str, Any]) -> bool:
    """Return whether hints are far from the band that is known, or from each other."""
    known = [float(hints[name]) for name in HINTS if hints.get(name) is not None]
    if not known:
        return False
    low, _, high = band(given, condition)
    is_off = bool(given.facts.get("price_band")) and (min(known) < low / _FAR or max(known) > high * _FAR)
    return is_off or max(known) > _WIDEST * max(min(known), 1.0)


def span(given: ParsedRequest, name: str) -> Span:
    """Return a band of the facts, as `repair`: lowest, middle, highest; zeros where there is none."""
    known = given.facts.get("price_band") or {}
    low, high = float(known.get(f"{name}_min", 0)), float(known.get(f"{name}_max", 0))
    return round(low, 2), round((low + high) / 2, 2), round(high, 2)


def adjustment_sentences(given: ParsedRequest) -> str:
    """Return what moved the band, in sentences; nothing where nothing did."""
    told = []
    for each in (given.facts.get("price_band") or {}).get("adjusted") or ():
        value = each["value"]
        match each["for"]:
            case "storage_gb":
                told.append(given.say("money.storage", value=storage_text(value)))
            case "age_years":
                told.append(given.say("money.age", value=value))
            case "pieces":
                told.append(given.say("money.pieces", value=value))
            case "unknown_brand":
                told.append(given.say("money.brand", value=value))
    return " ".join(told)


def storage_text(gigabytes: int) -> str:
    """Return a storage as makers write it: `128 GB`, `2 TB`."""
    return f"{gigabytes // 1024} TB" if gigabytes % 1024 == 0 else f"{gigabytes} GB"
