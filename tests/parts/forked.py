"""`python -m tests.parts.forked NURSERY serve`: a server from the nursery in place of a cold start, for programs that
start one themselves and kill the group of the process that they started.

The server ends with this process. Any other command of the operator is carried out by a Python of its own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.parts.forking import NURSERY, Parent, can_fork

ROOT = Path(__file__).parents[2]


def command() -> list[str] | None:
    """Return what starts a server quickly; None where there is no nursery, as in a run without xdist."""
    nursery = os.environ.get(NURSERY)
    return [sys.executable, "-m", "tests.parts.forked", nursery, "serve"] if nursery and can_fork() else None


def main(nursery: str, *argv: str) -> int:
    """Have the server forked with our environment and output, and stay as long as it does."""
    if argv != ("serve",):
        os.execv(sys.executable, [sys.executable, "-m", "server", *argv])
    log = Path(os.readlink("/proc/self/fd/1"))
    return Parent({}, nursery).start(["server", *argv], log=log, env=os.environ, cwd=ROOT).wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
