"""The sender of thumbs to Langfuse: a thread sends the newest value of each score, and tries again after a failure."""

import hashlib
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from langfuse.api import LangfuseAPI, ScoreDataType
from langfuse.api.core import ApiError
from langfuse.api.scores import CreateScoreBatchResults, CreateScoreRequest

from server.tasks import Backoff, jitter

NAME = "user-feedback"
"""The name of the scores, the one of Langfuse's own examples."""

MOST = 1_000
"""Scores that wait; beyond it the oldest is dropped."""

BATCH = 50
"""Scores of one request."""

FIRST_S, MOST_S = 1.0, 60.0
"""The pauses after a failure: the first, and the longest."""

CLOSE_S = 2.0
"""Seconds that the end waits for the last scores: the last spans need time too."""

_VALUES: Mapping[str | None, float] = {"up": 1.0, "down": -1.0, None: 0.0}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a thumb for a message of a trace.

    Langfuse replaces a score by one with the same id and the same `timestamp`, so both come from the message.
    """

    id: str
    trace_id: str
    value: float
    timestamp: datetime
    comment: str = ""
    """The name of a reason and the words beside it; empty when nothing is known."""


def thumb_score(
    trace_id: str, run_id: str, message_id: str, value: str | None, said_at_ms: int, *, comment: str = ""
) -> Score:
    """Return the score of a thumb; a message has one, whatever is thought of it later.

    The message's id may be a caller's own name for it, so only its hash leaves this server.
    """
    id = hashlib.sha256(f"feedback\0{run_id}\0{message_id}".encode()).hexdigest()[:32]
    return Score(id, trace_id, _VALUES[value], datetime.fromtimestamp(said_at_ms / 1000, UTC), comment)


class ScoreQueue:
    """The scores that wait. `put` never blocks; a daemon thread sends them, until `close`."""

    def __init__(self, api: LangfuseAPI, *, send_s: int) -> None:
        """Send with `api`; one request has so many seconds."""
        self._api = api
        self._send_s = send_s
        self._waiting: dict[str, Score] = {}
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="scores", daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        """Count what waits."""
        return len(self._waiting)

    def put(self, score: Score) -> None:
        """Queue a score; it replaces a waiting value of the same score."""
        with self._changed:
            self._waiting.pop(score.id, None)
            if len(self._waiting) >= MOST:
                del self._waiting[next(iter(self._waiting))]
            self._waiting[score.id] = score
            self._changed.notify()

    def close(self) -> None:
        """Try once more to send what waits, then end; returns when that is done, or after two seconds."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        pauses = Backoff(FIRST_S, MOST_S)
        while batch := self._next_batch():
            if self._send(batch):
                pauses.reset()
                continue
            self._put_back(batch)
            with self._changed:
                closing = self._closing or self._changed.wait_for(
                    lambda: self._closing, jitter(pauses.next_s())
                )
            if closing:
                self._send_last()
                return

    def _next_batch(self) -> list[Score]:
        """Wait for scores and take some; none when nothing waits and this ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            return self._take()

    def _take(self) -> list[Score]:
        taken = list(self._waiting.values())[:BATCH]
        for score in taken:
            del self._waiting[score.id]
        return taken

    def _put_back(self, batch: list[Score]) -> None:
        """Keep the scores that were not sent, before those added since; a newer value of the same score stays."""
        with self._changed:
            kept = {score.id: score for score in batch if score.id not in self._waiting} | self._waiting
            self._waiting = dict(list(kept.items())[-MOST:])

    def _send_last(self) -> None:
        while (batch := self._take()) and self._send(batch):
            pass

    def _send(self, batch: list[Score]) -> bool:
        """Send scores. Returns False when it may be tried again; what Langfuse refuses is dropped."""
        try:
            answer = self._api.scores.create(
                request=[_request(score) for score in batch],
                request_options={"max_retries": 0, "timeout_in_seconds": self._send_s},
            )
        except Exception as error:
            # A library's client raises classes of several others; its thread sends all scores and must not end.
            status = error.status_code if isinstance(error, ApiError) else None
            again = not _is_refusal(status)
            what = f"HTTP {status}" if status else type(error).__name__
            log.warning("Langfuse takes no scores: %s; %s", what, "tried again" if again else "dropped")
            return not again
        if isinstance(answer, CreateScoreBatchResults) and answer.rejected:
            log.warning("Langfuse refused %d of %d scores", answer.rejected, len(batch))
        return True


def _is_refusal(status: int | None) -> bool:
    """Return whether this status means that the same request will never be accepted."""
    again = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
    return (
        status is not None
        and HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR
        and status not in again
    )


def _request(score: Score) -> CreateScoreRequest:
    said: dict[str, Any] = {"comment": score.comment} if score.comment else {}
    return CreateScoreRequest(
        **said,
        id=score.id,
        trace_id=score.trace_id,
        name=NAME,
        value=score.value,
        data_type=ScoreDataType("NUMERIC"),
        timestamp=score.timestamp,
    )
