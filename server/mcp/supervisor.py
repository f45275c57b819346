"""The supervisor of one MCP server: it starts the program, and ends it with its children when Loopwire is gone.

A program of its own, the leader of a process group: `python -I -S supervisor.py LIFE COMMAND [ARGUMENT ...]`. LIFE is
the reading end of a pipe whose other end Loopwire alone holds, so that the kernel closes it however Loopwire dies. What
has left the process group (a daemon) is not reached.
"""

import os
import signal
import subprocess
import sys
import threading
import time

EXIT_WAIT_S = 0.5
"""Seconds for a server to exit by itself: its standard input is closed when ours is."""

TERM_S = 1.0
NOT_FOUND = 127


def supervise(life: int, command: list[str]) -> int:
    """Run the command until it ends or the pipe is closed; what is left of the group is killed, with this process."""
    try:
        server = subprocess.Popen(command)  # noqa: S603 - the operator's command, without a shell
    except OSError:
        return NOT_FOUND
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # Only the server holds these pipes now, so they close with it.
        os.dup2(nowhere, stream)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # The signal to the group must not end the supervisor.
    threading.Thread(target=_end_with_parent, args=(life,), daemon=True).start()
    server.wait()
    os.killpg(0, signal.SIGKILL)
    return 0


def _end_with_parent(life: int) -> None:
    os.read(life, 1)
    time.sleep(EXIT_WAIT_S)
    os.killpg(0, signal.SIGTERM)
    time.sleep(TERM_S)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(supervise(int(sys.argv[1]), sys.argv[2:]))
