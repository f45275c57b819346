"""`python -m tests.parts.dying serve`: Loopwire as it is, which kills -9 itself where the file DIE_AT says.

The file holds the name of a place and how often it is passed before, such as `publish.TOOL_CALL_RESULT:2`. It is
gone when the process dies, so that the next one lives.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from server.__main__ import main


class Dying:
    """Ends the process, with its group, at the passing that the file asks for; counted since it was written."""

    def __init__(self, file: Path) -> None:
        """Look at this file at every place."""
        self._file = file
        self._armed = ""
        self._left = 0

    def __call__(self, name: str) -> None:
        """Pass a place, or die there."""
        try:
            wanted = self._file.read_text()
        except FileNotFoundError:
            return
        if wanted != self._armed:
            self._armed, self._left = wanted, int(wanted.partition(":")[2] or 0)
        if name != wanted.partition(":")[0]:
            return
        if self._left == 0:
            self._file.unlink()
            os.killpg(0, signal.SIGKILL)
        self._left -= 1


if __name__ == "__main__":
    sys.exit(main(Dying(Path(os.environ["DIE_AT"]))))
