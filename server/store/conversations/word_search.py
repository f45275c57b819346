"""The words of a search for conversations, as conditions of SQL.

A word is found anywhere in a text, without regard to case (in SQLite: to that of ASCII letters).
"""

import re
from typing import Any

from sqlalchemy import ColumnElement, exists, func, or_

from server.store.tables import messages, sessions

MOST_SEARCHED = 200
"""Characters of one search; what is longer is cut off."""

MOST_WORDS = 8
"""Words of one search; further ones are not looked at."""

_SPECIAL = re.compile(r"([\\%_])")
_ESCAPED = r"\\\1"


def search_words(words: str | None) -> list[str]:
    """Return the words that are looked for."""
    return (words or "")[:MOST_SEARCHED].lower().split()[:MOST_WORDS]


def title_has(word: str) -> ColumnElement[bool]:
    """Return the condition that the title of a session has this word."""
    return _has(sessions.c.title, word)


def session_has(word: str) -> ColumnElement[bool]:
    """Return the condition that a session has this word in its title or in a text of its messages."""
    text = messages.c.body["content"].as_string()
    return or_(title_has(word), exists().where(messages.c.session_id == sessions.c.id, _has(text, word)))


def _has(text: Any, word: str) -> ColumnElement[bool]:
    pattern = f"%{_SPECIAL.sub(_ESCAPED, word)}%"
    return func.lower(text).like(pattern, escape="\\")
