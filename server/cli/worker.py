"""The worker command: it executes runs until a signal, then lets them end; a second signal requeues them."""

import asyncio
import logging
import signal
from collections.abc import Callable

import uvloop

from server import __version__, apps
from server.app import open_parts, settle
from server.cli.access import access_notes
from server.cli.hard_deadline import leave_within
from server.cli.wait_for_database import require_addresses, wait_for_storage
from server.errors import CannotStart
from server.runs.crash_points import pass_on
from server.settings import Settings
from server.tasks import Tasks

log = logging.getLogger(__name__)


def run(settings: Settings, point: Callable[[str], None] | None) -> int:
    """Work until a signal stops it."""
    if settings.redis_url is None or settings.database_url is None:
        raise CannotStart(
            "A separate worker needs REDIS_URL and DATABASE_URL, the same as the web processes have."
        )
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_work(settings, settings.redis_url, point or pass_on))
    return 0


async def _work(settings: Settings, redis_url: str, point: Callable[[str], None]) -> None:
    told = asyncio.Semaphore(0)  # A semaphore and no event: it counts two signals that arrive at once.
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, told.release)
    known = apps.load(settings.apps)
    require_addresses(settings)
    tasks = Tasks()
    stopping = tasks.spawn(told.acquire(), name="stop")
    storage = await wait_for_storage(settings, known, stopping)
    if storage is None:
        await tasks.aclose()
        return
    try:
        async with open_parts(
            settings,
            storage.store,
            storage.cores,
            known,
            redis_url,
            capacity=settings.runs_at_once,
            point=point,
        ) as ready:
            settle()
            print(f"Loopwire {__version__} worker: {settings.runs_at_once} runs at once", flush=True)
            for note in access_notes(settings):
                print(f"  note      {note}", flush=True)
            await stopping
            log.info("draining: no new runs")
            leave_within(settings.drain_seconds)
            ending = tasks.spawn(ready.end_runs(), name="end runs")
            again = tasks.spawn(told.acquire(), name="stop again")
            await asyncio.wait({ending, again}, return_when=asyncio.FIRST_COMPLETED)
            await tasks.aclose()
    finally:
        await storage.aclose()
