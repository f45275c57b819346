"""A limit on requests for ids that do not exist: a client that guesses is refused before anything is looked up."""

from collections import OrderedDict

from server import patterns
from server.limit_counters import Windows
from server.limits import Limits

MISSES = (401, 404)
MOST_KNOWN = 20_000

_names_an_id = patterns.compile(r"/(?:v1/(?:sessions|items|responses)|s|items)/.")


class GuessLimit:
    """Remembers the addresses that guess, and those that have named an id of their own."""

    def __init__(self, limits: Limits) -> None:
        self._visitors = Windows(limits.guesses_per_visitor)
        self._addresses = Windows(limits.guesses_per_address)
        self._known: OrderedDict[str, None] = OrderedDict()

    def concerns(self, path: str) -> bool:
        """Return whether this path names an id."""
        return _names_an_id.match(path) is not None

    def check(self, address: str, who: str) -> None:
        """Raise RateLimited for a client that guessed too often, and for strangers at an address that did."""
        self._visitors.check(who)
        if who not in self._known:
            self._addresses.check(address)

    def note(self, address: str, who: str, status: int, *, verified: bool = True) -> None:
        """Remember how a request for an id was answered; only a `verified` client has named an id of its own."""
        if status in MISSES:
            self._visitors.add(who)
            self._addresses.add(address)
        elif verified and status < 300:  # noqa: PLR2004
            self._known[who] = None
            self._known.move_to_end(who)
            if len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
