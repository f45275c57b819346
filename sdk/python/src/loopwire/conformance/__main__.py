"""`python -m loopwire.conformance URL`: judge the recorded sessions and a server, and print each check's result."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import httpx2
from websockets.exceptions import WebSocketException

from loopwire.conformance.checks import CHECKS, Check
from loopwire.conformance.faults import Fault
from loopwire.conformance.peer import Peer
from loopwire.conformance.recordings import judge_recorded, recorded_sessions

Result = tuple[str, str]
"""What a check says, and the fault; empty where it passed."""


async def results(url: str, options: argparse.Namespace) -> AsyncGenerator[Result]:
    """Run the checks that are wanted, one after the other."""
    for name, session in recorded_sessions():
        says = f"the recorded session {name} folds to what was stored"
        if options.only in says:
            yield says, _fault_of(session)
    for says, judged in CHECKS.items():
        if options.only in says:
            yield says, await _fault_at(url, judged, options)


def _fault_of(session: dict[str, Any]) -> str:
    try:
        judge_recorded(session)
    except Fault as fault:
        return str(fault)
    return ""


async def _fault_at(url: str, judged: Check, options: argparse.Namespace) -> str:
    """Return what is wrong with a server; whatever it sends that cannot be read is a fault too."""
    peer = Peer(url, service=options.service, text=options.text, seconds=options.seconds)
    try:
        await judged(peer)
    except Fault as fault:
        return str(fault)
    except (OSError, KeyError, TypeError, ValueError, httpx2.HTTPError, WebSocketException) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        await peer.aclose()
    return ""


async def judge_server(url: str, options: argparse.Namespace) -> int:
    """Print the result of each check and their count; return the number of those that failed."""
    passed = failed = 0
    async with aclosing(results(url, options)) as found:
        async for says, fault in found:
            failed, passed = failed + bool(fault), passed + (not fault)
            print(f"FAILED  {says}: {fault}" if fault else f"ok      {says}", flush=True)
    print(f"{passed + failed} checks, {passed} passed, {failed} failed")
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 where all checks passed, 1 where one failed."""
    parser = argparse.ArgumentParser(prog="python -m loopwire.conformance", description=__doc__)
    parser.add_argument("url", help="the server, such as http://127.0.0.1:8000")
    parser.add_argument(
        "--service", help="the service that conversations begin with; the server's own choice else"
    )
    parser.add_argument("--text", default="Hello", help="what is said to it")
    parser.add_argument("--only", default="", help="run the checks that have these words in their line")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long anything may take")
    options = parser.parse_args(arguments)
    return 1 if asyncio.run(judge_server(options.url, options)) else 0


if __name__ == "__main__":
    sys.exit(main())
