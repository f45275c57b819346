"""The closing words of a storm: what was tried, how it ended, how long the worst of it took."""

from __future__ import annotations

from collections.abc import Mapping

from tests.chaos.frame_checks import FrameChecks

_MAIN = ("conversations", "messages", "runs", "events", "sockets", "snapshot", "resumed", "lives")
_GROUPS = {"fault: ": "faults", "interrupt ": "interrupts", "met: ": "met by people", "run: ": "ends of runs"}


def summary(head: Mapping[str, object], checks: FrameChecks) -> str:
    """Lines for a person."""
    counts = checks.counts
    lines = [", ".join(f"{key} {value}" for key, value in head.items())]
    lines.append(_listed({each: counts[each] for each in _MAIN}))
    grouped = {*_MAIN}
    for prefix, title in _GROUPS.items():
        found = {key.removeprefix(prefix): counts[key] for key in sorted(counts) if key.startswith(prefix)}
        grouped |= {f"{prefix}{each}" for each in found}
        lines.append(f"{title} ({sum(found.values())}): {_listed(found)}")
    lines.append(f"besides: {_listed({key: counts[key] for key in sorted(counts) if key not in grouped})}")
    worst = {what: f"{seconds:.1f} s" for what, seconds in sorted(checks.longest.items())}
    lines.append(f"the longest: {_listed(worst)}")
    lines.append(f"broken promises: {len(checks.violations) or 'none'}")
    return "\n".join(lines)


def _listed(found: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in found.items()) or "none"
