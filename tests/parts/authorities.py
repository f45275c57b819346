"""The certificates that HTTP clients trust, read once: a client of httpx2 reads the file anew, which takes 35 ms."""

from functools import cache
from importlib import import_module
from typing import Any


def read_authorities_once() -> None:
    """Let all HTTP clients of this process, and of its forks, share one context; no test changes it."""
    core: Any = import_module("httpcore2")
    if not hasattr(core.default_ssl_context, "cache_info"):
        core.default_ssl_context = cache(core.default_ssl_context)
