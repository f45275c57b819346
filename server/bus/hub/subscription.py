"""The channels of one session that this process subscribes to, and whether it may have missed a message on them."""

from enum import Enum, auto


class SubscriptionState(Enum):
    """The channels of the session that are subscribed."""

    CLOSED = auto()
    """None for sure: the next watcher subscribes."""
    CONTROL = auto()
    """The channel of control frames alone: the session is written here, and its entries come from the writer."""
    ALL = auto()
    DOUBTED = auto()
    """All, but something may have been missed while the session was written here."""


class Subscription:
    """The subscriptions of a session's feed. The hub notes which channels it has subscribed to or left."""

    __slots__ = ("_state",)

    def __init__(self) -> None:
        self._state = SubscriptionState.CLOSED

    @property
    def is_open(self) -> bool:
        """Return whether no published entry can be missed without a sign."""
        return self._state is not SubscriptionState.CLOSED

    @property
    def hears_log(self) -> bool:
        """Return whether the channel of the log is subscribed."""
        return self._state in {SubscriptionState.ALL, SubscriptionState.DOUBTED}

    @property
    def missed_nothing(self) -> bool:
        """Return whether the log's channel stayed subscribed while this process wrote the session."""
        return self._state is SubscriptionState.ALL

    def note_all(self) -> None:
        """Note that all channels are subscribed, and forget doubts: the reading that follows settles them."""
        self._state = SubscriptionState.ALL

    def note_control(self) -> None:
        """Note that the channel of control frames is subscribed: enough for a session that is written here."""
        if self._state is SubscriptionState.CLOSED:
            self._state = SubscriptionState.CONTROL

    def leave_log(self) -> None:
        """Take no entries from the channel any more: this process writes the session."""
        self._state = SubscriptionState.CONTROL

    def doubt(self) -> None:
        """Note that another instance wrote while the session was written here."""
        if self._state is SubscriptionState.ALL:
            self._state = SubscriptionState.DOUBTED

    def close(self) -> None:
        """Forget what is subscribed."""
        self._state = SubscriptionState.CLOSED
