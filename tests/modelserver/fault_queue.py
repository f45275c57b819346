"""The queue of faults, each for one request: tests fill it, in process or over the control port."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.modelserver import faults, stream_faults
from tests.modelserver.plan import Fault
from tests.modelserver.request import ModelRequest

__all__ = ["FaultQueue", "catalogue", "named"]

_MODULES = (faults, stream_faults)
When = Callable[[ModelRequest], bool]


def catalogue() -> dict[str, type[Fault]]:
    """Every fault by its name."""

    def below(kind: type[Fault]) -> Iterator[type[Fault]]:
        for child in kind.__subclasses__():
            yield child
            yield from below(child)

    ours = {module.__name__ for module in _MODULES}
    return {kind.name: kind for kind in below(Fault) if kind.name and kind.__module__ in ours}


def named(name: str, **parameters: Any) -> Fault:
    """Return the fault of that name, e.g. `named("stall", after=3)`."""
    return catalogue()[name](**parameters)


@dataclass(slots=True)
class _Entry:
    faults: tuple[Fault, ...]
    times: int | None
    when: When | None


class FaultQueue:
    """Entries wait in order; a request takes the first that fits it."""

    def __init__(self) -> None:
        """Start with nothing wrong."""
        self._entries: list[_Entry] = []

    def add(self, *together: Fault, times: int | None = 1, when: When | None = None) -> None:
        """Let the next `times` requests (None: all) that fit `when` meet these faults together."""
        self._entries.append(_Entry(together, times, when))

    def take(self, request: ModelRequest) -> tuple[Fault, ...]:
        """Return the faults of this request; used-up entries go."""
        for entry in self._entries:
            if entry.when is not None and not entry.when(request):
                continue
            if entry.times is not None:
                entry.times -= 1
                if entry.times <= 0:
                    self._entries.remove(entry)
            return entry.faults
        return ()

    def clear(self) -> None:
        """Nothing is wrong any more."""
        self._entries.clear()

    def __len__(self) -> int:
        """Entries that still wait."""
        return len(self._entries)
