"""Addresses that operators write into settings and files: what each has to look like."""


def require_origin(text: str) -> None:
    """Raise ValueError for what is not an exact origin."""
    scheme, _, rest = text.partition("://")
    if scheme not in {"http", "https"} or not rest or "*" in rest or "/" in rest:
        raise ValueError(f"{text!r} is not an exact origin such as https://shop.example")
