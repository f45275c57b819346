"""The command checks the settings, tries every part, and says in a sentence what is wrong with it."""

import asyncio
import time
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from socket import gaierror
from urllib.parse import urlsplit

from server import apps, prices
from server.agents.model.probe import model_trouble
from server.auth import is_loopback
from server.bus import Bus, require_address
from server.cli.access import access_notes
from server.cli.core_answers import core_troubles
from server.cli.notes import folder_trouble, secret_note
from server.cli.port import port_note
from server.cli.wait_for_database import require_database
from server.errors import CannotStart, LoopwireError, Unavailable
from server.limits import Limits, limit_texts
from server.mcp import examine_servers
from server.services import require_known, services
from server.settings import Settings, names, strange_names
from server.store import DatabaseInUse, Store

POSTGRESQL_PORT = 5432
REDIS_PORT = 6379
NO_EVICTION = "noeviction"
NOBODY = (
    "no process executes runs now: `serve` and `web` do by themselves unless LOOPWIRE_WORKERS_IN_WEB=0, "
    "or start a worker"
)
OTHER_PROCESS_S = 5.0
"""Seconds that `doctor` waits for another process that makes the tables."""

ALIKE = 0.8
"""The least likeness, 0 to 1, at which a name is taken for a misspelled one; names with our prefix begin alike."""


def run(settings: Settings, point: Callable[[str], None] | None) -> int:
    """Examine; 0 when nothing is wrong."""
    return asyncio.run(_examine(settings))


async def _examine(settings: Settings) -> int:
    model, note = await model_trouble(settings)
    database, remark = await _database_trouble(settings)
    redis, works, policy = await _redis_trouble(settings)
    wrong_apps = _apps_trouble(settings)
    cores = None if wrong_apps else await core_troubles(apps.load(settings.apps))
    findings = [
        ("settings", None, ""),
        ("secret", _secret_trouble(settings), ""),
        ("apps", wrong_apps, ""),
        ("cores", cores, ""),
        ("database", database, remark),
        ("redis", redis, ""),
        ("model", model, ""),
        *([] if wrong_apps else await _tool_servers(settings)),
    ]
    for name, trouble, fine in findings:
        said = fine if trouble is None else trouble
        print(f"{'ok  ' if trouble is None else 'FAIL'}  {name:<9} {said}".rstrip())
    for about, worth in [*_notes(settings, policy, nobody=redis is None and not works), ("model", note)]:
        if worth:
            print(f"note  {about:<9} {worth}")
    for line in _limits(settings):
        print(f"limit {line}")
    return 1 if any(trouble for _, trouble, _ in findings) else 0


def _notes(settings: Settings, policy: str, *, nobody: bool) -> Iterator[tuple[str, str | None]]:
    """Yield what is not wrong, yet an operator should know, and what each is about."""
    for each in strange_names():
        yield "settings", _not_a_setting(each)
    if settings.database_url and nobody:
        yield "workers", NOBODY
    if policy not in {"", NO_EVICTION}:
        yield (
            "redis",
            f"maxmemory-policy is {policy}: set it to {NO_EVICTION}, or a full Redis forgets what is read",
        )
    yield "secret", secret_note(settings)
    yield from (("files", each) for each in access_notes(settings))
    yield "port", port_note(settings)
    if not is_loopback(settings.host) and not settings.secure_cookies:
        yield "cookies", "behind HTTPS, set LOOPWIRE_SECURE_COOKIES=1"
    yield "proxies", _proxy_note(settings)


def _proxy_note(settings: Settings) -> str | None:
    """Return the note that HTTPS ends at a proxy, where others reach us."""
    if settings.trusted_proxies or (is_loopback(settings.host) and not settings.secure_cookies):
        return None
    return (
        "no proxy is believed: if one stands in front, set LOOPWIRE_TRUSTED_PROXIES to its address, "
        "or all visitors share the limits of one address and their https counts as http"
    )


def _limits(settings: Settings) -> Iterator[str]:
    """Yield each limit that was changed beside its default, and how many were not."""
    set_, defaults = limit_texts(settings), limit_texts(Limits())
    changed = [setting for setting, text in set_.items() if text != defaults[setting]]
    for setting in changed:
        yield f"{setting} {set_[setting]} (the default is {defaults[setting]})"
    yield f"{len(defaults) - len(changed)} others are as docs/settings.md lists them"


def _not_a_setting(name: str) -> str:
    near = get_close_matches(name, names(), n=1, cutoff=ALIKE)
    return f"{name} is not a setting" + (f": is {near[0]} meant?" if near else "")


def _secret_trouble(settings: Settings) -> str | None:
    try:
        return None if settings.secret else "LOOPWIRE_SECRET is empty"
    except OSError as error:
        return folder_trouble(settings, error) or str(error)


def _apps_trouble(settings: Settings) -> str | None:
    try:
        known = services()
        prices.load(settings.prices)
        require_known(apps.load(settings.apps), known, model_search=settings.model_search)
        for service in known.values():
            service.team()
    except CannotStart as error:
        return str(error)
    return None


async def _tool_servers(settings: Settings) -> list[tuple[str, str | None, str]]:
    """Return a finding for each MCP server of the apps: what is wrong, or the tools that agents get."""
    found = await examine_servers(apps.load(settings.apps))
    return [
        ("mcp", each.trouble and f"{each.name}: {each.trouble}", f"{each.name}: {', '.join(each.tools)}")
        for each in found
    ]


async def _database_trouble(settings: Settings) -> tuple[str | None, str]:
    """Return what is wrong with the database, or a remark on one with which nothing is."""
    try:
        require_database(settings)
        store = await Store.open(settings.database_url, data_dir=settings.data_dir, on_wait=_ShortWait())
    except DatabaseInUse:  # A running server holds the lock on its file, as it should.
        return None, "in use by a running server"
    except Unavailable as error:
        return _cause(settings, error.__cause__), ""
    except (CannotStart, LoopwireError, OSError) as error:
        return folder_trouble(settings, error) or getattr(error, "message", None) or str(error), ""
    except Exception as error:  # Drivers raise their own classes, for example for a wrong password.
        return _cause(settings, error), ""
    await store.aclose()
    return None, ""


class _ShortWait:
    """Waits for the tables of another process for the short time that they take when all is well."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def __call__(self, holder: str) -> None:
        if time.monotonic() - self._since > OTHER_PROCESS_S:
            raise CannotStart(f"another process makes its tables, or hangs in doing so ({holder})")


def _cause(settings: Settings, cause: BaseException | None) -> str:
    """Return why the database cannot be reached. An address is shown by host and port alone: it holds a password."""
    if settings.database_url is None:
        return f"the database in {settings.data_dir} cannot be opened: {type(cause).__name__}"
    address = urlsplit(settings.database_url)
    where = f"the server of DATABASE_URL ({address.hostname or 'no host'}:{address.port or POSTGRESQL_PORT})"
    if isinstance(cause, TimeoutError):
        return f"{where} does not answer in time"
    if isinstance(cause, gaierror):
        return f"{where} has a name that is not known"
    if isinstance(cause, OSError):
        return f"{where} cannot be reached"
    origin = getattr(cause, "orig", None) or cause
    return f"{where} refuses us: {type(getattr(origin, '__cause__', None) or origin).__name__}"


async def _redis_trouble(settings: Settings) -> tuple[str | None, bool, str]:
    """Return what is wrong with Redis, whether any process that executes runs listens there, and what it evicts."""
    if settings.redis_url is None:
        return None, True, ""
    try:
        require_address(settings.redis_url)
    except CannotStart as error:
        return str(error), True, ""
    bus = Bus(settings.redis_url)
    try:
        if not await bus.ping():
            where = _redis_address(settings.redis_url)
            return f"the server of REDIS_URL ({where}) does not answer, or takes no writes", True, ""
        return None, bool(await bus.signals.workers()), await bus.eviction()
    except Unavailable:  # The Redis user may not be allowed to ask, which is no fault.
        return None, True, ""
    finally:
        await bus.aclose()


def _redis_address(url: str) -> str:
    """Name the server as far as that is no secret."""
    address = urlsplit(url)
    if address.scheme == "unix":
        return address.path
    return f"{address.hostname or 'localhost'}:{address.port or REDIS_PORT}"
