"""The commands make, list, rotate and revoke the keys of apps, also while a server runs."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from server import apps
from server.auth import SCOPES, USUAL_SCOPES, make_key
from server.cli.times import utc
from server.errors import CannotStart, NotFound
from server.settings import Settings
from server.store import AppKey, Store

HOUR_MS = 3600 * 1000
MOST_HOURS = 24 * 365


def run(settings: Settings, arguments: Sequence[str]) -> int:
    """Do what the arguments say and return the exit code."""
    return asyncio.run(_run(settings, _parser().parse_args(arguments)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m server keys", description="The keys of apps.")
    actions = parser.add_subparsers(dest="action", required=True)
    add = actions.add_parser("add", help="makes a key of an app and shows it once")
    add.add_argument("app", help="the app, as its table is called in the file of apps; `demo` is built in")
    add.add_argument(
        "--scope",
        action="append",
        choices=SCOPES,
        help=f"what it opens, several times for several; {' and '.join(USUAL_SCOPES)} unless set",
    )
    actions.add_parser("list", help="lists the keys of all apps; the keys themselves are not stored")
    rotate = actions.add_parser("rotate", help="makes the next key of the same app, and lets the old one end")
    rotate.add_argument("id", help="the id of the old key")
    rotate.add_argument(
        "--hours", type=_hours, default=24, help="so long the old one still works; 24 unless set"
    )
    revoke = actions.add_parser("revoke", help="lets a key end at once")
    revoke.add_argument("id", help="the id of the key")
    return parser


def _hours(text: str) -> int:
    if not text.isdigit() or int(text) > MOST_HOURS:
        raise argparse.ArgumentTypeError(f"hours are 0 to {MOST_HOURS}")
    return int(text)


async def _run(settings: Settings, chosen: argparse.Namespace) -> int:
    known = apps.load(settings.apps)
    if chosen.action == "add" and chosen.app not in known:
        raise CannotStart(f"There is no app {chosen.app!r}; there are {', '.join(known)}.")
    store = await Store.open_beside(settings.database_url, data_dir=settings.data_dir)
    try:
        if chosen.action == "list":
            _print_keys(await store.app_keys.list_all())
        elif chosen.action == "add":
            await _add(store, chosen.app, frozenset(chosen.scope or USUAL_SCOPES))
        else:
            await _end(store, chosen)
    except NotFound as error:
        raise CannotStart(error.message) from error
    finally:
        await store.aclose()
    return 0


async def _add(store: Store, app: str, scopes: frozenset[str]) -> None:
    made = make_key()
    await store.app_keys.add(made.id, app, sorted(scopes), made.digest)
    print(made.text)
    print(f"{made.id} of {app} opens {', '.join(sorted(scopes))}. It is not shown again.", file=sys.stderr)


async def _end(store: Store, chosen: argparse.Namespace) -> None:
    if chosen.action == "rotate":
        ended = await store.app_keys.revoke(chosen.id, after_ms=chosen.hours * HOUR_MS)
        await _add(store, ended.app, ended.scopes)
        print(f"{ended.id} ends in {chosen.hours} h.", file=sys.stderr)
    else:
        ended = await store.app_keys.revoke(chosen.id)
        print(f"{ended.id} of {ended.app} opens nothing any more, at most 5 s from now.", file=sys.stderr)


def _print_keys(keys: list[AppKey]) -> None:
    for each in keys:
        ends = "" if each.ends_at is None else f"  ends {utc(each.ends_at)}"
        scopes = ",".join(sorted(each.scopes))
        print(f"{each.id}  {each.app}  {scopes}  made {utc(each.created_at)}{ends}")
