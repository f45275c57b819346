"""Serve the web: the page is open before the agents are loaded. Executes runs too, unless that is left to workers."""

import asyncio
from collections.abc import Callable
from importlib import import_module

import uvloop

from server import __version__, apps
from server.cli.notes import secret_note
from server.front import Front
from server.settings import Settings
from server.store import Store
from server.tasks import Tasks
from server.ws.serving import Server, config


def run(settings: Settings, point: Callable[[str], None] | None) -> int:
    """Web and worker in one process, with every part that is not configured."""
    return _in_loop(settings, settings.runs_at_once, point)


def web(settings: Settings, point: Callable[[str], None] | None) -> int:
    """The web server of many processes."""
    return _in_loop(settings, settings.runs_at_once if settings.workers_in_web else 0, point)


def _in_loop(settings: Settings, capacity: int, point: Callable[[str], None] | None) -> int:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, capacity, point))
    return 0


async def _serve(settings: Settings, capacity: int, point: Callable[[str], None] | None) -> None:
    known = apps.load(settings.apps)
    store = await Store.open(settings.database_url, data_dir=settings.data_dir)
    tasks = Tasks()
    try:
        front = Front(settings, store, known)
        serving = config(
            front, host=settings.host, port=settings.port, trusted_proxies=settings.trusted_proxies
        )
        server = Server(
            serving, front.drain, lambda port: print(_banner(settings, port, capacity), flush=True)
        )
        answering = tasks.spawn(server.serve(), name="http")
        try:
            # In a thread of its own, so that the page is served meanwhile.
            root = await asyncio.to_thread(import_module, "server.app")
            if not front.leaving and not answering.done():
                async with root.house(settings, front, capacity=capacity, point=point) as notice:
                    if notice:
                        print(f"  note      {notice}", flush=True)
                    await answering
            await answering
        finally:
            front.shut()
            server.should_exit = True
            await asyncio.wait({answering})
    finally:
        await tasks.aclose()
        await store.aclose()


def _banner(settings: Settings, port: int, capacity: int) -> str:
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
    note = secret_note(settings)
    return "\n".join([*lines, *([f"  note      {note}"] if note else [])])
