"""A script: the steps of a scripted model in order, the requests that it got, and where the two did not agree."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from loopwire.errors import LoopwireError
from loopwire.testing.request import Request
from loopwire.testing.steps import Act, Fail, Outputs, Step, outputs_of, require_step

EXHAUSTED = "script_exhausted"

log = logging.getLogger("loopwire")


class ScriptError(LoopwireError, AssertionError):
    """The model was not asked as often as its script has steps."""

    def __init__(self, message: str) -> None:
        super().__init__("script", message)


class Script:
    """The script of one server. Threads that answer requests share it: each request takes the next step."""

    def __init__(self, steps: Sequence[Step] | Act) -> None:
        """`steps` may be one callable, which answers all requests. Raises TypeError for what is no script."""
        self.requests: list[Request] = []
        self.missing = 0
        """Requests for which no step was left."""
        self.failures: list[BaseException] = []
        """What the callables raised, besides Fail."""
        self._always: Act | None = None
        self._steps: list[Step] = []
        self._lock = threading.Lock()
        if callable(steps):
            self._always = steps
        elif isinstance(steps, str):
            raise TypeError('a script is a list of steps, or a callable: write ["…"]')
        else:
            self._steps = list(steps)
        for each in self._steps:
            require_step(each)
        self._taken = 0

    @property
    def left(self) -> list[Step]:
        """Return the steps that no request has taken."""
        return self._steps[self._taken :]

    def answer(self, request: Request) -> Outputs:
        """Take the next step, and return what it says and calls. Raises Fail."""
        step = self._take(request)
        try:
            return outputs_of(step(request.messages) if callable(step) else step)
        except Fail:
            raise
        except BaseException as error:
            # A failed assertion of a test is raised in the test, when its server ends.
            self.failures.append(error)
            raise Fail(500, "script_failed", f"A step of the script raised {error!r}.") from error

    def trouble(self) -> str | None:
        """Return where script and requests do not agree; None where they do."""
        told = []
        if self.missing:
            told.append(
                f"{self.missing} of {len(self.requests)} requests to the model found no step: the script has "
                f"{len(self._steps)}, and the newest message of a user was {self.requests[-1].text!r}"
            )
        if self.left:
            told.append(
                f"{len(self.left)} of {len(self._steps)} steps were left, the first is {self.left[0]!r}"
            )
        return "; ".join(told) or None

    def _take(self, request: Request) -> Step:
        with self._lock:
            self.requests.append(request)
            if self._always is not None:
                return self._always
            if self._taken < len(self._steps):
                self._taken += 1
                return self._steps[self._taken - 1]
            self.missing += 1
        words = f"The script has {len(self._steps)} steps, and this is request {len(self.requests)}."
        log.warning("%s The newest message of a user is %r.", words, request.text)
        return Fail(400, EXHAUSTED, words)
