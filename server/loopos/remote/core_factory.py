"""The factory of the clients of LoopOS Cores over HTTP, which the file of apps names."""

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from server.apps import App, CoreAddress
from server.callbacks import Guard
from server.errors import CannotStart
from server.loopos.core import Core
from server.loopos.cores import Cores
from server.loopos.remote.breaker import CircuitBreaker
from server.loopos.remote.endpoint import CoreEndpoint, breaker_of
from server.loopos.remote.exchange import CoreExchange
from server.loopos.remote.http_core import HttpCore

TokenOf = Callable[[str], str | None]
PORTS = {"http": 80, "https": 443}


def trusted_hosts(addresses: list[CoreAddress]) -> frozenset[str]:
    """Return `host:port` of the addresses that may be anywhere, as the guard names them."""
    urls = [urlsplit(each.base_url) for each in addresses if each.private_network]
    return frozenset(f"{_host(each.hostname or '')}:{each.port or PORTS[each.scheme]}" for each in urls)


def _host(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def open_cores(embedded: Core, apps: Mapping[str, App], token_of: TokenOf) -> Cores:
    """Make the Cores of the apps beside the embedded one. Raises CannotStart when a token is missing."""
    return Cores(embedded, apps, open_remote(apps, token_of))


def open_remote(apps: Mapping[str, App], token_of: TokenOf) -> dict[tuple[str, str], HttpCore]:
    """Make the Cores over HTTP, by app and name; nothing is called yet. Raises CannotStart when a token is missing.

    Each address has one circuit breaker, whichever apps have it.
    """
    guard = Guard(trusted_hosts([each for app in apps.values() for each in app.cores.values()]))
    breakers: dict[str, CircuitBreaker] = {}
    remote: dict[tuple[str, str], HttpCore] = {}
    for app, declared in apps.items():
        for name, address in declared.cores.items():
            token = _require_token(app, name, address, token_of)
            if address.base_url not in breakers:
                breakers[address.base_url] = breaker_of(address.base_url)
            exchange = CoreExchange(address.base_url, guard, token=token)
            remote[app, name] = HttpCore(CoreEndpoint(address.base_url, exchange, breakers[address.base_url]))
    return remote


def _require_token(app: str, name: str, address: CoreAddress, token_of: TokenOf) -> str | None:
    if address.token_variable is None:
        return None
    token = token_of(address.token_variable)
    if token is None or not (token.isascii() and token.isprintable()):
        key = f"other_cores.{name}.token_variable" if name else "core_token_variable"
        problem = "is not set" if token is None else "has characters that no header may have"
        raise CannotStart(f"LOOPWIRE_APPS: [{app}] {key} names {address.token_variable}, which {problem}.")
    return token
