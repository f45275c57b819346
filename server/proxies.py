"""The trusted proxies, whose word about address and scheme is believed, and the address that limits count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from server import patterns

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

SETTING = "LOOPWIRE_TRUSTED_PROXIES"
UNIX = "unix"
"""In the setting: a proxy that connects by a Unix socket, which has no address."""

MOST_HOPS = 32
HEADERS = (b"x-forwarded-for", b"x-forwarded-proto", b"forwarded")

_SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
_PAIR = patterns.compile(r"""\s*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))\s*([;,]|$)""")


@dataclass(frozen=True, slots=True)
class RequestSource:
    """The origin of a request: the client's address, None for a Unix socket, and its scheme where that is known."""

    client: str | None
    scheme: str | None = None


class Proxies:
    """The proxies of an installation."""

    def __init__(self, networks: Iterable[Network], *, unix: bool = False) -> None:
        """Believe a proxy that connects from these networks, and with `unix` by a Unix socket."""
        self._networks = tuple(networks)
        self._unix = unix
        self._holds = lru_cache(maxsize=4096)(self._lies_within)

    @classmethod
    def parse(cls, text: str) -> "Proxies":
        """Read addresses and networks, comma-separated. Raises ValueError with a sentence for the operator."""
        names = [each for each in (part.strip() for part in text.split(",")) if each]
        return cls([_network(each) for each in names if each != UNIX], unix=UNIX in names)

    def __bool__(self) -> bool:
        """Return whether any proxy is trusted."""
        return self._unix or bool(self._networks)

    def trusts(self, peer: str | None) -> bool:
        """Return whether this peer of a connection is a trusted proxy."""
        if peer is None:
            return self._unix
        address = parsed_address(peer)
        return address is not None and self._holds(address)

    def source(self, peer: str | None, headers: Iterable[tuple[bytes, bytes]]) -> RequestSource:
        """Return the origin of a request that a trusted peer passes on.

        Each proxy appends the address of its peer, so that only the addresses on the right are written by trusted ones:
        from there on the first address that is no trusted proxy's is the client's. A proxy writes either
        `X-Forwarded-For` or `Forwarded` and lets the other pass as the client sent it: where both come and differ,
        neither is believed.
        """
        values = _values(headers)
        standard = _elements(values[b"forwarded"])
        fors, protos = _parts(values[b"x-forwarded-for"]), _parts(values[b"x-forwarded-proto"])
        hops, schemes = (
            [each.get("for", "") for each in standard],
            [each.get("proto", "") for each in standard],
        )
        usual, other = self._walk(peer, fors), self._walk(peer, hops)
        if fors and values[b"forwarded"] and usual[0] != other[0]:
            return RequestSource(peer)
        client, steps = usual if fors else other
        scheme = _scheme_of(protos, steps, len(fors)) if protos else _scheme_of(schemes, steps, len(hops))
        return RequestSource(client, scheme)

    def _walk(self, peer: str | None, hops: Sequence[str]) -> tuple[str | None, int]:
        """Follow what the proxies wrote from the right; give the client, and how many steps it is away."""
        client, steps = peer, 0
        for hop in reversed(hops[-MOST_HOPS:]):
            address = parsed_address(hop)
            if address is None:
                # The hop is `unknown` or no address: the proxy that wrote it is the last known one.
                break
            client, steps = str(address), steps + 1
            if not self._holds(address):
                break
        return client, steps

    def _lies_within(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def parsed_address(text: str) -> Address | None:
    """Read an address as a connection or a header names it, with or without a port; a mapped IPv4 one is IPv4."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


@lru_cache(maxsize=4096)
def counted_address(text: str) -> str:
    """Return what limits count as one address: of IPv6 the /64, which is the least that one customer is given."""
    address = parsed_address(text)
    if isinstance(address, IPv6Address):
        return str(IPv6Network((int(address) >> 64 << 64, 64)))
    return text if address is None else str(address)


def counted_client(scope: Mapping[str, Any]) -> str:
    """Return what limits count as the address of a request's client; empty over a Unix socket."""
    client = scope.get("client")
    return counted_address(client[0]) if client else ""


def _network(text: str) -> Network:
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        raise ValueError(
            f"{text!r} is not an address or a network such as 10.0.0.7 or 10.0.0.0/8, or {UNIX}: "
            "name the proxies that stand in front"
        ) from None
    if not network.prefixlen:
        raise ValueError(f"{text!r} is every address: name the proxies that stand in front")
    return network


def _values(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, str]:
    """Join the lines of each header of ours, in their order."""
    lines: dict[bytes, list[bytes]] = {name: [] for name in HEADERS}
    for name, value in headers:
        if name.lower() in lines:
            lines[name.lower()].append(value)
    return {name: b",".join(found).decode("latin-1") for name, found in lines.items()}


def _parts(value: str) -> list[str]:
    return [each.strip() for each in value.split(",")] if value.strip() else []


def _elements(value: str) -> list[dict[str, str]]:
    """Read `Forwarded` (RFC 7239), one element a proxy; nothing of a value that is broken anywhere."""
    elements: list[dict[str, str]] = [{}]
    position = 0
    while position < len(value):
        pair = _PAIR.match(value, position)
        if pair is None:
            return []
        elements[-1][pair[1].lower()] = pair[2] if pair[2] is not None else pair[3]
        if pair[4] == ",":
            elements.append({})
        position = pair.end()
    return elements if elements != [{}] else []


def _scheme_of(schemes: Sequence[str], steps: int, hops: int) -> str | None:
    """Return the scheme that the client used: that of its own hop where each has one, else the nearest proxy's."""
    if not schemes:
        return None
    own = schemes[-steps] if steps and len(schemes) == hops else schemes[-1]
    return _SCHEMES.get(own.lower())
