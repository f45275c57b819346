"""The order of the files: everything once, the storm first, browsers evenly among what waits; or at random."""

from __future__ import annotations

from pathlib import Path

from tests.parts.turns import LONG, STORM, in_turn, shuffled, spread

TESTS = Path(__file__).parents[1]


def test_every_file_listed_as_long_exists():
    assert [name for name in (STORM, *LONG) if not (TESTS / name).is_file()] == []


def test_every_test_file_has_one_place_in_the_order():
    files = [path.relative_to(TESTS).as_posix() for path in sorted(TESTS.rglob("test_*.py"))]
    turns = in_turn(files)
    assert sorted(turns) == sorted(files)
    assert turns[0] == STORM
    assert turns[-1].startswith(("unit/", "contract/"))


def test_spread_mixes_two_lists_evenly():
    assert spread("ab", "123456") == ["1", "a", "2", "3", "4", "b", "5", "6"]


def test_a_seed_gives_one_order_wherever_the_files_were_found():
    files = [path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")]
    order = shuffled(files, "7")
    assert sorted(order) == sorted(files)
    assert order == shuffled(reversed(files), "7")
    assert order not in (sorted(files), in_turn(files), shuffled(files, "8"))
