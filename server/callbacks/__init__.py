"""Callbacks: the end of each run, posted at least once and signed, to the address that a session named."""

from server.callbacks.callback_sender import CallbackSender
from server.callbacks.guard import Guard
from server.callbacks.push_sender import PushAccess, PushSender
from server.callbacks.sender import EventSender, Sender
from server.callbacks.signing import Secrets

__all__ = ["CallbackSender", "EventSender", "Guard", "PushAccess", "PushSender", "Secrets", "Sender"]
