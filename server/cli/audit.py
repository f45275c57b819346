"""The record of what was done with keys of scope `operator`, as lines."""

import argparse
import asyncio
from collections.abc import Sequence

from server.cli.times import utc
from server.settings import Settings
from server.store import Store

MOST = 10_000


def run(settings: Settings, arguments: Sequence[str]) -> int:
    """Do what the arguments say and return the exit code."""
    return asyncio.run(_run(settings, _parser().parse_args(arguments)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m server audit",
        description="What was done with keys of scope `operator`, the newest first.",
    )
    parser.add_argument("--app", help="of this app alone")
    parser.add_argument("--session", help="of this session alone")
    parser.add_argument(
        "--most", type=_most, default=1_000, help=f"so many lines, up to {MOST}; 1000 unless set"
    )
    return parser


def _most(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"lines are 1 to {MOST}")
    return int(text)


async def _run(settings: Settings, chosen: argparse.Namespace) -> int:
    store = await Store.open_beside(settings.database_url, data_dir=settings.data_dir)
    try:
        found = await store.operator_actions.list_newest(
            chosen.most, app=chosen.app, session_id=chosen.session
        )
    finally:
        await store.aclose()
    for each in found:
        print(f"{utc(each.at)}  {each.app}  {each.key_id}  {each.action}  {each.session_id or '-'}")
    return 0
