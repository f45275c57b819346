"""Skips for missing tools of a machine: they are counted, reported at the end, and failures in CI."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import NoReturn

import pytest

_missing: dict[str, int] = {}


def skip_missing(part: str, how: str) -> NoReturn:
    """Skip the test that needs `part`; `how` says what would bring it."""
    _missing[f"{part}: {how}"] = _missing.get(f"{part}: {how}", 0) + 1
    pytest.skip(f"no {part} here ({how})")


def in_ci() -> bool:
    """Return whether a skip counts as a failure."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


class MissingParts:
    """The pytest plugin that tells the skips."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn a skipped test into a failed one in CI."""
        report = yield
        if in_ci() and report.skipped and not hasattr(report, "wasxfail"):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} was skipped, which CI does not accept: {_reason(report)}"
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Turn a skipped module into a failed one in CI."""
        report = yield
        if in_ci() and report.outcome == "skipped":
            report.outcome = "failed"
            report.longrepr = f"{collector.nodeid} was skipped, which CI does not accept: {_reason(report)}"
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Count the skips in one line and name the missing parts."""
        skipped = len(terminalreporter.stats.get("skipped", []))
        if not skipped and not _missing:
            return
        terminalreporter.section("not everything was tested", yellow=True)
        terminalreporter.write_line(f"{skipped} skipped, {len(_missing)} parts missing on this machine")
        for part in _missing:
            terminalreporter.write_line(f"  {part}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return the words of a skip out of pytest's (file, line, words)."""
    return report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
