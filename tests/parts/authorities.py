"""The certificates that HTTP clients trust, read once: a client of httpx2 reads the file anew, which takes 35 ms."""

import os
from functools import cache
from importlib import import_module
from typing import Any


def read_authorities_once() -> None:
    """Let all HTTP clients of this process, and of its forks, share one context for each file of the environment; no
    test changes a context.
    """
    core: Any = import_module("httpcore2")
    read = core.default_ssl_context
    if hasattr(read, "reads_once"):
        return

    @cache
    def read_of(_file: str | None, _folder: str | None, trust_env: bool) -> Any:
        return read(_trust_env=trust_env)

    def read_once(_trust_env: bool = True) -> Any:
        return read_of(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"), _trust_env)

    read_once.reads_once = True  # type: ignore[attr-defined]
    core.default_ssl_context = read_once
