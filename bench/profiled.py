"""`python -m bench.profiled OUT serve`: Loopwire as it is; SIGUSR1 begins a profile, SIGUSR2 ends it into OUT.

It samples: after every millisecond of CPU (or tick of the kernel) a signal notes the stack of the main thread, so
nothing gets dearer by being looked at. OUT has one stack a line, innermost function first, as JSON.
"""

import json
import signal
import sys
from pathlib import Path
from types import FrameType

from server.__main__ import main

EVERY_S = 0.001
Place = tuple[str, str, int]


class Sampler:
    """Notes where the main thread is; written down at the end, so that the disk is not in the way."""

    def __init__(self, out: str) -> None:
        """Wait for the signals."""
        self._out = out
        self._stacks: list[list[Place]] = []
        signal.signal(signal.SIGPROF, self._sample)
        signal.signal(signal.SIGUSR1, lambda _signal, _frame: self._every(EVERY_S))
        signal.signal(signal.SIGUSR2, self._end)

    def _sample(self, _signal: int, frame: FrameType | None) -> None:
        stack: list[Place] = []
        while frame is not None:
            code = frame.f_code
            stack.append((code.co_filename, code.co_qualname, code.co_firstlineno))
            frame = frame.f_back
        self._stacks.append(stack)

    def _every(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds, seconds)

    def _end(self, _signal: int, _frame: FrameType | None) -> None:
        self._every(0)
        part = Path(f"{self._out}.part")
        part.write_text("\n".join(json.dumps(each) for each in self._stacks))
        part.rename(self._out)  # Whoever waits for it finds it whole.


if __name__ == "__main__":
    Sampler(sys.argv.pop(1))
    sys.exit(main())
