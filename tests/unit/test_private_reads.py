"""Tests read and set no private attribute of the server's objects, except those of this list with their reasons."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

READS = {
    (
        "tests/contract/bus/test_shared_counts.py",
        "_away_until",
    ): "sets the state of an instance that lost Redis",
    (
        "tests/contract/bus/test_shared_counts.py",
        "_count",
    ): "fails as a Redis that is away, at the moment that the test says",
    ("tests/contract/bus/test_streaming.py", "_link"): "asks Redis, which may be inside of this process",
    (
        "tests/contract/bus/test_streaming.py",
        "_unsubscribe_later",
    ): "calls what a timer calls after the bus was closed",
    (
        "tests/integration/agents/test_fast_transport.py",
        "_connection",
    ): "reaches our connection through httpx2's response",
    ("tests/integration/bus/test_redis_faults.py", "_writer"): "cuts a connection of redis-py",
    ("tests/integration/test_scores.py", "_next"): "ends a pause of 30 s",
    (
        "tests/integration/inbox/test_sign_in.py",
        "_account",
    ): "judges many names at once, whose addresses have no limit here",
    (
        "tests/integration/ws/test_end_unpublished.py",
        "_tasks",
    ): "ends a bus as kill -9 does, without what `aclose` says",
    ("tests/integration/ws/test_slow_readers.py", "_stall"): "sees that a timer is stopped",
    ("tests/integration/ws/test_slow_readers.py", "_writer"): "reads the buffer of asyncio's transport",
    ("tests/integration/ws/test_lost_peers.py", "_deadline"): "sees that a timer is stopped",
    ("tests/integration/bus/test_subscriber.py", "_confirming"): "sees that nothing waits for a confirmation",
    (
        "tests/integration/bus/test_subscriber.py",
        "_confirm",
    ): "confirms a channel at one moment, as Redis may",
    ("tests/integration/bus/test_subscriber.py", "_pauses"): "sees that the next pause is a short one again",
    ("tests/integration/bus/test_subscriber.py", "_sending"): "lets a command hang, as a full socket does",
    ("tests/integration/bus/test_pipeline.py", "_line"): "lets redis-py's time for a health check come",
    ("tests/integration/bus/test_pipeline.py", "_open"): "connects and lets the reader take no step",
    (
        "tests/integration/bus/test_pipeline.py",
        "_writer",
    ): "fails a connection as a write of its transport does",
    ("tests/unit/bus/test_names.py", "_on_change"): "calls what the flusher calls when Redis is back",
    ("tests/unit/bus/test_names.py", "_on_lost"): "calls what the subscriber calls at a loss",
    ("tests/unit/bus/test_flusher.py", "_on_change"): "sets what is told of an outage after the rig was made",
    ("tests/unit/bus/test_flusher.py", "_pauses"): "sees that the next pause is a short one again",
    ("tests/unit/bus/test_presence.py", "_open"): "sees that an answered question is forgotten",
    ("tests/unit/bus/test_repair.py", "_closed"): "sets the state between two steps of `aclose`",
    ("tests/unit/store/test_wal.py", "_commits"): "begins to count after the commits of the start",
}
OF_LIBRARIES = {
    "_replace",  # Of named tuples.
    "_request_id", "_stream", "_fetch_response", "_transport",  # Of openai and httpx2.
    "_parser", "_reader",  # Of redis-py.
    "_connection", "_conn",  # Of aiosqlite.
    "_serve",  # Of uvicorn.
    "_queue",  # Of OpenTelemetry.
}  # fmt: skip
"""Names that the server uses too, but that these tests read of a library's object."""


ELSEWHERE = ("tests/mutants/", "tests/unit/sdk/", "tests/integration/sdk/", "tests/e2e/node_modules/")
"""What tests other code than the server's."""

_OWN = re.compile(r"\bself\.(_[a-z]\w*)(?:: [^=\n]+)? =|\bdef (_[a-z]\w*)|^    (_[a-z]\w*):", re.MULTILINE)
_PRIVATE = re.compile(r"\._[a-z]|[\"']_[a-z]")


def files(folder: str) -> Iterator[tuple[str, str]]:
    """Return path and text of the Python files below a folder."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if not name.startswith(ELSEWHERE):
            yield name, path.read_text()


def own_names(source: str) -> set[str]:
    """Return the private names that a module gives to functions, attributes and fields."""
    return {name for found in _OWN.findall(source) for name in found if name}


def reads(tree: ast.Module, names: set[str]) -> Iterator[str]:
    """Return each of these names that is read or set of another object than `self`, also by `setattr`."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, value=value) if ast.unparse(value) not in {"self", "cls"}:
                found = name
            case ast.Call(func=func, args=[_, ast.Constant(value=str(name)), *_]) if "setattr" in ast.unparse(
                func
            ):
                found = name
            case _:
                continue
        if found in names:
            yield found


def private_reads() -> set[tuple[str, str]]:
    """Return file and name of each read of a private name that the server has and the test file has not."""
    names = {name for _, source in files("server") for name in own_names(source)}
    return {
        (file, name)
        for file, source in files("tests")
        if _PRIVATE.search(source)
        for name in reads(ast.parse(source), names - own_names(source))
        if (file, name) in READS or name not in OF_LIBRARIES
    }


def test_tests_read_no_private_attribute_of_the_server_without_a_reason():
    """An object shows what an operator or a test has to see by a property; else a test looks at what it does."""
    assert private_reads() == set(READS)


def test_the_rule_finds_reads_assignments_and_patches():
    source = "class A:\n    _b = 1\n    def f(self):\n        self._own = 1\n"
    tree = ast.parse(f"{source}x._own\nx._own = 2\nm.setattr(x, '_own', 3)\nself._own\nx._other\n")
    assert list(reads(tree, own_names(source))) == ["_own", "_own", "_own"]
