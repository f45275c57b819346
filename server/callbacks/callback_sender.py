"""The sender of callbacks: a receiver that is slow, or a caller who names many, leaves room for others."""

from server.callbacks.fair_sender import FairSender

POSTS_OF_STRANGERS = 4
"""Posts that a process makes at once for all visitors and callers without a key: one may be many of them."""


class CallbackSender(FairSender):
    """Posts callbacks."""

    posts_of_strangers = POSTS_OF_STRANGERS
