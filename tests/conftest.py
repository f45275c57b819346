"""The real parts that every test may ask for; each is described where it is made, in tests/parts."""

from __future__ import annotations

import functools
import gc
import inspect
import os
import random
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.parts.authorities import read_authorities_once
from tests.parts.forking import NURSERY, Nursery, can_fork
from tests.parts.missing import MissingParts
from tests.parts.sampled import has_later, is_whole, try_all_examples, without_later
from tests.parts.scratch import use_memory
from tests.parts.turns import in_turn, shuffled

use_memory()
read_authorities_once()

pytest_plugins = [
    "pytester",
    "tests.parts.redis",
    "tests.parts.postgres",
    "tests.parts.disk",
    "tests.parts.server",
    "tests.parts.column",
    "tests.parts.agui_client",
    "tests.parts.chromium",
    "tests.parts.element",
    "tests.parts.mcp_host",
]

_TESTS = Path(__file__).parent
_nursery: pytest.StashKey[Nursery] = pytest.StashKey()

# What `make test` runs embedded only; markers.
ONCE = ("page", "once")
_SERVERS = re.compile(r"[\[-](configured|postgres)[\]-]")
# What only `make conformance` runs; a marker.
LATER = "conformance"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of this suite."""
    parser.addoption(
        "--whole",
        action="store_true",
        help="all cases, and over Redis and PostgreSQL too",
    )
    parser.addoption(
        "--order-seed", metavar="SEED", help="run the files in the random order of this number, or of `new`"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tell the skips, and choose the order of the files."""
    config.pluginmanager.register(MissingParts())
    be_patient()
    if config.option.whole:
        try_all_examples()
    if config.option.order_seed == "new":
        config.option.order_seed = str(random.randrange(1 << 32))
    told = getattr(config, "workerinput", {})
    if own := told.get("order_seed"):
        config.option.order_seed = own
    if nursery := told.get("nursery"):
        os.environ[NURSERY] = nursery


def be_patient() -> None:
    """Have Hypothesis judge no test by its time, as it does in CI: a busy machine is no fault of a test."""
    if not os.environ.get("CI"):
        settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
        settings.load_profile("patient")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give each process of xdist the same order and nursery; it reads the arguments anew, where a seed may be `new`."""
    node.workerinput["order_seed"] = node.config.option.order_seed
    if not can_fork():
        return
    # pytest rewrites the assertions of this one, unless it is imported before.
    from tests.parts.server import clean_environment  # noqa: PLC0415

    if _nursery not in node.config.stash:
        node.config.stash[_nursery] = Nursery(clean_environment())
        node.config.add_cleanup(node.config.stash[_nursery].close)
    node.workerinput["nursery"] = node.config.stash[_nursery].address


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Print the seed, so that the order can be repeated."""
    seed = config.getoption("order_seed")
    return [] if seed is None else [f"files in random order: --order-seed {seed}"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seed again where the failures are."""
    for line in pytest_report_header(terminalreporter.config):
        terminalreporter.write_line(line)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Load five thousand tests: a million objects of which none goes, so that no collector looks at them, ever."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Collector, name: str, obj: object
) -> list[pytest.Item] | None:
    """Make nothing of a function that is left out as a whole: what is made costs each process some of its start."""
    if is_whole() or not name.startswith("test"):
        return None
    is_spare = inspect.isfunction(obj) and has_later(getattr(obj, "pytestmark", ()))
    return [] if is_spare or collector.get_closest_marker(LATER) else None


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make nothing of the parameters that are left out."""
    if not is_whole():
        marks = metafunc.definition.own_markers
        marks[:] = map(without_later, marks)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what tells nothing new, and put the files in the order that keeps a machine of two cores busy."""
    if not config.getoption("whole"):
        spare = [item for item in items if _is_spare(item)]
        config.hook.pytest_deselected(items=spare)
        left_out = set(spare)
        items[:] = [item for item in items if item not in left_out]
    files, seed = list(dict.fromkeys(map(_file, items))), config.getoption("order_seed")
    ordered = in_turn(files) if seed is None else shuffled(files, seed)
    turns = {file: turn for turn, file in enumerate(ordered)}
    items.sort(key=lambda item: turns[_file(item)])


def _file(item: pytest.Item) -> str:
    return _relative(item.path)


@functools.cache
def _relative(path: Path) -> str:
    return os.path.relpath(path, _TESTS)


def _is_spare(item: pytest.Item) -> bool:
    if item.get_closest_marker(LATER):
        return True
    return any(map(item.get_closest_marker, ONCE)) and _over_servers(item)


def _over_servers(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and bool(_SERVERS.search(item.name))


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what lies in tests/e2e; those share the browser's loop, which lasts for the session."""
    if item.path.is_relative_to(_TESTS / "e2e"):
        item.add_marker(pytest.mark.e2e)
        if inspect.iscoroutinefunction(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
