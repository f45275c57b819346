"""`python -m tests.modelserver --port 9000 --brain stamped`: the model server as a process.

Its first line on standard output is JSON with `base_url`, printed once it listens.
"""

import argparse
import asyncio
import importlib
import json
import signal
import sys
from typing import Any

import uvloop
from agents.models.interface import Model

from tests.modelserver.brains import Brain, echo, paced, scripted, stamped
from tests.modelserver.plan import Pace
from tests.modelserver.sdk_model import brain_from_model
from tests.modelserver.server import ModelServer

_BUILT_IN: dict[str, Any] = {"echo": lambda: echo, "scripted": scripted, "stamped": stamped}


def brain_named(name: str, pace: Pace | None) -> Brain:
    """Return a built-in brain, or `package.module:attribute`: a brain, an SDK Model or a Model class."""
    if name in _BUILT_IN:
        brain: Brain = _BUILT_IN[name]()
    else:
        module, _, attribute = name.partition(":")
        found = getattr(importlib.import_module(module), attribute)
        if isinstance(found, type):
            found = found()
        brain = brain_from_model(found) if isinstance(found, Model) else found
    return paced(brain, pace) if pace else brain


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.modelserver", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--brain", default="echo", help="echo, scripted, stamped or module:attribute")
    parser.add_argument("--rate", type=float, help="deltas a second; the brain decides without it")
    parser.add_argument("--api-key", help="refuse every other key with 401")
    parser.add_argument("--keep", type=int, default=100, help="requests to remember")
    return parser.parse_args()


async def serve(given: argparse.Namespace) -> None:
    """Serve until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    pace = Pace.per_second(given.rate) if given.rate else None
    server = ModelServer(
        brain_named(given.brain, pace),
        host=given.host,
        port=given.port,
        api_key=given.api_key,
        keep=given.keep,
    )
    async with server:
        sys.stdout.write(json.dumps({"base_url": server.base_url}) + "\n")
        sys.stdout.flush()
        await stop.wait()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(arguments()))
