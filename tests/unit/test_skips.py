"""A skip is reported, and a failure in CI: shown on a pytest of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CONFTEST = """
from tests.parts.missing import MissingParts

def pytest_configure(config):
    config.pluginmanager.register(MissingParts())
"""
LACKING = """
from tests.parts.missing import skip_missing

def test_needs_a_part():
    skip_missing("Chromium", "apt-get install chromium")

def test_needs_nothing():
    pass
"""
MODULE_LACKING = """
import pytest

pytest.skip("no such library", allow_module_level=True)
"""
EXPECTED_FAILURE = """
import pytest

@pytest.mark.xfail(reason="known")
def test_fails_as_known():
    raise AssertionError
"""


@pytest.fixture
def outcome(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Run one test file in a pytest of its own, with CI as told."""

    def run(source: str, *, ci: str) -> pytest.RunResult:
        monkeypatch.setenv("CI", ci)
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        pytester.makeconftest(CONFTEST)
        pytester.makepyfile(source)
        return pytester.runpytest_subprocess("-p", "no:valkey", "-p", "no:cacheprovider")

    return run


def test_a_developer_is_told_what_is_missing(outcome):
    result = outcome(LACKING, ci="")
    result.assert_outcomes(passed=1, skipped=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["1 skipped, 1 parts missing*", "*Chromium: apt-get install chromium"])


def test_ci_does_not_accept_a_skipped_test(outcome):
    result = outcome(LACKING, ci="true")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*CI does not accept*no Chromium here*"])


def test_ci_does_not_accept_a_skipped_module(outcome):
    assert outcome(MODULE_LACKING, ci="").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result = outcome(MODULE_LACKING, ci="true")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*CI does not accept*no such library*"])


def test_a_known_failure_is_not_a_skip(outcome):
    result = outcome(EXPECTED_FAILURE, ci="true")
    result.assert_outcomes(xfailed=1)
    assert result.ret == 0
