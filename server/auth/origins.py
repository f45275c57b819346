"""The origins that may open sockets and call the API: the server's own, and those that are configured exactly."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from server import patterns
from server.errors import ForeignOrigin

Headers = Mapping[str, str]

_DEFAULT_PORTS = {"http://": ":80", "https://": ":443"}


def headers_of(scope: Mapping[str, Any]) -> dict[str, str]:
    """Read a scope's headers; a header that comes twice counts as its first value."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
    return found


_OTHER_NAMES = {"localhost": "127.0.0.1", "127.0.0.1": "localhost"}

_host_shape = patterns.compile(r"(?:[A-Za-z0-9._~%!$&'()*+,;=-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?\Z")


def names_one_host(scope: Mapping[str, Any]) -> bool:
    """Return whether a request has exactly one well-formed Host (RFC 9112 §3.2); HTTP/1.0 may leave it out."""
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"host"]
    if not hosts:
        return bool(scope.get("http_version") == "1.0")
    return len(hosts) == 1 and _host_shape.match(hosts[0]) is not None


class Origins:
    """Judges the `Origin` and `Host` headers of requests."""

    def __init__(self, allowed: frozenset[str], *, loopback: bool) -> None:
        """`allowed` besides our own; with `loopback` only this machine's names are taken for our own."""
        self._allowed = allowed
        self._loopback = loopback

    def accepts(self, scheme: str, headers: Headers) -> bool:
        """Return whether the origin is the server's own or allowed.

        A missing origin is allowed: browsers never leave it out.
        """
        origin = headers.get("origin")
        if origin is None or origin in self._allowed:
            return True
        return self.is_own(scheme, headers)

    def is_own(self, scheme: str, headers: Headers) -> bool:
        """Return whether the origin is named and is the server's own: pages of allowed origins are other sites."""
        origin = headers.get("origin")
        host = headers.get("host", "")
        if origin is None or not self.knows_host(host):
            return False
        secure = "https" if scheme in {"wss", "https"} else "http"
        return _without_default_port(origin) == _without_default_port(f"{secure}://{host}")

    def normalize(self, scheme: str, headers: Headers, origin: str) -> str:
        """Return an origin that a program names for a page, as browsers write it. Raises ForeignOrigin."""
        written = _without_default_port(origin)
        if not self.accepts(scheme, {**headers, "origin": written}):
            raise ForeignOrigin
        return written

    def possible(self, scheme: str, headers: Headers) -> tuple[str | None, ...]:
        """Return the origins whose pages may have sent a request: a browser names none when a page reads its own."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None:
            return (origin,)
        own = _without_default_port(f"{scheme}://{headers.get('host', '')}")
        if site is None:  # The client is a program, or a page on plain HTTP.
            return (None, own)
        return (own, *self._allowed) if site == "same-origin" else ()

    def knows_host(self, host: str) -> bool:
        """Return whether the Host may name this server: one that serves only this machine refuses foreign names."""
        if not self._loopback or any(each.endswith(f"://{host}") for each in self._allowed):
            return True
        name = host.rpartition(":")[0] if _has_port(host) else host
        return is_loopback(name.strip("[]"))

    def other_site(self, scheme: str, host: str) -> str:
        """Return our origin under the other name of this machine, which is another site to a browser; none is empty.

        A page at `127.0.0.1` shows so what a frame on another site does. A server of many machines has no such name.
        """
        name, colon, port = host.partition(":")
        if not self._loopback or name not in _OTHER_NAMES:
            return ""
        return f"{scheme}://{_OTHER_NAMES[name]}{colon}{port}"


def is_loopback(host: str) -> bool:
    """Return whether this is a name or address of this machine only."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and (host.startswith("[") or host.count(":") == 1)


def _without_default_port(origin: str) -> str:
    written = origin.lower()
    port = next((port for scheme, port in _DEFAULT_PORTS.items() if written.startswith(scheme)), "")
    return written.removesuffix(port)
