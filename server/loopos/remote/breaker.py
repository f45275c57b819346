"""The circuit breaker of one address: after some failures in a row calls fail at once, until one trial call succeeds.

| state | a call |
|---|---|
| closed | is made; failures in a row are counted |
| open | fails at once, for `pause_s`; each time that the trial fails the pause is twice as long, up to a bound |
| half-open | the first one is made, as a trial; the others fail at once until that one has ended |
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from server.loopos.remote.failures import CoreFailure
from server.tasks import Backoff

MOST_FAILURES = 5
FIRST_PAUSE_S = 5.0
MOST_PAUSE_S = 60.0


class CircuitBreaker:
    """One per address. The client asks it before each attempt, and reports how the attempt ended."""

    def __init__(
        self,
        *,
        most_failures: int = MOST_FAILURES,
        first_pause_s: float = FIRST_PAUSE_S,
        most_pause_s: float = MOST_PAUSE_S,
        clock: Callable[[], float] = time.monotonic,
        on_change: Callable[[bool], None] = lambda is_open: None,
    ) -> None:
        """`on_change` is called when it opens and closes; `clock` gives seconds."""
        self._most_failures = most_failures
        self._pauses = Backoff(first_pause_s, most_pause_s)
        self._clock = clock
        self._on_change = on_change
        self._failures = 0
        self._open_until: float | None = None
        self._trying = False

    @property
    def is_open(self) -> bool:
        """Return whether calls fail without being made; a trial may be due."""
        return self._open_until is not None

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Make one attempt. Raises CoreFailure `open` when none may be made.

        Only a CoreFailure that says so counts as a failure of the address; every other end but a cancellation is an
        answer, and closes the circuit.
        """
        trial = self._admit()
        try:
            yield
        except CoreFailure as failure:
            if failure.counts:
                self._note_failure()
            else:
                self._note_answer()
            raise
        except Exception:  # The client rejected the answer; the address itself works.
            self._note_answer()
            raise
        else:
            self._note_answer()
        finally:
            if trial:
                self._trying = False

    def _admit(self) -> bool:
        """Let an attempt pass; return whether it is a trial."""
        if self._open_until is None:
            return False
        left = self._open_until - self._clock()
        if left > 0 or self._trying:
            raise CoreFailure("open", retry=False, counts=False, retry_after=max(1.0, left))
        self._trying = True
        return True

    def _note_failure(self) -> None:
        self._failures += 1
        if self._failures < self._most_failures and self._open_until is None:
            return
        opened = self._open_until is None
        if opened or self._trying:  # Attempts that began before it opened do not lengthen the pause.
            self._open_until = self._clock() + self._pauses.next_s()
        if opened:
            self._on_change(True)

    def _note_answer(self) -> None:
        self._failures = 0
        if self._open_until is not None:
            self._open_until = None
            self._pauses.reset()
            self._on_change(False)
