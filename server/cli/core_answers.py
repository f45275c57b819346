"""The answers of the LoopOS Cores that the apps name, for `doctor`."""

import asyncio
from collections.abc import Iterator, Mapping

from server.apps import App
from server.errors import CannotStart, CoreUnavailable, LoopwireError
from server.loopos.remote.core_factory import open_remote
from server.loopos.remote.failures import CoreFailure
from server.loopos.remote.http_core import HttpCore
from server.settings import environment_secret

_HINTS = {
    "address": "its address is not a public one: private_network allows it",
    "connect": "nobody listens there, or its name or certificate is wrong",
    "refused": "it refuses us, or is no such Core: look at the token and the base address",
    "contract": "its answer does not fit the contract in docs/core",
}


async def core_troubles(apps: Mapping[str, App]) -> str | None:
    """Return what is wrong with the Cores, a sentence for each; None when all answer, or there are none."""
    if not any(app.cores for app in apps.values()):
        return None
    try:
        cores = open_remote(apps, environment_secret)
    except CannotStart as error:
        return str(error)
    try:
        found = await asyncio.gather(*(_trouble(each) for each in cores.values()))
    finally:
        for each in cores.values():
            await each.aclose()
    return "; ".join(_sentences(apps, dict(zip(cores, found, strict=True)))) or None


def _sentences(apps: Mapping[str, App], troubles: Mapping[tuple[str, str], str | None]) -> Iterator[str]:
    for (app, name), trouble in troubles.items():
        if trouble is not None:
            address = apps[app].cores[name].base_url
            yield f"the Core of [{app}]{f' ({name})' if name else ''} at {address} {trouble}"


async def _trouble(core: HttpCore) -> str | None:
    try:
        await core.require_answer()
    except CoreUnavailable as error:
        return f"gives no usable answer ({error.__cause__}){_hint(error.__cause__)}"
    except LoopwireError:
        return "says that it does not exist: look at the base address"
    return None


def _hint(failure: BaseException | None) -> str:
    hint = _HINTS.get(failure.reason) if isinstance(failure, CoreFailure) else None
    return f": {hint}" if hint else ""
