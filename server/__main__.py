"""The command line: serve (everything in one process), web, worker, doctor."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import uvloop
from pydantic import ValidationError

from server import __version__, log
from server.app import Web, opened, settle
from server.apps import AppsError
from server.auth import is_loopback
from server.bus import Bus, EmbeddedBusy, EmbeddedValkey
from server.errors import LoopwireError
from server.runs.points import Point, nowhere
from server.settings import Settings
from server.store import DatabaseInUse, Store
from server.tasks import Tasks
from server.ws.serving import Server, config


def main(point: Point = nowhere) -> int:
    """Run one command and return the exit code; `point` hears what places a run passes."""
    parser = argparse.ArgumentParser(prog="python -m server", description="Loopwire, a conversation server.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="web and worker in one process, with every part that is not configured")
    commands.add_parser("web", help="the web server; executes runs too unless LOOPWIRE_WORKERS_IN_WEB=0")
    commands.add_parser("worker", help="executes runs for web servers; needs REDIS_URL and DATABASE_URL")
    commands.add_parser("doctor", help="looks at the settings and the parts, and says what is wrong")
    chosen = parser.parse_args().command
    try:
        settings = Settings()
    except ValidationError as error:
        for each in error.errors():
            _complain(f"{'.'.join(map(str, each['loc']))}: {each['msg']}")
        return 2
    log.setup(settings.log_level)
    try:
        return _run(chosen, settings, point)
    except (AppsError, DatabaseInUse, EmbeddedBusy, LoopwireError, OSError) as error:
        _complain(getattr(error, "message", None) or str(error))
        return 1


def _run(command: str, settings: Settings, point: Point) -> int:
    if command == "doctor":
        return _in_loop(_examine(settings))
    if command == "worker":
        if settings.redis_url is None or settings.database_url is None:
            _complain(
                "A separate worker needs REDIS_URL and DATABASE_URL, the same as the web processes have."
            )
            return 2
        return _in_loop(_work(settings, settings.redis_url, point))
    executes = command == "serve" or settings.workers_in_web
    with _redis(settings) as (redis_url, notice):
        capacity = settings.runs_at_once if executes else 0
        return _in_loop(_serve(settings, redis_url, notice, capacity, point))


@contextmanager
def _redis(settings: Settings) -> Iterator[tuple[str, str | None]]:
    """Give the URL of Redis, and the sentence that its stand-in wants said; start ours when none is named."""
    if settings.redis_url is not None:
        yield settings.redis_url, None
        return
    embedded = EmbeddedValkey(settings.data_dir)
    url = embedded.start()
    try:
        yield url, embedded.notice
    finally:
        embedded.stop()


def _in_loop(work: Coroutine[Any, Any, int]) -> int:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


async def _serve(settings: Settings, redis_url: str, notice: str | None, capacity: int, point: Point) -> int:
    async with opened(settings, redis_url, capacity=capacity, point=point) as ready:
        web = Web(settings, ready)
        serving = config(
            web, host=settings.host, port=settings.port, trusted_proxies=settings.trusted_proxies
        )
        settle()
        server = Server(
            serving, web.drain, lambda port: print(_banner(settings, port, notice, capacity), flush=True)
        )
        await server.serve()
        await web.aclose()
    return 0 if server.started else 1


async def _work(settings: Settings, redis_url: str, point: Point) -> int:
    """Execute runs until told to stop; then let them end, or give them to others when told again."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop.set)
    async with opened(settings, redis_url, capacity=settings.runs_at_once, point=point) as ready:
        settle()
        print(f"Loopwire {__version__} worker: {settings.runs_at_once} runs at once", flush=True)
        await stop.wait()
        stop.clear()
        tasks = Tasks()
        ending = tasks.spawn(ready.end_runs(), name="end runs")
        again = tasks.spawn(stop.wait(), name="stop again")
        await asyncio.wait({ending, again}, return_when=asyncio.FIRST_COMPLETED)
        await tasks.aclose()
    return 0


async def _examine(settings: Settings) -> int:
    """Try every part and say in a sentence what is wrong with it; 0 when nothing is."""
    findings = [
        ("settings", None),
        ("secret", _secret_trouble(settings)),
        ("database", await _database_trouble(settings)),
        ("redis", await _redis_trouble(settings)),
    ]
    for name, trouble in findings:
        print(f"{'ok  ' if trouble is None else 'FAIL'}  {name:<9} {trouble or ''}".rstrip())
    if settings.demo:
        print("note  model     OPENAI_API_KEY is not set: the demo model answers")
    if missing := _shared_secret_missing(settings):
        print(f"note  secret    {missing}")
    if not is_loopback(settings.host) and not settings.secure_cookies:
        print("note  cookies   behind HTTPS, set LOOPWIRE_SECURE_COOKIES=1")
    return 1 if any(trouble for _, trouble in findings) else 0


def _secret_trouble(settings: Settings) -> str | None:
    try:
        return None if settings.secret else "LOOPWIRE_SECRET is empty"
    except OSError as error:
        return f"the data folder cannot be written: {error}"


async def _database_trouble(settings: Settings) -> str | None:
    try:
        store = await Store.open(settings.database_url, data_dir=settings.data_dir)
    except (DatabaseInUse, LoopwireError, OSError) as error:
        return getattr(error, "message", None) or str(error)
    await store.aclose()
    return None


async def _redis_trouble(settings: Settings) -> str | None:
    if settings.redis_url is None:
        return None
    bus = Bus(settings.redis_url)
    try:
        return None if await bus.ping() else "REDIS_URL does not answer"
    finally:
        await bus.aclose()


def _banner(settings: Settings, port: int, notice: str | None, capacity: int) -> str:
    """Say where, with what, and whether the answers are a demo's."""
    shown = "localhost" if settings.host in {"0.0.0.0", "::"} else settings.host  # noqa: S104 - shown, not bound.
    model = "demo model (no OPENAI_API_KEY: answers are scripted)" if settings.demo else settings.model
    lines = [
        f"Loopwire {__version__}  http://{f'[{shown}]' if ':' in shown else shown}:{port}",
        f"  model     {model}",
        f"  live      {'REDIS_URL' if settings.redis_url else 'embedded Valkey'}",
        f"  database  {'DATABASE_URL' if settings.database_url else f'SQLite in {settings.data_dir}'}",
        f"  runs      {f'up to {capacity} at once here' if capacity else 'left to workers'}",
    ]
    notes = [each for each in (notice, _shared_secret_missing(settings)) if each]
    return "\n".join([*lines, *(f"  note      {each}" for each in notes)])


def _shared_secret_missing(settings: Settings) -> str | None:
    """Several processes must sign alike; one alone may keep a secret of its own."""
    if settings.database_url is None or settings.redis_url is None or settings.secret_text is not None:
        return None
    return "set LOOPWIRE_SECRET to the same value in every process, or visitors are strangers to the others"


def _complain(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
