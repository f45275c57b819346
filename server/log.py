"""Logs as one JSON object per line, with the ids of the session and run that they belong to."""

from __future__ import annotations

import json
import logging
import sys
import time
from contextvars import ContextVar

session_id: ContextVar[str | None] = ContextVar("session_id", default=None)
run_id: ContextVar[str | None] = ContextVar("run_id", default=None)

_MARK = "_loopwire"


class JsonFormatter(logging.Formatter):
    """One record, one line: time, level, logger, text, ids, and the traceback when there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Render a record; a line break inside a value is escaped by JSON."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, object] = {
            "at": f"{stamp}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "text": record.getMessage(),
        }
        for name, variable in (("session_id", session_id), ("run_id", run_id)):
            value = getattr(record, name, None) or variable.get()
            if value is not None:
                line[name] = value
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def setup(level: str = "INFO") -> None:
    """Send every logger's lines to standard error; calling it again changes only the level."""
    root = logging.getLogger()
    for old in [each for each in root.handlers if getattr(each, _MARK, False)]:
        root.removeHandler(old)
    stream = logging.StreamHandler(sys.stderr)
    stream.setFormatter(JsonFormatter())
    setattr(stream, _MARK, True)
    root.addHandler(stream)
    root.setLevel(level.upper())
    for noisy in ("httpx", "httpcore", "openai", "openai.agents", "aiosqlite", "alembic"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
