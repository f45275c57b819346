"""The command serves the web: the page opens before the agents are loaded. It executes runs too, unless workers do."""

import asyncio
from collections.abc import Callable
from importlib import import_module

import uvloop

from server import __version__, apps
from server.cli.access import access_notes
from server.cli.hard_deadline import in_time
from server.cli.notes import open_note, secret_note
from server.cli.wait_for_database import Storage, open_or_exit, require_addresses, wait_for_storage
from server.http.application import Application, State
from server.http.server import Server, config
from server.settings import Settings
from server.tasks import Tasks


def run(settings: Settings, point: Callable[[str], None] | None) -> int:
    """Run web and worker in one process, with every part that is not configured."""
    return _in_loop(settings, settings.runs_at_once, point)


def web(settings: Settings, point: Callable[[str], None] | None) -> int:
    """Return the web server of many processes."""
    capacity = settings.runs_at_once if settings.workers_in_web else 0
    return _in_loop(settings, capacity, point, patient=settings.database_url is not None)


def _in_loop(
    settings: Settings, capacity: int, point: Callable[[str], None] | None, *, patient: bool = False
) -> int:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, capacity, point, patient=patient))
    return 0


async def _serve(
    settings: Settings, capacity: int, point: Callable[[str], None] | None, *, patient: bool = False
) -> None:
    """Serve until a signal stops it; `patient` opens the port first, and waits for a database that is not there yet."""
    known = apps.load(settings.apps)
    application, tasks = Application(settings, known), Tasks()
    require_addresses(settings)
    storage = None if patient else await open_or_exit(settings, known)
    try:
        if storage is not None:
            application.use_storage(storage.store, storage.cores)
        serving = config(
            application,
            host=settings.host,
            port=settings.port,
            trusted_proxies=settings.trusted_proxies,
            limits=settings,
        )
        server = Server(
            serving,
            in_time(application.drain, settings.drain_seconds),
            lambda port: print(_banner(settings, port, capacity), flush=True),
        )
        answering = tasks.spawn(server.serve(), name="http")
        try:
            if storage is None:
                storage = await wait_for_storage(settings, known, answering)
                if storage is not None:
                    application.use_storage(storage.store, storage.cores)
            if storage is not None:
                await _run_backend(settings, application, storage, answering, capacity, point)
            await answering
        finally:
            server.should_exit = True
            await asyncio.wait({answering})
    finally:
        await tasks.aclose()
        if storage is not None:
            await storage.aclose()


async def _run_backend(
    settings: Settings,
    application: Application,
    storage: Storage,
    answering: asyncio.Task[None],
    capacity: int,
    point: Callable[[str], None] | None,
) -> None:
    """Load and open the backend, for as long as the port is served."""
    try:
        # Import in a thread, so that the page is served meanwhile.
        root = await asyncio.to_thread(import_module, "server.app")
        if application.state is State.LOADING and not answering.done():
            async with root.open_backend(
                settings, application, storage.store, storage.cores, capacity=capacity, point=point
            ) as notice:
                if notice:
                    print(f"  note      {notice}", flush=True)
                await answering
    finally:
        application.refuse_waiting()


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
    notes = [secret_note(settings), open_note(settings), *access_notes(settings)]
    return "\n".join([*lines, *(f"  note      {each}" for each in notes if each)])
