"""The command revokes identity tokens of an app, also while a server runs: its processes notice within 20 seconds."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from server import apps
from server.auth import principal_of_user
from server.errors import CannotStart
from server.identity import id_of_jti
from server.settings import Settings
from server.store import Store


def run(settings: Settings, arguments: Sequence[str]) -> int:
    """Do what the arguments say and return the exit code."""
    return asyncio.run(_run(settings, _parser().parse_args(arguments)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m server identities", description="Tokens of apps that say who their users are."
    )
    actions = parser.add_subparsers(dest="action", required=True)
    revoke = actions.add_parser(
        "revoke", help="lets tokens end: all of a user that were issued so far, or one"
    )
    revoke.add_argument("app", help="the app, as its table is called in the file of apps")
    which = revoke.add_mutually_exclusive_group(required=True)
    which.add_argument("--user", help="the sub of the tokens")
    which.add_argument("--jti", help="the jti of one token")
    return parser


async def _run(settings: Settings, chosen: argparse.Namespace) -> int:
    known = apps.load(settings.apps)
    if chosen.app not in known:
        raise CannotStart(f"There is no app {chosen.app!r}; there are {', '.join(known)}.")
    store = await Store.open_beside(settings.database_url, data_dir=settings.data_dir)
    try:
        if chosen.jti is not None:
            await store.revocations.revoke(id_of_jti(chosen.app, chosen.jti))
        else:
            await store.revocations.revoke_all_of(principal_of_user(settings.secret, chosen.app, chosen.user))
    finally:
        await store.aclose()
    print(f"Revoked for {chosen.app}: open channels end at most 20 s from now.", file=sys.stderr)
    return 0
