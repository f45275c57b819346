"""The words that tools show in blocks, from the words of the interface."""

from functools import cache
from pathlib import Path

from server.words import Words

FOLDER = Path(__file__).resolve().parents[3] / "web" / "words"


@cache
def _words() -> Words:
    return Words(FOLDER)


def say(key: str, language: str, **values: object) -> str:
    """Return one sentence in the language; the file of sentences is read once."""
    return _words().say(language, key, **values)
