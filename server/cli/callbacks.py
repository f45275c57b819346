"""The operator's view of callbacks, events and pushes: list them by their state, and send again what was given up."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from server.cli.times import utc
from server.errors import CannotStart
from server.settings import Settings
from server.store import Store

STATES = ("waiting", "delivered", "failed", "gone")
MOST = 1_000


def run(settings: Settings, arguments: Sequence[str]) -> int:
    """Do what the arguments say and return the exit code."""
    return asyncio.run(_run(settings, _parser().parse_args(arguments)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m server callbacks", description="Show the state of callbacks and of events."
    )
    actions = parser.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list", help=f"lists the newest {MOST} of one state, the newest first")
    listing.add_argument("--state", choices=STATES, default="failed", help="`failed` (given up) unless set")
    replay = actions.add_parser("replay", help="sends again what was given up, with all attempts")
    which = replay.add_mutually_exclusive_group(required=True)
    which.add_argument("id", nargs="*", default=[], help="the ids of callbacks and events")
    which.add_argument("--all", action="store_true", help="all that were given up and are still kept")
    return parser


async def _run(settings: Settings, chosen: argparse.Namespace) -> int:
    store = await Store.open_beside(settings.database_url, data_dir=settings.data_dir)
    outboxes = (store.callbacks, store.webhooks, store.pushes)
    try:
        if chosen.action == "list":
            states = [each for outbox in outboxes for each in await outbox.list_states(chosen.state, MOST)]
            for each in sorted(states, key=lambda one: one.due_at, reverse=True)[:MOST]:
                answer = "no answer" if each.answer is None else f"HTTP {each.answer}"
                attempts = f"{each.attempt} attempts"
                print(f"{each.id}  {each.app}  {each.session_id}  {attempts}  {answer}  {utc(each.due_at)}")
            return 0
        wanted = None if chosen.all else chosen.id
        again = [id for outbox in outboxes for id in await outbox.replay(wanted)]
    finally:
        await store.aclose()
    for id in again:
        print(id)
    missing = sorted(set(chosen.id) - set(again))
    if missing:
        raise CannotStart(f"Not given up, or not there: {', '.join(missing)}.")
    print(f"{len(again)} will be sent again, at most a few seconds from now.", file=sys.stderr)
    return 0
