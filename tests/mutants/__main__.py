"""`python -m tests.mutants --count 100 --seed 7`: how many single faults of the core the tests let pass."""

from __future__ import annotations

import argparse
import json
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from tests.mutants.areas import AREAS, SCRIPTS, SPARE, drawn, shares
from tests.mutants.far_trial import try_far
from tests.mutants.mutant import Mutant, write_plan
from tests.mutants.script_trial import try_script

ROOT = Path(__file__).parents[2]
MOST_ALIVE = 0.08


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many mutants")
    parser.add_argument("--seed", type=int, help="which ones; a new seed without it")
    parser.add_argument("--only", default="", help="only below this path, as server/store/runs/leases.py")
    parser.add_argument("--jobs", type=int, default=3, help="how many at once")
    parser.add_argument("--columns", action="store_true", help="the tests on Redis and PostgreSQL too")
    parser.add_argument("--folder", type=Path, help="keeps the results, and what each test reaches")
    return parser.parse_args()


def main() -> int:
    """Try them; 1 when more than 8 of 100 live, or not all that were wanted have been tried."""
    asked = arguments()
    seed = secrets.randbelow(100_000) if asked.seed is None else asked.seed
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="lw-mutants-"))
    folder.mkdir(exist_ok=True)
    tree = copied(folder / "tree")
    wanted, plan = chosen(tree, asked.only, asked.count, seed)
    say(f"seed {seed}: {wanted}")
    tried, ended = on_python(tree, folder, wanted, plan, asked)
    try_far(tree, folder, tried, asked.jobs)
    results = [*tried, *on_javascript(tree, wanted, plan)]
    alive = [each for each in results if each["alive"]]
    for each in alive:
        tell(tree, each)
    say(f"seed {seed}: {len(alive)} of {len(results)} live")
    if not asked.folder:
        shutil.rmtree(folder)
    if why := why_unfinished(ended, len(results), sum(wanted.values()), asked.only):
        say(f"seed {seed}: not a result: {why}")
        return 1
    return 1 if len(alive) > MOST_ALIVE * len(results) else 0


def why_unfinished(ended: int, tried: int, wanted: int, only: str) -> str | None:
    """Say why these results are no sample; None when they are. A single package may have too few lines."""
    if ended:
        return f"the session of pytest ended with {ended} after {tried} of {wanted} mutants"
    if not tried or (tried < wanted and not only):
        return f"{tried} of {wanted} mutants were tried"
    return None


def copied(tree: Path) -> Path:
    """Copy what git knows, as it lies here; nothing is tried in the tree that one works in."""
    shutil.rmtree(tree, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in names.split("\0"):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    (tree / ".venv").symlink_to(sys.prefix)
    modules = Path("tests/parts/agui/node_modules")
    (tree / modules).symlink_to((ROOT / modules).resolve())
    return tree


def chosen(tree: Path, only: str, count: int, seed: int) -> tuple[dict[str, int], list[Mutant]]:
    """Draw the mutants of each area, with some to spare; the known equivalents are left out."""
    known = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text()).get("equivalent", [])
    keys = {(each["file"], each["before"], each["after"]) for each in known}
    areas = [each for each in AREAS if overlap(f"{each.package}/", only)]
    wanted = {area: number for area, number in shares(areas, count).items() if number}
    plan: list[Mutant] = []
    for area, number in wanted.items():
        below = only if only.startswith(f"{area}/") else area
        for mutant in drawn(tree, below, random.Random(f"{seed} {area}")):
            if mutant.key((tree / mutant.file).read_text()) not in keys:
                plan.append(mutant)
            if sum(each.file.startswith(f"{area}/") for each in plan) >= number * SPARE + 2:
                break
    return wanted, plan


def overlap(one: str, other: str) -> bool:
    """Return whether one path is below the other."""
    return one.startswith(other) or other.startswith(one)


def on_python(
    tree: Path, folder: Path, wanted: dict[str, int], plan: list[Mutant], asked: argparse.Namespace
) -> tuple[list[dict[str, object]], int]:
    """Try the mutants of the server in one process of pytest; returns the results, and how that process ended."""
    mine = {area: number for area, number in wanted.items() if area != SCRIPTS}
    if not mine:
        return [], 0
    write_plan(folder / "plan.json", [each for each in plan if not each.file.startswith(SCRIPTS)])
    order = {"wanted": mine, "jobs": asked.jobs, "columns": asked.columns}
    (folder / "asked.json").write_text(json.dumps(order))
    (folder / "results.jsonl").write_text("")
    command = [sys.executable, "-m", "tests.mutants.session", str(folder)]
    ended = subprocess.run(command, cwd=tree, check=False, stdout=subprocess.DEVNULL).returncode
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()], ended


def on_javascript(tree: Path, wanted: dict[str, int], plan: list[Mutant]) -> list[dict[str, object]]:
    """Try the mutants of the client, one after another."""
    mine = [each for each in plan if each.file.startswith(SCRIPTS)][: wanted.get(SCRIPTS, 0)]
    return [try_script(tree, each) for each in mine]


def tell(tree: Path, result: dict[str, object]) -> None:
    """Show a survivor."""
    mutant = Mutant(*(result[name] for name in ("file", "line", "kind", "text")))  # type: ignore[arg-type]
    original = (tree / mutant.file).read_text()
    _, before, after = mutant.key(original)
    say(f"\n{mutant.file}:{mutant.line} {mutant.kind}, {result['tests']} tests reach it")
    say(mutant.diff(original))
    say(f"before = {json.dumps(before)}\nafter = {json.dumps(after)}")


def say(line: str) -> None:
    """Print it at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
