"""The commands make, list and disable accounts of operators and change their passwords, also while a server runs."""

import argparse
import asyncio
import getpass
import sys
from collections.abc import Sequence

from server import apps
from server.auth.passwords import LONGEST_PASSWORD, SHORTEST_PASSWORD, password_hash
from server.cli.times import utc
from server.errors import CannotStart, NotFound
from server.protocol.operators import MOST_NAME
from server.protocol.plain_text import has_control
from server.settings import Settings
from server.store import OperatorAccount, Store

ROLES = ("agent", "admin")


def run(settings: Settings, arguments: Sequence[str]) -> int:
    """Do what the arguments say and return the exit code."""
    return asyncio.run(_run(settings, _parser().parse_args(arguments)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m server operators", description="The accounts of operators."
    )
    actions = parser.add_subparsers(dest="action", required=True)
    add = actions.add_parser("add", help="makes an account; its password is read from the terminal or stdin")
    add.add_argument("name", type=_name, help="what the operator signs in with, and visitors read")
    add.add_argument(
        "--app", action="append", required=True, help="an app of the account, several times for several"
    )
    add.add_argument(
        "--role",
        choices=ROLES,
        default="agent",
        help="in these apps; an admin also reads the record of actions",
    )
    actions.add_parser("list", help="lists all accounts")
    for action, does in (
        ("password", "reads a new password, and ends the sign-ins of the old one"),
        ("disable", "lets an account open nothing any more"),
        ("enable", "lets a disabled account sign in again"),
    ):
        actions.add_parser(action, help=does).add_argument("name", help="the name of the account")
    return parser


def _name(text: str) -> str:
    name = text.strip()
    if not 1 <= len(name) <= MOST_NAME or has_control(name):
        raise argparse.ArgumentTypeError(f"a name has 1 to {MOST_NAME} characters, none that controls")
    return name


async def _run(settings: Settings, chosen: argparse.Namespace) -> int:
    if chosen.action == "add":
        _require_apps(settings, chosen.app)
    hashed = password_hash(_read_password()) if chosen.action in ("add", "password") else ""
    store = await Store.open_beside(settings.database_url, data_dir=settings.data_dir)
    try:
        await _act(store, chosen, hashed)
    except NotFound as error:
        raise CannotStart(error.message) from error
    finally:
        await store.aclose()
    return 0


async def _act(store: Store, chosen: argparse.Namespace, hashed: str) -> None:
    """Do one action. Raises NotFound and CannotStart."""
    accounts = store.operator_accounts
    if chosen.action == "list":
        for each in await accounts.list_all():
            print(_line(each))
    elif chosen.action == "add":
        made = await accounts.add(chosen.name, dict.fromkeys(chosen.app, chosen.role), hashed)
        if made is None:
            raise CannotStart(f"There is an operator {chosen.name!r} already.")
        print(_line(made))
    elif chosen.action == "password":
        print(_line(await accounts.set_password(chosen.name, hashed)))
    elif chosen.action == "disable":
        print(_line(await accounts.disable(chosen.name)))
    else:
        print(_line(await accounts.enable(chosen.name)))


def _require_apps(settings: Settings, names: Sequence[str]) -> None:
    """Raise CannotStart for an app that there is not."""
    known = apps.load(settings.apps)
    missing = next((each for each in names if each not in known), None)
    if missing is not None:
        raise CannotStart(f"There is no app {missing!r}; there are {', '.join(known)}.")


def _read_password() -> str:
    """Read a password, at a terminal twice and unseen. Raises CannotStart for one that is too short or too long."""
    if sys.stdin.isatty():
        password = getpass.getpass("Password: ")
        if getpass.getpass("Once more: ") != password:
            raise CannotStart("These are two passwords.")
    else:
        password = sys.stdin.readline(LONGEST_PASSWORD + 2).rstrip("\r\n")
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise CannotStart(f"A password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters.")
    return password


def _line(account: OperatorAccount) -> str:
    roles = ",".join(f"{app}:{role}" for app, role in sorted(account.roles.items()))
    disabled = "" if account.disabled_at is None else f"  disabled {utc(account.disabled_at)}"
    return f"{account.id}  {account.name}  {roles}  made {utc(account.created_at)}{disabled}"
