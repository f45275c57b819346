"""Logs as one JSON object per line, with the ids of the request, session, run and trace that they belong to."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType

from server import patterns

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
session_id: ContextVar[str | None] = ContextVar("session_id", default=None)
run_id: ContextVar[str | None] = ContextVar("run_id", default=None)
trace_id: ContextVar[str | None] = ContextVar("trace_id", default=None)

log = logging.getLogger(__name__)

_MARK = "_loopwire"
_MOST_TEXTS = 100
_STEERS = patterns.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Characters that JSON does not escape and a terminal may act on: DEL, C1, line separators, bidirectional controls."""


_IDS = {"request_id": request_id, "session_id": session_id, "run_id": run_id, "trace_id": trace_id}


class JsonFormatter(logging.Formatter):
    """One record, one line: time, level, logger, text, ids, its own `fields`, and the traceback when there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Render a record; a line break inside a value is escaped by JSON."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, object] = {
            "at": f"{stamp}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "text": record.getMessage(),
        }
        for name, variable in _IDS.items():
            value = getattr(record, name, None) or variable.get()
            if value is not None:
                line[name] = value
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return _STEERS.sub(_escape, json.dumps(line, ensure_ascii=False, default=str))


def _escape(found: patterns.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


OURS = "server"
"""The package whose loggers may write at INFO and DEBUG."""


def _may_write(record: logging.LogRecord) -> bool:
    """Return whether a record is ours, or a warning.

    Libraries write what they handle at INFO and DEBUG: addresses with their query, headers, whole requests. Some set
    a level of their own by the environment, so that the level of the root does not hold them.
    """
    return record.levelno >= logging.WARNING or record.name.partition(".")[0] == OURS


def setup(level: str = "INFO") -> None:
    """Send every logger's lines to standard error; calling it again changes only the level.

    Below WARNING only our own loggers write, whichever libraries an installation uses.
    """
    root, wished = logging.getLogger(), logging.getLevelNamesMapping()[level.upper()]
    for old in [each for each in root.handlers if getattr(each, _MARK, False)]:
        root.removeHandler(old)
    stream = logging.StreamHandler(sys.stderr)
    stream.setFormatter(JsonFormatter())
    stream.addFilter(_may_write)
    setattr(stream, _MARK, True)
    root.addHandler(stream)
    root.setLevel(max(wished, logging.WARNING))
    logging.getLogger(OURS).setLevel(wished)
    # It warns of each broken form, which any client can send.
    logging.getLogger("python_multipart").setLevel(logging.ERROR)
    for quoting in (
        "client",
        "mcp",
    ):  # The MCP client's loggers quote what servers say, which no log may hold.
        logging.getLogger(quoting).setLevel(logging.CRITICAL + 1)


class RepeatLimit(logging.Filter):
    """Lets each warning and each error through a few times a minute and counts the others, which then are one line.

    Any client can cause warnings as fast as it sends: malformed requests, broken handshakes, connections it resets.
    An error that one request causes comes as often as that request. Errors are told apart by their exception and its
    place.
    """

    def __init__(
        self, later: Callable[[float, Callable[[], None]], object], *, most: int = 5, seconds: float = 60.0
    ) -> None:
        """Let so many of one text through within so many seconds; `later` calls back after a time."""
        super().__init__()
        self._later = later
        self._most = most
        self._seconds = seconds
        self._counts: dict[tuple[str, int, str], int] = {}

    def __len__(self) -> int:
        """Return the number of texts that are counted."""
        return len(self._counts)

    def filter(self, record: logging.LogRecord) -> bool:
        """Count a record and return whether it is written. The arguments of its text do not matter."""
        if not self._counts:
            self._later(self._seconds, self._tell)
        text = str(record.msg).strip()[:200]
        if record.exc_info and record.exc_info[0] is not None:
            text += f" ({_place_of(record.exc_info[0], record.exc_info[2])})"
        key = (record.name, record.levelno, text)
        if key not in self._counts and len(self._counts) >= _MOST_TEXTS:
            key = (record.name, record.levelno, "other texts")
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key] <= self._most

    def _tell(self) -> None:
        """Log how many more there were, and begin to count anew."""
        counts, self._counts = self._counts, {}
        for (name, level, text), count in counts.items():
            if count > self._most:
                more = count - self._most
                log.log(level, "%s: %d more times in %.0f s: %s", name, more, self._seconds, text)


def _place_of(kind: type[BaseException], trace: TracebackType | None) -> str:
    """Return the type of an exception, with the line of the code that raised it."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return kind.__name__
    return f"{kind.__name__}, {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
