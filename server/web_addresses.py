"""Addresses that operators write into settings and files: what each has to look like."""

from server import patterns

_BASE = patterns.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(?::(?P<port>\d{1,5}))?(?P<path>(?:/[\w.~-]+)*)/*",
    patterns.ASCII,
)
_ORIGIN = patterns.compile(r"https?://[^\s/*,;'\"\\?#@]+")
"""An origin goes into headers of policies, where a space, a comma or a semicolon would begin another value."""

_POST = patterns.compile(r"https?://[^\s/?#@\\<>\"'`{}|^]+(?:/[^\s#\\<>\"'`{}|^]*)?", patterns.ASCII)

_PORTS = {"http": "80", "https": "443"}
MOST_BASE = 2_048


def base_address(text: str) -> str:
    """Return the base address of a server in one form: lower case, no port that is the usual one, no slash at the end.

    Raises ValueError for what is no such address; query, fragment and user name are none of it.
    """
    scheme, mark, rest = text.partition("://")
    host, slash, path = rest.partition("/")
    found = _BASE.fullmatch(f"{scheme}{mark}{host}".lower() + slash + path)
    if found is None or len(text) > MOST_BASE or {".", ".."} & set(found["path"].split("/")):
        raise ValueError("this is not the base address of a server such as https://core.shop.example/")
    port = (found["port"] or _PORTS[found["scheme"]]).lstrip("0")
    if not port or int(port) > 65_535:  # noqa: PLR2004  # the last port
        raise ValueError("a port is a number from 1 to 65535")
    shown = "" if port == _PORTS[found["scheme"]] else f":{port}"
    return f"{found['scheme']}://{found['host']}{shown}{found['path']}"


def require_post_address(text: str) -> None:
    """Raise ValueError for what is no address to post to; a query may be part of it, user name and fragment are not."""
    if _POST.fullmatch(text) is None or len(text) > MOST_BASE:
        raise ValueError("this is not an address such as https://shop.example/loopwire")


def require_origin(text: str) -> None:
    """Raise ValueError for what is not an exact origin."""
    if _ORIGIN.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not an exact origin such as https://shop.example")
