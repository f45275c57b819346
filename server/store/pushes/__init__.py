"""Pushes: which browsers take messages while no page is open, and what waits to be sent to them."""

from server.store.pushes.outbox import Pushes, Recipient, write_pushes
from server.store.pushes.subscriptions import PushSubscriptions

__all__ = ["PushSubscriptions", "Pushes", "Recipient", "write_pushes"]
