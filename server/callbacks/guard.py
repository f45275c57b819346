"""The guard of callback addresses: it checks the name when it is given, and the resolved address when it connects.

The second check and the connection use the same resolved address, so that a name which resolves to another address
the next time gains nothing.
"""

from collections.abc import Callable, Coroutine, Iterable
from copy import copy
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import httpcore2
import httpx2

from server.callbacks.name_lookups import NameLookups
from server.errors import UrlNotAllowed
from server.limits import Limits

MOST_URL = 2048
HTTPS = 443
HTTP = 80

PLAIN_TOO = "This address may not be called: http at port 80 or https at port 443, at public addresses."

Resolve = Callable[[str, str], Coroutine[Any, Any, list[str]]]
"""Return the addresses of a host, for a caller."""

_NAT64 = ip_network("64:ff9b::/96")
_NOT_GLOBAL = [
    ip_network(each)
    for each in ("192.0.0.0/24", "192.88.99.0/24", "64:ff9b:1::/48", "2002::/16", "168.63.129.16/32")
]
"""Networks that some versions of `ipaddress` take for global, and that are not. The last one is Azure's, which tells
each of its machines about itself there by plain HTTP."""


def public(address: str) -> bool:
    """Return whether this address belongs to the public internet, also when another form wraps it."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        inner = _inside(ip)
        if inner is not None:
            return public(str(inner))
        if ip.is_site_local:
            return False
    if any(ip in each for each in _NOT_GLOBAL):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


def _inside(ip: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address stands for, if it does. Other forms that carry one are refused."""
    return IPv4Address(int(ip) & 0xFFFF_FFFF) if ip in _NAT64 else ip.ipv4_mapped


class Guard(httpcore2.AsyncNetworkBackend):
    """Opens connections to public addresses at port 443, and to the hosts that the operator named.

    A guard `with_plain_http` opens those to port 80 of public addresses too.

    Each guard looks names up by itself: the callers of one do not wait for names that the callers of another give.
    """

    def __init__(
        self,
        trusted: Iterable[str] = (),
        *,
        resolve: Resolve | None = None,
        limits: Limits | None = None,
    ) -> None:
        """`trusted` are `host:port` that may be anywhere and speak plain HTTP; `limits` say how many names wait
        to be looked up for one caller."""
        self._trusted = frozenset(trusted)
        self._resolve = resolve or NameLookups(limits).resolve
        self._caller = ""
        self._plain = False
        self.network: httpcore2.AsyncNetworkBackend = httpcore2.AnyIOBackend()
        """Connects to the addresses that were judged."""

    def for_caller(self, caller: str) -> "Guard":
        """Return this guard for one caller, whose lookups of names are bounded by themselves."""
        other = copy(self)
        other._caller = caller
        return other

    def with_plain_http(self) -> "Guard":
        """Return this guard for what is read alone, such as pictures: public addresses by http at port 80 too."""
        other = copy(self)
        other._plain = True
        return other

    async def judge(self, text: str) -> httpcore2.URL:
        """Return the URL in the parts that will be used. Raises UrlNotAllowed.

        Raises RateLimited and Unavailable where too many names are being looked up, as connecting does.
        """
        url = parse_url(text)
        port = url.port or (HTTPS if url.scheme == "https" else HTTP)
        if not self._trusts(url.host, port):
            if (url.scheme, port) != ("https", HTTPS) and not (
                self._plain and (url.scheme, port) == ("http", HTTP)
            ):
                raise self._refusal()
            await self._addresses(url.host)
        return httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the address that was judged, not to the name."""
        if not self._trusts(host, port):
            if port != HTTPS and not (self._plain and port == HTTP):
                raise self._refusal()
            host = (await self._addresses(host))[0]
        return await self.network.connect_tcp(host, port, timeout, local_address, socket_options)

    def _trusts(self, host: str, port: int) -> bool:
        named = f"[{host}]" if ":" in host else host
        return f"{named}:{port}" in self._trusted

    async def _addresses(self, host: str) -> list[str]:
        """Return the addresses of a host when all of them are public: one that is not spoils the name."""
        try:
            found = await self._resolve(host, self._caller)
        except (OSError, TimeoutError, UnicodeError) as error:
            raise self._refusal() from error
        if not found or not all(map(public, found)):
            raise self._refusal()
        return found

    def _refusal(self) -> UrlNotAllowed:
        return UrlNotAllowed(PLAIN_TOO) if self._plain else UrlNotAllowed()


def parse_url(text: str) -> httpx2.URL:
    """Read a URL by the parser whose parts are connected to. Raises UrlNotAllowed."""
    if len(text) > MOST_URL or not text.isascii() or set(text) & set(" \\<>\"'`{}|^"):
        raise UrlNotAllowed
    try:
        url = httpx2.URL(text)
        host = url.host  # Decodes what begins with `xn--`, and raises a UnicodeError where it cannot.
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise UrlNotAllowed from error
    if url.scheme not in {"http", "https"} or not host or url.userinfo:
        raise UrlNotAllowed
    return url
