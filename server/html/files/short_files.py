"""The scripts and sheets of the page without spaces and comments, their local names replaced by short ones.

Where the library has no wheel, or fails, the texts stay as they are: the page works, and takes longer to load.
"""

import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PROGRAM = Path(__file__).with_name("minifier.py")
_MINIFIER_S = 30
"""Seconds that the minifier may take."""

log = logging.getLogger(__name__)


def minifier_version() -> str:
    """Return the version of what shortens files; nothing where it is not installed."""
    try:
        return version("tdewolff-minify")
    except PackageNotFoundError:
        return ""


def short_texts(texts: Mapping[str, str]) -> dict[str, str]:
    """Return these scripts and sheets shortened, by their paths. It takes a process of its own, some 200 ms."""
    if not minifier_version():
        return dict(texts)
    command = [sys.executable, "-I", str(_PROGRAM)]
    try:
        made = subprocess.run(  # noqa: S603 - our own program and arguments.
            command,
            input=json.dumps(texts),
            capture_output=True,
            check=True,
            encoding="utf-8",
            timeout=_MINIFIER_S,
        )
        shorter: dict[str, str] = json.loads(made.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        log.exception("files of the page are served as they are written: they could not be shortened")
        return dict(texts)
    return shorter
