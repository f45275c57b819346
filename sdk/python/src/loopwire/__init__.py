"""Loopwire for Python: conversations with agents over one connection that comes back by itself."""

from loopwire import sync, testing
from loopwire.callbacks import Callback, Posted, RunEnded, WebhookEvent, callback, verify
from loopwire.chat import Answered, Chat, connect
from loopwire.errors import BadSignature, Closed, Garbled, LoopwireError, Refused, Unreachable
from loopwire.events import Event, Events, Snapshot
from loopwire.identity import Identified
from loopwire.parts import (
    Ask,
    Block,
    Choice,
    Handoff,
    Part,
    Picture,
    Reasoning,
    Result,
    Retracted,
    Text,
    Tool,
    Usage,
)
from loopwire.run import Run
from loopwire.service import Job, Service, service

__all__ = [
    "Answered",
    "Ask",
    "BadSignature",
    "Block",
    "Callback",
    "Chat",
    "Choice",
    "Closed",
    "Event",
    "Events",
    "Garbled",
    "Handoff",
    "Identified",
    "Job",
    "LoopwireError",
    "Part",
    "Picture",
    "Posted",
    "Reasoning",
    "Refused",
    "Result",
    "Retracted",
    "Run",
    "RunEnded",
    "Service",
    "Snapshot",
    "Text",
    "Tool",
    "Unreachable",
    "Usage",
    "WebhookEvent",
    "callback",
    "connect",
    "service",
    "sync",
    "testing",
    "verify",
]
