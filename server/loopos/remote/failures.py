"""The failures of a call of LoopOS Core: what went wrong, and what may be done about it."""

from typing import Literal

Reason = Literal[
    "address",
    "connect",
    "timeout",
    "cut",
    "status",
    "in_progress",
    "refused",
    "unreadable",
    "contract",
    "too_large",
    "open",
]
"""`address`: not a public one. `connect`, `timeout`, `cut`: no whole answer. `status`: 408, 425, 429 or 5xx.
`in_progress`: an earlier attempt of the same write is under way. `refused`: any other status that the contract does
not know. `unreadable`: no JSON. `contract`: JSON of another shape. `too_large`: the answer is over its bound. `open`:
the circuit breaker is open."""


class CoreFailure(Exception):
    """An attempt without a usable answer. It holds nothing of what the other side wrote."""

    def __init__(
        self,
        reason: Reason,
        *,
        retry: bool,
        counts: bool = True,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        """`retry` when another attempt may help, `counts` when the address is to be blamed."""
        super().__init__(reason if status is None else f"{reason} {status}")
        self.reason = reason
        self.retry = retry
        self.counts = counts
        self.status = status
        self.retry_after = retry_after
