"""A cookie parser in linear time; the standard library needs quadratic time for quoted values."""

from collections.abc import Mapping


def cookie_values(header: str, name: str) -> list[str]:
    """Return the values that a `Cookie` header gives to a name, in its order; ours are never quoted."""
    pairs = (each.partition("=") for each in header.split(";"))
    return [value.strip() for known, equals, value in pairs if equals and known.strip() == name]


def cookie_value(headers: Mapping[str, str], name: str) -> str:
    """Return the last value of a cookie, empty when there is none."""
    values = cookie_values(headers.get("cookie", ""), name)
    return values[-1] if values else ""
