"""A parser of redis-py that takes all answers of one read of the socket together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import hiredis

try:
    from redis._parsers.hiredis import NOT_ENOUGH_DATA
except ImportError:  # A private name of redis-py: without it the messages are read one by one.
    NOT_ENOUGH_DATA = None


def beyond(connection: Any) -> Iterator[Any]:
    """Yield what a connection of redis-py has received whole after its last answer; an error is given, not raised.

    To ask `read_response` for each of them costs several times what the parser does. Nothing is given where the parser
    is not the one that is known: then `read_response` gives it.
    """
    reader = getattr(getattr(connection, "_parser", None), "_reader", None)
    if NOT_ENOUGH_DATA is None or not isinstance(reader, hiredis.Reader):
        return
    while (found := reader.gets(False)) is not NOT_ENOUGH_DATA:
        yield found
