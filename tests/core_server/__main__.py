"""`python -m tests.core_server --port 9100`: the reference server of the contract in docs/core as a process.

Its first line on standard output is JSON with `core_base_url`, printed once it listens. Faults are switched on by
`--fault`, and while it runs: `curl -d '{"kind": "status", "status": 503, "retry_after": "2", "times": 3}' URL/faults`,
`curl -X DELETE URL/faults`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
from pathlib import Path

from server.loopos.core import EmbeddedCore
from server.store import Store
from tests.core_server.faults import KINDS, CoreFault
from tests.core_server.server import CoreServer


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.core_server", description=__doc__)
    parser.add_argument("--port", type=int, help="without it a free one")
    parser.add_argument("--token", help="refuse every other bearer token with 401")
    parser.add_argument("--data", type=Path, help="the folder of its SQLite file; without it a temporary one")
    parser.add_argument("--fault", choices=KINDS, help="what every request meets")
    parser.add_argument("--status", type=int, default=500, help="of the fault `status`")
    return parser.parse_args()


async def serve(given: argparse.Namespace, folder: Path) -> None:
    """Serve until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    store = await Store.open(None, data_dir=folder)

    async def local_session(principal: str, session_id: str) -> str:
        made = await store.sessions.create(
            app="core", principal=principal, service="core", language="pt", alias=session_id
        )
        return made.id

    try:
        core = await EmbeddedCore.open(store.database, store.webhooks)
        server = CoreServer(core, token=given.token, port=given.port, local_session=local_session)
        if given.fault:
            server.faults.add(CoreFault(given.fault, times=None, status=given.status))
        async with server:
            sys.stdout.write(json.dumps({"core_base_url": server.url}) + "\n")
            sys.stdout.flush()
            await stop.wait()
    finally:
        await store.aclose()


def main() -> None:
    """Run it."""
    given = arguments()
    with tempfile.TemporaryDirectory(prefix="lw-core-") as temporary:
        asyncio.run(serve(given, given.data or Path(temporary)))


if __name__ == "__main__":
    main()
