"""The command line: serve (everything in one process), web, worker, doctor, secret, keys, operators, identities,
audit, callbacks."""

import argparse
import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module

from pydantic import ValidationError

from server import __version__, log
from server.cli.notes import folder_trouble
from server.errors import CannotStart, LoopwireError
from server.settings import Settings

PRIVATE_UMASK = 0o077
"""Every file, folder and socket that a process of ours creates is for its own user alone."""

COMMANDS = {
    "serve": "web and worker in one process, with every part that is not configured",
    "web": "the web server; executes runs too unless LOOPWIRE_WORKERS_IN_WEB=0",
    "worker": "executes runs for web servers; needs REDIS_URL and DATABASE_URL",
    "doctor": "looks at the settings and the parts, and says what is wrong",
    "secret": "shows what the callbacks of each app are signed with",
    "keys": "makes, lists, rotates and revokes the keys of apps",
    "operators": "makes, lists and disables the accounts of operators",
    "identities": "revokes tokens that say who users are",
    "audit": "lists what was done with keys of scope operator",
    "callbacks": "lists callbacks and events, and sends again those that were given up",
}
WITH_ARGUMENTS = ("keys", "operators", "identities", "audit", "callbacks")


def main(point: Callable[[str], None] | None = None) -> int:
    """Run one command and return the exit code; `point` is called with each place that a run passes."""
    os.umask(PRIVATE_UMASK)
    parser = argparse.ArgumentParser(prog="python -m server", description="Loopwire, a conversation server.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, does in COMMANDS.items():
        commands.add_parser(name, help=does, add_help=name not in WITH_ARGUMENTS)
    chosen, rest = parser.parse_known_args()
    if rest and chosen.command not in WITH_ARGUMENTS:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    try:
        settings = Settings()
    except ValidationError as error:
        for each in error.errors():
            told = each["msg"].removeprefix("Value error, ")
            _complain(": ".join([*map(str, each["loc"]), told]))
        return 2
    log.setup(settings.log_level)
    # Modules stay loaded: scanning them for garbage takes a fifth of the start. `settle` turns it on again.
    gc.disable()
    try:
        command = import_module(f"server.cli.{chosen.command}")
        code: int = command.run(settings, rest if chosen.command in WITH_ARGUMENTS else point)
    except (CannotStart, LoopwireError, OSError) as error:
        _complain(folder_trouble(settings, error) or getattr(error, "message", None) or str(error))
        return 1
    return code


def _complain(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
