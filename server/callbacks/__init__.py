"""This package sends requests out: callbacks, events, pushes and fetches of pictures, each guarded."""

from server.callbacks.callback_sender import CallbackSender
from server.callbacks.guard import Guard
from server.callbacks.push_sender import PushAccess, PushSender
from server.callbacks.sender import EventSender, Sender
from server.callbacks.signing import Secrets

__all__ = ["CallbackSender", "EventSender", "Guard", "PushAccess", "PushSender", "Secrets", "Sender"]
