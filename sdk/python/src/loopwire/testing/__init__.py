"""Tests of one's own against a real Loopwire: `serve` starts one whose model answers from a script."""

from loopwire.testing.request import Request
from loopwire.testing.script import ScriptError
from loopwire.testing.server_process import NotStarted
from loopwire.testing.serving import Server, Serving, SyncServer, serve
from loopwire.testing.steps import Act, Call, Fail, Reply, Step

__all__ = [
    "Act",
    "Call",
    "Fail",
    "NotStarted",
    "Reply",
    "Request",
    "ScriptError",
    "Server",
    "Serving",
    "Step",
    "SyncServer",
    "serve",
]
